/* SPDX-License-Identifier: MIT */
/* Computes the last pass of a filter, which runs along a row. Only loops.c includes this file.
 *
 * A part is one of the sums that the pass adds. Each result of a part is the sum of the products of
 * taps and the numbers in a window along the row. */
#ifndef SMOOTHIMG_ARRAYS_LINE_H
#define SMOOTHIMG_ARRAYS_LINE_H

/* --- One channel. VECTORS vectors of sums need, at each distance, VECTORS vectors of numbers on
 * the left and VECTORS on the right. Here the vectors on one side are called a window. The window
 * at distance d + WIDTH is the window at distance d, moved outwards by one vector. The window at
 * distance WIDTH - r on one side is the window at distance r on the other side, moved by one
 * vector. So a distance takes two loads instead of 2 VECTORS loads, most of which would cross cache
 * lines. Vectors of 16 bytes have only 2 doubles: their windows would share little, and are not
 * used. */
#if VECTOR_BYTES > 16
INLINED void window_load(vector window[VECTORS], const double *line)
{
    UNROLLED
    for (int i = 0; i < VECTORS; i++)
        window[i] = at(line + WIDTH * i);
}

/* These two move a window by one vector, up or down in memory. They keep the vectors that both
 * positions share, and load one. `line` is where the window begins after the move. */
INLINED void window_slide_up(vector window[VECTORS], const double *line)
{
    UNROLLED
    for (int i = 0; i < VECTORS - 1; i++)
        window[i] = window[i + 1];
    window[VECTORS - 1] = at(line + WIDTH * (VECTORS - 1));
}

INLINED void window_slide_down(vector window[VECTORS], const double *line)
{
    UNROLLED
    for (int i = VECTORS - 1; i > 0; i--)
        window[i] = window[i - 1];
    window[0] = at(line);
}

/* Adds one distance's products to the sums. If `odd` is true, the tap on the left is the negative
 * of the tap on the right; else both are equal. */
INLINED void add_windows(double tap, const vector right[VECTORS], const vector left[VECTORS],
                         bool odd, vector sums[VECTORS])
{
    UNROLLED
    for (int i = 0; i < VECTORS; i++)
        sums[i] = fused(all(tap), odd ? right[i] - left[i] : right[i] + left[i], sums[i]);
}

/* Adds the products with the taps at distances first, first + WIDTH, ..., up to halo, to `sums`.
 * first: WIDTH / 2 or WIDTH. */
INLINED void add_distances(const double *centre, const double *taps, int64_t halo, int64_t first,
                           bool odd, vector sums[VECTORS])
{
    vector up[VECTORS], down[VECTORS];

    if (first > halo)
        return;
    window_load(up, centre + first);
    window_load(down, centre - first);
    add_windows(taps[first], up, down, odd, sums);
    for (int64_t d = first + WIDTH; d <= halo; d += WIDTH) {
        window_slide_up(up, centre + d);
        window_slide_down(down, centre - d);
        add_windows(taps[d], up, down, odd, sums);
    }
}

/* Adds the products with the taps at distances r, WIDTH - r, WIDTH + r, 2 WIDTH - r, ..., up to
 * halo, to `sums`; 0 < r < WIDTH / 2, r <= halo. Both windows at distance r move outwards
 * (right_up, left_down), and copies of them move across the centre (right_down, left_up), to the
 * distances WIDTH - r, 2 WIDTH - r, ... on the other side. */
