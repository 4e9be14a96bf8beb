/* SPDX-License-Identifier: MIT */
/* A pixel is predicted from those on its left, above it, and above its left one. So the pixels of a
 * row come one after the other, but pixel x of row y is independent of pixel x + 1 of row y - 1: a
 * vector holds a diagonal, a pixel of each row, and moves along the rows. What is above a pixel is
 * then in the last vector, one place before it.
 *
 * Measured on a Xeon, Paeth: 1.5 to 2.4 GB/s; row by row, a byte at a time, .25 (1 byte a pixel) to
 * .7. With AVX2 it is not faster. */
#include "src/files/codec/png/row.h"
#include "src/files/codec/png/unfilter/unfilter.h"
#include "src/files/codec/png/unfilter/vectors.h"

#include <string.h>

#define STEPS UNFILTER_STEPS

/* PNG's Paeth predictor: of left, above and corner (above left), the one nearest to
 * left + above - corner; on a tie the first in this order.
 *
 * With low <= high for left and above, low + high - corner is nearest to
 *     low  if 2 (high - corner) <= corner - low,
 *     high if 2 (corner - low) <= high - corner,
 * else to the corner. Both only if all three are equal. Of the two differences one at most is
 * negative, and can then be 0 in both lines. Doubled they would not fit a byte: 2 a <= b is
 * a <= b - a. */
INLINE vector paeth(vector left, vector above, vector corner)
{
    const vector low = smaller(left, above), high = larger(left, above);
    const vector up = excess(high, corner), down = excess(corner, low);
    const vector is_low = (vector)(excess(up, excess(down, up)) == 0);
    const vector is_high = (vector)(excess(down, excess(up, down)) == 0);

    return choose(is_high, high, choose(is_low, low, corner));
}

/* Which filter each row of a diagonal has. Paeth of a left pixel and zeros is that pixel, and so
 * on: a mask takes away what a filter does not use. */
struct masks {
    vector left, above, corner, average;
};

static struct masks masks_of(const struct unfilter *unfilter)
{
    struct masks masks = {{0}, {0}, {0}, {0}};

    for (size_t i = 0; i < unfilter->rows * unfilter->pixel_bytes; i++) {
        const enum png_filter filter = unfilter->filters[i / unfilter->pixel_bytes];

        masks.left[i] = filter == PNG_SUB || filter == PNG_PAETH ? 255 : 0;
        masks.above[i] = filter == PNG_UP || filter == PNG_PAETH ? 255 : 0;
        masks.corner[i] = filter == PNG_PAETH ? 255 : 0;
        masks.average[i] = filter == PNG_AVERAGE ? 255 : 0;
    }
    return masks;
}

INLINE vector predict(const struct masks *masks, vector left, vector above, vector corner)
{
    const vector average = (left & above) + ((left ^ above) >> 1); /* rounded down, in a byte */
    const vector other = paeth(left & masks->left, above & masks->above, corner & masks->corner);

    return choose(masks->average, average, other);
}

/* Where the diagonals are, and the state between two of them. */
struct diagonal {
    uint8_t *places[VECTOR]; /* by row: its pixel on the diagonal that begins at pixel 0 of row 0 */
    const uint8_t *before;   /* the pixel of the row above that comes next */
    struct masks masks;
    vector pixels; /* of the last diagonal */
    vector above;  /* the pixels above them */
};

INLINE struct diagonal first_diagonal(const struct unfilter *unfilter, size_t bytes)
{
    struct diagonal diagonal = {.before = unfilter_above(unfilter), .masks = masks_of(unfilter)};

    for (size_t i = 0; i < VECTOR / bytes; i++)
        diagonal.places[i] = unfilter_row(unfilter, i) - i * bytes;
    return diagonal;
}

/* The next diagonal: its filtered bytes become its pixels. */
INLINE vector next_diagonal(struct diagonal *diagonal, vector filtered, size_t bytes)
{
    vector first, above;

    memcpy(&first, diagonal->before, VECTOR); /* more than a pixel: one load */
    above = moved(diagonal->pixels, bytes) | (first & first_bytes(bytes));
    diagonal->before += bytes;
    diagonal->pixels =
        filtered + predict(&diagonal->masks, diagonal->pixels, above, diagonal->above);
    diagonal->above = above;
    return diagonal->pixels;
}

/* STEPS diagonals from x on. move: bytes of a pixel and perhaps some more, which the next pixel
 * then replaces: a size that is moved by one instruction. */
INLINE void gather(const struct diagonal *diagonal, size_t x, uint8_t *block, size_t bytes,
                   size_t move)
{
    for (size_t step = 0; step < STEPS; step++)
        for (size_t i = 0; i < VECTOR / bytes; i++)
            memcpy(block + VECTOR * step + bytes * i, diagonal->places[i] + (x + step) * bytes,
                   move);
}

INLINE void scatter(const struct diagonal *diagonal, size_t x, const uint8_t *block, size_t bytes,
                    size_t move)
{
    for (size_t i = 0; i < VECTOR / bytes; i++)
        for (size_t step = 0; step < STEPS; step++)
            memcpy(diagonal->places[i] + (x + step) * bytes, block + VECTOR * step + bytes * i,
                   move);
}

/* The diagonals of pixels of any size. Those of the next block are gathered before, so that their
 * small stores are done when they are loaded as vectors. */
INLINE void run_pixels(const struct unfilter *unfilter, size_t bytes, size_t move)
{
    struct diagonal diagonal = first_diagonal(unfilter, bytes);
    uint8_t blocks[2][VECTOR * (STEPS + 1)] = {{0}};
    int turn = 0;

    gather(&diagonal, 0, blocks[turn], bytes, move);
    for (size_t x = 0; x < unfilter->pixels + VECTOR / bytes - 1; x += STEPS, turn = !turn) {
        uint8_t *block = blocks[turn];

        gather(&diagonal, x + STEPS, blocks[!turn], bytes, move);
        for (size_t step = 0; step < STEPS; step++) {
            vector filtered, pixels;

            memcpy(&filtered, block + VECTOR * step, VECTOR);
            pixels = next_diagonal(&diagonal, filtered, bytes);
            memcpy(block + VECTOR * step, &pixels, VECTOR);
        }
        scatter(&diagonal, x, block, bytes, move);
    }
}

/* The diagonals of pixels of a byte: blocks of 16 of them are turned into vectors, and back. */
static void run_bytes(const struct unfilter *unfilter)
{
    struct diagonal diagonal = first_diagonal(unfilter, 1);

    for (size_t x = 0; x < unfilter->pixels + VECTOR - 1; x += VECTOR) {
        vector block[VECTOR];

        for (size_t i = 0; i < VECTOR; i++)
            memcpy(&block[i], diagonal.places[i] + x, VECTOR);
        transpose(block);
        for (size_t step = 0; step < VECTOR; step++)
            block[step] = next_diagonal(&diagonal, block[step], 1);
        transpose(block);
        for (size_t i = 0; i < VECTOR; i++)
            memcpy(diagonal.places[i] + x, &block[i], VECTOR);
    }
}

void unfilter_diagonals(const struct unfilter *unfilter)
{
    switch (unfilter->pixel_bytes) {
    case 1:
        run_bytes(unfilter);
        break;
    case 2:
        run_pixels(unfilter, 2, 2);
        break;
    case 3:
        run_pixels(unfilter, 3, 4);
        break;
    case 4:
        run_pixels(unfilter, 4, 4);
        break;
    case 6:
        run_pixels(unfilter, 6, 8);
        break;
    default:
        run_pixels(unfilter, 8, 8);
    }
}
