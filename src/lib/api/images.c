/* SPDX-License-Identifier: MIT */
#include "src/lib/api/images.h"

#include <stdint.h>

int64_t view_pixel_bytes(const struct view *view)
{
    return (int64_t)view->channels * view->sample_bytes;
}

static int64_t row_bytes(const struct view *view)
{
    return view->width * view_pixel_bytes(view);
}

void images_set_type(int32_t sample_bytes, uint32_t maxval, struct request *request)
{
    const uint32_t greatest = sample_bytes == 4   ? FLOAT_SAMPLES
                              : sample_bytes == 2 ? UINT16_MAX
                                                  : UINT8_MAX;

    request->src.sample_bytes = request->dst.sample_bytes = sample_bytes;
    request->maxval = maxval > 0 ? maxval : greatest;
}

/* Returns the bytes from an image's first sample to the end of its last row. */
static int64_t image_bytes(const struct view *view)
{
    return view->stride_bytes * (view->height - 1) + row_bytes(view);
}

void images_take_stack(struct dims *outer, struct request *request)
{
    const struct dim *axis = outer->dim;

    request->images = 1;
    request->src_apart = image_bytes(&request->src);
    request->dst_apart = image_bytes(&request->dst);
    if (outer->count == 0 || axis->src < request->src_apart || axis->dst < request->dst_apart)
        return;
    request->images = axis->extent;
    request->src_apart = axis->src;
    request->dst_apart = axis->dst;
    dims_drop(outer, 0);
}

bool images_overlap(const struct request *request)
{
    const struct view *src = &request->src, *dst = &request->dst;
    const uintptr_t from = (uintptr_t)src->origin, to = (uintptr_t)dst->origin;
    const uintptr_t pitch = (uintptr_t)src->stride_bytes;
    int64_t apart;

    if (src->stride_bytes != dst->stride_bytes ||
        (request->images > 1 && ((uintptr_t)request->src_apart % pitch != 0 ||
                                 (uintptr_t)request->dst_apart % pitch != 0)))
        return true;
    apart = (int64_t)(to >= from ? (to - from) % pitch : pitch - (from - to) % pitch);
    return apart < row_bytes(src) || apart + row_bytes(dst) > src->stride_bytes;
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
