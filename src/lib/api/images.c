/* SPDX-License-Identifier: MIT */
#include "src/lib/api/images.h"

#include <stdint.h>

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

/* What an image reaches over. */
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

/* The first byte of the first image, and the byte after the last one, with what is beside them. */
struct span {
    uintptr_t first, end;
};

static struct span span_of(const struct view *view, const struct beside *beside, int64_t further)
{
    const uintptr_t origin = (uintptr_t)view->origin;
    const int64_t pixel = view_pixel_bytes(view), pitch = view->stride_bytes;

    return (struct span){origin - (uintptr_t)(beside->above * pitch + beside->left * pixel),
                         origin + (uintptr_t)(further + pitch * (view->height - 1 + beside->below) +
                                              row_bytes(view) + beside->right * pixel)};
}

/* Images that lie side by side in rows of one pitch do not, though each begins before the other one
 * ends. */
bool images_overlap(const struct request *request)
{
    static const struct beside nothing;
    const struct view *src = &request->src, *dst = &request->dst;
    const struct beside *beside = &request->beside;
    const int64_t last = request->images - 1, pitch = src->stride_bytes;
    const struct span from = span_of(src, beside, last * request->src_apart);
    const struct span to = span_of(dst, &nothing, last * request->dst_apart);
    int64_t apart;

    if (from.end <= to.first || to.end <= from.first)
        return false;
    if ((beside->left | beside->right | beside->above | beside->below) != 0 ||
        pitch != dst->stride_bytes ||
        (last > 0 && (request->src_apart % pitch != 0 || request->dst_apart % pitch != 0)))
        return true;
    apart = (int64_t)(to.first >= from.first
                          ? (to.first - from.first) % (uintptr_t)pitch
                          : (uintptr_t)pitch - (from.first - to.first) % (uintptr_t)pitch);
    return apart < row_bytes(src) || apart + row_bytes(dst) > pitch;
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
