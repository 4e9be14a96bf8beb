/* SPDX-License-Identifier: MIT */
/* Copies the ends of rows, with the samples that the edge rule puts beside them, to buffers
 * called lines (ends.h). */
#include "kernels/smooth/cpu/u8/ends.h"

#include "kernels/common/numbers.h"
#include "kernels/smooth/source.h"

#include <string.h>

void row_ends_find(struct row_ends *ends, const struct piece *piece, int64_t begin, int64_t length)
{
    const int64_t end = piece->src.width * piece->src.channels + source_samples_right(piece);

    ends->lead = max(-source_samples_left(piece) - begin, 0);
    ends->trail = max(begin + length - end, 0);
    for (int64_t i = 0; i < ends->lead; i++)
        ends->places[i] = source_sample_index(piece, begin + i);
    for (int64_t i = 0; i < ends->trail; i++)
        ends->places[ends->lead + i] = source_sample_index(piece, end + i);
    ends->begin = begin;
    ends->inside = ends->lead;
    ends->end = length - ends->trail;
    ends->from[0] = ends->from[1] = ends->inside;
    ends->to[0] = ends->end;
    ends->to[1] = ends->inside;
}

/* Copies the samples of the row with indices places[0..n - 1] to the line, from position `at` on.
 * Samples with the index NOWHERE stay zeros. */
static void gather(const char *row, const int64_t *places, int64_t n, char *line, int64_t at)
{
    for (int64_t i = 0; i < n && places[i] != NOWHERE; i++)
        line[at + i] = row[places[i]];
}

void row_ends_copy(const struct row_ends *ends, const char *row, char *line)
{
    for (int side = 0; side < 2; side++)
        if (ends->from[side] < ends->to[side])
            memcpy(line + ends->from[side], row + ends->begin + ends->from[side],
                   (size_t)(ends->to[side] - ends->from[side]));
    gather(row, ends->places, ends->lead, line, 0);
    gather(row, ends->places + ends->lead, ends->trail, line, ends->end);
}
