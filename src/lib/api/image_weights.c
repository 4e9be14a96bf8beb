/* SPDX-License-Identifier: MIT */
#include "src/lib/api/image_weights.h"

#include <stdlib.h>

/* What a smooth would have to be for images; NULL: it may be one of these. */
static const char *obstacle_of(const struct smoothing *smoothing)
{
    if (smoothing->axes < 1 || smoothing->axes > IMAGE_AXES)
        return "one or two axes are smoothed";
    if (smoothing->axes == IMAGE_AXES && smoothing->edge[0] != smoothing->edge[1])
        return "both axes have the same edge rule";
    return smoothing->outside ? "the constant outside is 0" : NULL;
}

static bool are_even(const struct smoothing *smoothing, const struct array_weight *const *side)
{
    const int64_t halo = smoothing->halo[0];
    bool even = halo == smoothing->halo[1];

    for (int64_t k = 0; k <= halo && even; k++)
        even = u128_low(side[0][k].magnitude) == u128_low(side[1][k].magnitude);
    return even;
}

static void fill(const struct smoothing *smoothing, const struct array_weight *const *side,
                 struct plane_filter *plane)
{
    plane->halo_y = smoothing->halo[0];
    plane->halo_x = smoothing->halo[1];
    plane->edge = smoothing->edge[0];
    plane->skip_nan = smoothing->skip_nan;
    plane->even = are_even(smoothing, side);
    gauss_mirror(side[1], plane->halo_x, plane->x);
    if (!plane->even)
        gauss_mirror(side[0], plane->halo_y, plane->y);
}

enum status image_weights_make(const struct smoothing *smoothing,
                               const struct array_weight *const *side, struct image_weights **made,
                               const char **obstacle, struct error *error)
{
    *made = NULL;
    *obstacle = obstacle_of(smoothing);
    if (*obstacle)
        return STATUS_OK;
    *made = malloc(sizeof **made);
    if (!*made)
        return fail(error, STATUS_NO_MEMORY, "no memory for a filter");
    (*made)->smoothing = *smoothing;
    fill(smoothing, side, &(*made)->plane);
    return STATUS_OK;
}

struct request image_weights_request(const struct image_weights *weights, bool turned)
{
    struct request asked = {.weighted = weights->smoothing.weighted, .threads = 1};

    request_set_filter(&asked, &weights->plane);
    asked.skip_nan = weights->smoothing.skip_nan;
    if (turned) {
        const uint64_t *along = asked.weights_x;
        const int64_t halo = asked.halo_x;

        asked.weights_x = asked.weights_y;
        asked.halo_x = asked.halo_y;
        asked.weights_y = along;
        asked.halo_y = halo;
    }
    return asked;
}
