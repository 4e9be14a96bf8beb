// SPDX-License-Identifier: MIT
// Images in parts, for kernels that cut large ones.
#ifndef SMOOTHIMG_LIMITS_PARTS_H
#define SMOOTHIMG_LIMITS_PARTS_H

extern "C" {
#include "src/bench/run/plane.h"
#include "tests/bounds/trial.h"
}

#include <cstdio>
#include <cstdlib>

inline struct plane_filter gaussian(int halo_x, int halo_y)
{
    const struct filter filter = {{halo_x, 0}, {halo_y, 0}, NORM_SUM, EDGE_ZERO};
    struct plane_filter weights;
    struct error error;

    if (plane_filter_make(&filter, &weights, &error) != STATUS_OK)
        exit(99);
    return weights;
}

// Weights for the mean of a row and, at half its weight each, of the two rows `FAR` above and below
// it: a half, or less by 2^-45, if these have one sample and it has the next one. The rows between
// them have a weight of 0.
constexpr int FAR = 126;

inline struct plane_filter of_far_rows()
{
    struct plane_filter weights = {};

    weights.halo_x = 3;
    weights.halo_y = FAR + 1;
    weights.x[weights.halo_x] = (uint64_t)1 << WEIGHT_BITS;
    weights.y[weights.halo_y] = (uint64_t)1 << (WEIGHT_BITS - 1);
    weights.y[1] = weights.y[2 * FAR + 1] = weights.y[weights.halo_y] / 2 + 1;
    weights.y[weights.halo_y] -= 2;
    return weights;
}

inline uint64_t hash_of(int64_t x, int64_t y)
{
    return trial_hash((uint64_t)(y * 100003 + x));
}

// Rows that are FAR apart alternate between 0 and 1.
inline int alternating(int64_t y)
{
    return (int)((y + 4 * FAR) / FAR & 1);
}

// Sets sample x of each row y, of the border too, to fill(x, y).
template <typename T, class Fill> void paint(const struct trial &trial, Fill fill)
{
    const view &src = trial.request.src;
    const int64_t border = trial.request.halo;

    for (int64_t y = -border; y < src.height + border; y++) {
        T *row = reinterpret_cast<T *>(static_cast<char *>(src.origin) + y * src.stride_bytes);

        for (int64_t x = -border * src.channels; x < (src.width + border) * src.channels; x++)
            row[x] = fill(x, y);
    }
}

// True if the subject's result is the reference's, and the image has more than one part.
inline bool right_in_parts(struct trial &trial, const subject &subject, int64_t parts,
                           const char *what)
{
    const view &src = trial.request.src;
    const int64_t different = trial_run(&trial, &subject);

    printf("%s: %d x %d of %d channels in %d parts: %d samples differ\n", what, (int)src.width,
           (int)src.height, (int)src.channels, (int)parts, (int)different);
    return different == 0 && parts > 1;
}

#endif
