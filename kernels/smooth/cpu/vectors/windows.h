/* SPDX-License-Identifier: MIT */
/* Sums along a row of one channel, in doubles. A file that includes this one includes doubles.h,
 * and defines PLUS_PRODUCT(SUM, TAP, VECTOR), which is SUM + TAP * VECTOR, rounded once or twice.
 *
 * A block of SLID vectors of sums needs, at each distance, SLID vectors of samples on the left and
 * SLID on the right. Here the SLID vectors on one side are called a window. The window at distance
 * d + WIDTH is the window at distance d, moved outwards by one vector. The window at distance WIDTH
 * - r on one side is the window at distance r on the other side, moved by one vector. So a distance
 * takes two loads instead of 2 SLID loads, most of which would cross cache lines. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_WINDOWS_H
#define SMOOTHIMG_SMOOTH_VECTORS_WINDOWS_H

#if VECTOR_BYTES > 16 /* vectors of 16 bytes have only 2 doubles, so that windows share little */
#define SLID (VECTOR_REGISTERS == 32 ? 4 : 2)

INLINED void window_load(vector window[SLID], const double *line)
{
    UNROLLED
    for (int i = 0; i < SLID; i++)
        window[i] = at(line + WIDTH * i);
}

/* These two move a window by one vector, up or down in memory. They keep the vectors that both
 * positions share, and load one. `line` is where the window begins after the move. */
INLINED void window_slide_up(vector window[SLID], const double *line)
{
    UNROLLED
    for (int i = 0; i < SLID - 1; i++)
        window[i] = window[i + 1];
    window[SLID - 1] = at(line + WIDTH * (SLID - 1));
}

INLINED void window_slide_down(vector window[SLID], const double *line)
{
    UNROLLED
    for (int i = SLID - 1; i > 0; i--)
        window[i] = window[i - 1];
    window[0] = at(line);
}

/* Adds one distance's products to the sums. If `odd` is true, the tap on the left is the negative
 * of the tap on the right; else both are equal. */
INLINED void add_windows(double tap, const vector right[SLID], const vector left[SLID], bool odd,
                         vector sums[SLID])
{
    UNROLLED
    for (int i = 0; i < SLID; i++)
        sums[i] = PLUS_PRODUCT(sums[i], tap, odd ? right[i] - left[i] : right[i] + left[i]);
}

/* Adds the products with the taps at distances first, first + WIDTH, ..., up to halo, to `sums`.
 * first: WIDTH / 2 or WIDTH. */
INLINED void add_distances(const double *centre, const double *taps, int64_t halo, int64_t first,
                           bool odd, vector sums[SLID])
{
    vector up[SLID], down[SLID];

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
                               bool odd, vector sums[SLID])
{
    vector right_up[SLID], right_down[SLID], left_up[SLID], left_down[SLID];
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

/* Computes SLID vectors of sums; the first sum is centred at *centre. `halo` is at least WIDTH /
 * 2. */
INLINED void sum_windows(const double *centre, const double *taps, int64_t halo, bool odd,
                         vector sums[SLID])
{
    UNROLLED
    for (int i = 0; i < SLID; i++)
        sums[i] = taps[0] * at(centre + WIDTH * i);
    UNROLLED
    for (int64_t r = 1; r < WIDTH / 2; r++)
        add_two_distances(centre, taps, halo, r, odd, sums);
    add_distances(centre, taps, halo, WIDTH / 2, odd, sums);
    add_distances(centre, taps, halo, WIDTH, odd, sums);
}
#endif

#endif
