/* SPDX-License-Identifier: MIT */
#include "src/lib/api/images.h"

#include <stdint.h>

static int64_t sample_bytes(const struct images *image)
{
    return image->type == SMOOTHIMG_F32 ? 4 : image->type == SMOOTHIMG_U8 ? 1 : 2;
}

static int64_t pixel_bytes(const struct images *image)
{
    return image->channels * sample_bytes(image);
}

/* Of a complete image. */
static int64_t row_bytes(const struct images *image)
{
    return image->width * pixel_bytes(image);
}

uint32_t type_maxval(enum smoothimg_type type)
{
    static const uint32_t maxvals[] = {
        [SMOOTHIMG_U8] = UINT8_MAX, [SMOOTHIMG_U16] = UINT16_MAX, [SMOOTHIMG_F32] = FLOAT_SAMPLES};

    return maxvals[type];
}

/* What an image reaches over. */
static int64_t image_bytes(const struct images *image)
{
    return image->pitch * (image->height - 1) + row_bytes(image);
}

void images_take_stack(struct dims *outer, struct images *src, struct images *dst)
{
    const struct dim *axis = outer->dim;

    src->count = dst->count = 1;
    src->stride = image_bytes(src);
    dst->stride = image_bytes(dst);
    if (outer->count == 0 || axis->src < src->stride || axis->dst < dst->stride)
        return;
    src->count = dst->count = axis->extent;
    src->stride = axis->src;
    dst->stride = axis->dst;
    dims_drop(outer, 0);
}

/* First byte of the first image, and the byte after the last one, with what is beside them. */
static void reach(const struct images *image, uintptr_t *first, uintptr_t *end)
{
    const struct beside *beside = &image->beside;

    *first = (uintptr_t)image->data -
             (uintptr_t)(beside->above * image->pitch + beside->left * pixel_bytes(image));
    *end =
        (uintptr_t)image->data + (uintptr_t)(image->stride * (image->count - 1) +
                                             image->pitch * (image->height - 1 + beside->below) +
                                             row_bytes(image) + beside->right * pixel_bytes(image));
}

/* Is there more than the images themselves? */
static bool is_part(const struct images *images)
{
    const struct beside *beside = &images->beside;

    return (beside->left | beside->right | beside->above | beside->below) != 0;
}

/* Images that lie side by side in rows of one pitch do not, though each begins before the other one
 * ends. */
bool images_overlap(const struct images *src, const struct images *dst)
{
    uintptr_t src_first, src_end, dst_first, dst_end, from_src;

    reach(src, &src_first, &src_end);
    reach(dst, &dst_first, &dst_end);
    if (src_end <= dst_first || dst_end <= src_first)
        return false;
    if (is_part(src) || src->pitch != dst->pitch ||
        (src->count > 1 && (src->stride % src->pitch != 0 || dst->stride % src->pitch != 0)))
        return true;
    from_src = dst_first >= src_first
                   ? (dst_first - src_first) % (uintptr_t)src->pitch
                   : (uintptr_t)src->pitch - (src_first - dst_first) % (uintptr_t)src->pitch;
    return from_src < (uintptr_t)row_bytes(src) ||
           from_src + (uintptr_t)row_bytes(dst) > (uintptr_t)src->pitch;
}

struct view image_view(const struct images *image, int64_t i, int64_t first, int64_t last)
{
    return (struct view){.origin = (char *)image->data + i * image->stride + first * image->pitch,
                         .width = image->width,
                         .height = last - first,
                         .stride_bytes = image->pitch,
                         .channels = image->channels,
                         .sample_bytes = (int32_t)sample_bytes(image)};
}