INLINED void add_two_distances(const double *centre, const double *taps, int64_t halo, int64_t r,
                               bool odd, vector sums[VECTORS])
{
    vector right_up[VECTORS], right_down[VECTORS], left_up[VECTORS], left_down[VECTORS];
    int64_t d = r;

    window_load(right_up, centre + r);
    window_load(left_down, centre - r);
    memcpy(right_down, right_up, sizeof right_up);
    memcpy(left_up, left_down, sizeof left_down);
    add_windows(taps[r], right_up, left_down, odd, sums);
    for (; d + WIDTH <= halo; d += WIDTH) {
        window_slide_up(left_up, centre + d + WIDTH - 2 * r);
        window_slide_down(right_down, centre - d - WIDTH + 2 * r);
        add_windows(taps[d + WIDTH - 2 * r], left_up, right_down, odd, sums);
        window_slide_up(right_up, centre + d + WIDTH);
        window_slide_down(left_down, centre - d - WIDTH);
        add_windows(taps[d + WIDTH], right_up, left_down, odd, sums);
    }
    d += WIDTH - 2 * r;
    if (d > halo)
        return;
    window_slide_up(left_up, centre + d);
    window_slide_down(right_down, centre - d);
    add_windows(taps[d], left_up, right_down, odd, sums);
}

/* Computes VECTORS vectors of sums; the first sum is centred at *centre. `halo` is at least WIDTH /
 * 2. */
INLINED void sum_windows(const double *centre, const double *taps, int64_t halo, bool odd,
                         vector sums[VECTORS])
{
    UNROLLED
    for (int i = 0; i < VECTORS; i++)
        sums[i] = taps[0] * at(centre + WIDTH * i);
    UNROLLED
    for (int64_t r = 1; r < WIDTH / 2; r++)
        add_two_distances(centre, taps, halo, r, odd, sums);
    add_distances(centre, taps, halo, WIDTH / 2, odd, sums);
    add_distances(centre, taps, halo, WIDTH, odd, sums);
}
#endif

/* --- Any number of channels. */

INLINED void sum_pairs(const struct array_part *part, int64_t step, bool odd, int64_t x,
                       vector sums[VECTORS])
{
    const double *const centre = part->centre + x;

    UNROLLED
    for (int i = 0; i < VECTORS; i++)
        sums[i] = all(0);
    if (part->dense || part->taps[0] != 0) {
        UNROLLED
        for (int i = 0; i < VECTORS; i++)
            sums[i] = fused(all(part->taps[0]), at(centre + WIDTH * i), all(0));
    }
    UNROLLED
    for (int64_t k = 1; k <= part->halo; k++) {
        const double *left = centre - k * step, *right = centre + k * step;

        if (!part->dense && part->taps[k] == 0)
            continue;
        UNROLLED
        for (int i = 0; i < VECTORS; i++) {
            const vector a = at(right + WIDTH * i), b = at(left + WIDTH * i);

            sums[i] = fused(all(part->taps[k]), odd ? a - b : a + b, sums[i]);
        }
    }
}

INLINED void sum_part(const struct array_part *part, int64_t step, int64_t x, vector sums[VECTORS])
{
#if VECTOR_BYTES > 16
    if (step == 1 && part->halo >= WIDTH && part->dense) {
        if (part->odd)
            sum_windows(part->centre + x, part->taps, part->halo, true, sums);
        else
            sum_windows(part->centre + x, part->taps, part->halo, false, sums);
        return;
    }
#endif
    if (part->odd)
        sum_pairs(part, step, true, x, sums);
    else
        sum_pairs(part, step, false, x, sums);
}

/* Computes n results of a part. Stores them in `out`, or, if `adds`, adds them to `out`. */
INLINED void add_part(const struct array_part *part, int64_t step, bool adds, int64_t n,
                      double *out)
{
    /* A local copy, so that the compiler knows that stores do not change it. */
    const struct array_part local = *part;

    for (int64_t x = 0; x < n; x += VECTORS * WIDTH) {
        vector sums[VECTORS];

        sum_part(&local, step, x, sums);
        UNROLLED
        for (int i = 0; i < VECTORS; i++) {
            if (adds)
                sums[i] += at(out + x + WIDTH * i);
            *(vector *)(out + x + WIDTH * i) = sums[i];
        }
    }
}

static void sum_line(const struct array_line *line, int64_t n, double *out)
{
    for (int i = 0; i < line->count; i++)
        add_part(&line->parts[i], line->step, i > 0, n, out);
}

#endif
