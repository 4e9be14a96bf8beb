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

struct request request_rows(const struct request *all, int64_t first, int64_t last)
{
    const int64_t after = all->src.height - last;
    struct request rows = *all;

    rows.src.origin = (char *)all->src.origin + first * all->src.stride_bytes;
    rows.dst.origin = (char *)all->dst.origin + first * all->dst.stride_bytes;
    rows.src.height -= first + after;
    rows.dst.height -= first + after;
    rows.beside.above += first;
    rows.beside.below += after;
    rows.images = 1;
    rows.src_apart = rows.dst_apart = 0;
    return rows;
}
