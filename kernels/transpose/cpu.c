/* SPDX-License-Identifier: MIT */
/* Transposes in blocks of 64 rows by 64 bytes, the size of a cache line: reads whole lines,
 * transposes them in registers (transpose/loops.c) into a buffer in the first-level cache, and
 * writes whole lines. Aligned lines are written past the caches, since a line that is written whole
 * need not be read first. If pixels have three or six bytes, a block is 16 pixels wide and is
 * copied pixel by pixel into the buffer. Pixels of other sizes than 1, 2, 3, 4, 6 and 8 bytes are
 * copied one by one, not in blocks.
 *
 * In a large image each row of the source and of the target is on another page. So blocks are
 * computed in groups of GROUP x GROUP pixels, whose pages fit the TLB: each page is looked up once
 * for a group instead of once for a block. */
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"
#include "kernels/transpose/loops.h"
#include "kernels/variant.h"

#include <stdbool.h>
#include <string.h>

#define GROUP 512   /* edge of a group of blocks, in pixels */
#define GATHERED 16 /* columns of a block, if pixels have three or six bytes */

/* A rectangle of the source, in pixels. */
struct part {
    int64_t x, y, width, height;
};

static const char *source_of(const struct piece *piece, int64_t x, int64_t y, size_t pixel_bytes)
{
    return (const char *)piece->src.origin + y * piece->src.stride_bytes + x * (int64_t)pixel_bytes;
}

/* Returns the address in the target of source pixel (x, y). */
static char *target_of(const struct piece *piece, int64_t x, int64_t y, size_t pixel_bytes)
{
    return (char *)piece->dst.origin + x * piece->dst.stride_bytes + y * (int64_t)pixel_bytes;
}

/* Transposes a part pixel by pixel. The function is inlined, so that with a constant pixel_bytes
 * the memcpy becomes a load and a store. */
static inline __attribute__((always_inline)) void
transpose_part(const struct piece *piece, const struct part *part, size_t pixel_bytes)
{
    for (int64_t x = part->x; x < part->x + part->width; x++) {
        const char *src = source_of(piece, x, part->y, pixel_bytes);
        char *dst = target_of(piece, x, part->y, pixel_bytes);

        for (int64_t i = 0; i < part->height; i++)
            memcpy(dst + i * (int64_t)pixel_bytes, src + i * piece->src.stride_bytes, pixel_bytes);
    }
}

static void transpose_pixels(const struct piece *piece, const struct part *part, size_t pixel_bytes)
{
    switch (pixel_bytes) {
    case 1:
        transpose_part(piece, part, 1);
        break;
    case 2:
        transpose_part(piece, part, 2);
        break;
    case 3:
        transpose_part(piece, part, 3);
        break;
    case 4:
        transpose_part(piece, part, 4);
        break;
    case 6:
        transpose_part(piece, part, 6);
        break;
    case 8:
        transpose_part(piece, part, 8);
        break;
    default:
        transpose_part(piece, part, pixel_bytes);
    }
}

/* Transposes a block of pixels of three or six bytes. Copies a word of four or eight bytes for each
 * pixel; the next pixel overwrites the excess bytes. The function is inlined, so that the sizes are
 * constants. */
static inline __attribute__((always_inline)) void
gather_words(const char *src, int64_t stride, char *block, size_t pixel_bytes, size_t word_bytes)
{
    for (size_t x = 0; x < GATHERED; x++)
        for (size_t y = 0; y < BLOCK_ROWS; y++)
            memcpy(block + (x * BLOCK_ROWS + y) * pixel_bytes,
                   src + (int64_t)y * stride + x * pixel_bytes, word_bytes);
}

