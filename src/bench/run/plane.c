/* SPDX-License-Identifier: MIT */
#include "src/bench/run/plane.h"

#include "kernels/common/arrays.h"
#include "kernels/common/exact.h"
#include "kernels/common/numbers.h"

/* Fills weights[0 .. 2 halo] in units of 2^-46; weights[halo] is the weight of the centre. */
static enum status gauss_table(const struct filter_axis *axis, enum norm norm, uint64_t *weights,
                               struct error *error)
{
    struct array_weight side[MAX_HALO + 1];
    const enum status status = gauss_weights(axis, 0, 1, norm, WEIGHT_BITS, side, error);

    if (status == STATUS_OK)
        gauss_mirror(side, axis->halo, weights);
    return status;
}

enum status plane_filter_make(const struct filter *filter, struct plane_filter *weights,
                              struct error *error)
{
    const enum status status = gauss_table(&filter->x, filter->norm, weights->x, error);

    weights->halo_x = filter->x.halo;
    weights->halo_y = filter->y.halo;
    weights->edge = filter->edge;
    return status == STATUS_OK ? gauss_table(&filter->y, filter->norm, weights->y, error) : status;
}

void request_set_filter(struct request *request, const struct plane_filter *weights)
{
    request->halo_x = weights->halo_x;
    request->halo_y = weights->halo_y;
    request->halo = max(weights->halo_x, weights->halo_y);
    request->edge = (int)weights->edge;
    request->weights_x = weights->x;
    request->weights_y = weights->y;
}

struct request request_of(enum op op, const struct plane_filter *filter, uint32_t maxval,
                          struct view src, struct view dst)
{
    struct request request = {.src = src, .dst = dst, .maxval = maxval, .threads = 1};

    if (op == OP_SMOOTH && filter)
        request_set_filter(&request, filter);
    return request;
}

struct beside request_reach(const struct request *request)
{
    return (struct beside){request->halo_x, request->halo_x, request->halo_y, request->halo_y};
}
