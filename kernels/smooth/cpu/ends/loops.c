/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/ends/ends.h"

#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/smooth/cpu/vectors/vectors.h"
#include "kernels/smooth/source.h"

#include <string.h>

/* Copies `bytes` bytes from position `at` on, from each row to its line. */
INLINED void copy_bytes(const struct row_ends *ends, const char *const *rows, char *const *lines,
                        int count, int64_t at, size_t bytes)
{
    for (int i = 0; i < count; i++)
        memcpy(lines[i] + at, rows[i] + ends->begin + at, bytes);
}

/* Copies whole cache lines, without calls of memcpy or loops over bytes. The last one ends with the
 * row, and may overlap the one before. */
INLINED void copy_end(const struct row_ends *ends, const char *const *rows, char *const *lines,
                      int count, int64_t first, int64_t last)
{
    int64_t i = first;

    if (ends->end - ends->inside >= CACHE_LINE)
        for (; i < last; i += CACHE_LINE)
            copy_bytes(ends, rows, lines, count, min(i, ends->end - CACHE_LINE), CACHE_LINE);
    else if (first < last)
        copy_bytes(ends, rows, lines, count, first, (size_t)(last - first));
}

/* Fills n samples of each line, from byte `at` on, with the samples of its row that `places` names.
 */
INLINED void gather(const char *const *rows, char *const *lines, int count, const int64_t *places,
                    int64_t n, int64_t at, int bytes)
{
    for (int64_t i = 0; i < n && places[i] != NOWHERE; i++)
        for (int row = 0; row < count; row++)
            memcpy(lines[row] + at + i * bytes, rows[row] + places[i] * bytes, (size_t)bytes);
}

INLINED void copy_of(const struct row_ends *ends, int bytes, const char *const *rows,
                     char *const *lines, int count)
{
    const struct row_ends local = *ends; /* a local copy, which no store can change */

    for (int side = 0; side < 2; side++)
        copy_end(&local, rows, lines, count, local.from[side], local.to[side]);
    gather(rows, lines, count, local.places, local.lead, 0, bytes);
    gather(rows, lines, count, local.places + local.lead, local.trail, local.end, bytes);
}

static void copy(const struct row_ends *ends, const char *const *rows, char *const *lines,
                 int count)
{
    if (ends->sample_bytes == 1)
        copy_of(ends, 1, rows, lines, count);
    else if (ends->sample_bytes == 2)
        copy_of(ends, 2, rows, lines, count);
    else
        copy_of(ends, 4, rows, lines, count);
}

extern const struct ends_loops FOR_ISA(ends_loops);
const struct ends_loops FOR_ISA(ends_loops) = {.copy = copy};