/* Transposes a whole block into a buffer, then writes the buffer's rows to the target. */
static void transpose_block(const struct piece *piece, const struct transpose_loops *loops,
                            const struct part *part, size_t pixel_bytes)
{
    const char *src = source_of(piece, part->x, part->y, pixel_bytes);
    const size_t row_bytes = BLOCK_ROWS * pixel_bytes;
    char *target = target_of(piece, part->x, part->y, pixel_bytes);
    const bool aligned = ((uintptr_t)target | (uintptr_t)piece->dst.stride_bytes) % 64 == 0;
    _Alignas(64) char block[BLOCK_ROWS * GATHERED * 6 + 8];

    if (pixel_bytes == 3)
        gather_words(src, piece->src.stride_bytes, block, 3, 4);
    else if (pixel_bytes == 6)
        gather_words(src, piece->src.stride_bytes, block, 6, 8);
    else
        loops->transpose(src, piece->src.stride_bytes, block, pixel_bytes);
    for (int64_t i = 0; i < part->width; i++) {
        const char *row = block + (size_t)i * row_bytes;

        if (aligned)
            loops->put(row, target + i * piece->dst.stride_bytes, row_bytes);
        else
            memcpy(target + i * piece->dst.stride_bytes, row, row_bytes);
    }
}

/* Returns how many columns of pixels a block has, or 0 if pixels are copied one by one. */
static int64_t block_columns(size_t pixel_bytes)
{
    if (pixel_bytes == 3 || pixel_bytes == 6)
        return GATHERED;
    return pixel_bytes <= 8 && BLOCK_BYTES % pixel_bytes == 0 ? BLOCK_BYTES / (int64_t)pixel_bytes
                                                              : 0;
}

/* Transposes a group: whole blocks by transpose_block(), and what remains at the right and at the
 * bottom pixel by pixel. If block_columns() is 0, the whole group is transposed pixel by pixel. A
 * block at the end of the image's rows is also transposed pixel by pixel if gather_words() would
 * read past the end of a row. */
static void transpose_group(const struct piece *piece, const struct transpose_loops *loops,
                            const struct part *group, size_t pixel_bytes)
{
    const int64_t block = block_columns(pixel_bytes), columns = block ? block : GATHERED;
    const int64_t gathered = block == GATHERED && pixel_bytes % 3 == 0;

    for (int64_t x = 0; x < group->width; x += columns)
        for (int64_t y = 0; y < group->height; y += BLOCK_ROWS) {
            const struct part part = {group->x + x, group->y + y, min(columns, group->width - x),
                                      min(BLOCK_ROWS, group->height - y)};
            const bool whole = part.width == block && part.height == BLOCK_ROWS &&
                               part.x + part.width + gathered <= piece->src.width;

            if (whole)
                transpose_block(piece, loops, &part, pixel_bytes);
            else
                transpose_pixels(piece, &part, pixel_bytes);
        }
}

/* Transposes rows of blocks first..last-1. A thread does whole rows of blocks, so that no two
 * threads write to the same cache line of an aligned target. */
static void transpose_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct piece *piece = context;
    const struct transpose_loops *loops = isa_of(piece->request)->transpose;
    const int64_t bottom = min(last * BLOCK_ROWS, piece->src.height);
    const size_t pixel_bytes = (size_t)piece->src.channels * (size_t)piece->src.sample_bytes;

    (void)band;
    for (int64_t y = first * BLOCK_ROWS; y < bottom; y += GROUP)
        for (int64_t x = 0; x < piece->src.width; x += GROUP) {
            const struct part group = {x, y, min(GROUP, piece->src.width - x),
                                       min(GROUP, bottom - y)};

            transpose_group(piece, loops, &group, pixel_bytes);
        }
    loops->settle();
}

static const char *run(const struct piece *piece)
{
    parallel_rows(piece->request->threads, (piece->src.height + BLOCK_ROWS - 1) / BLOCK_ROWS,
                  transpose_band, piece);
    return NULL;
}

static const struct engine engine = {.name = "cpu", .run = run};

DEFINE_VARIANT(transpose_cpu) = {
    .op = OP_TRANSPOSE,
    .name = "cpu",
    .backend = ON_CPU,
    .description = "cache lines, turned in registers; threads",
    .engines = &engine,
    .count = 1,
};
