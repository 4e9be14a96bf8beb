/* SPDX-License-Identifier: MIT */
#include "src/lib/filter/request.h"

struct request request_of(enum op op, const struct plane_filter *filter, uint32_t maxval,
                          struct view src, struct view dst)
{
    struct request request = {.src = src, .dst = dst, .maxval = maxval, .threads = 1};

    if (op == OP_SMOOTH && filter)
        request_set_filter(&request, filter);
    return request;
}
