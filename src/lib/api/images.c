/* SPDX-License-Identifier: MIT */
#include "src/lib/api/images.h"

#include <stdint.h>

#define BORDER_LIMIT (1 << 20) /* pixels: far more than is ever read */

static int64_t sample_bytes(const struct smoothimg_image *image)
{
    return image->type == SMOOTHIMG_F32 ? 4 : image->type == SMOOTHIMG_U8 ? 1 : 2;
}

static int64_t pixel_bytes(const struct smoothimg_image *image)
{
    return image->channels * sample_bytes(image);
}

/* Of a complete image. */
static int64_t row_bytes(const struct smoothimg_image *image)
{
    return image->width * pixel_bytes(image);
}

/* a x b + c; false if that does not fit. All are 0 or more. */
static bool multiply_add(int64_t a, int64_t b, int64_t c, int64_t *result)
{
    return !__builtin_mul_overflow(a, b, result) && !__builtin_add_overflow(*result, c, result);
}

uint32_t type_maxval(enum smoothimg_type type)
{
    static const uint32_t maxvals[] = {
        [SMOOTHIMG_U8] = UINT8_MAX, [SMOOTHIMG_U16] = UINT16_MAX, [SMOOTHIMG_F32] = FLOAT_SAMPLES};

    return maxvals[type];
}

static enum status check_kind(const char *name, const struct smoothimg_image *image,
                              struct error *error)
{
    if ((unsigned)image->type > SMOOTHIMG_F32)
        return fail(error, STATUS_INVALID, "%s: there is no sample type %d", name,
                    (int)image->type);
    if ((unsigned)image->memory > SMOOTHIMG_CUDA)
        return fail(error, STATUS_INVALID, "%s: there is no memory %d", name, (int)image->memory);
    if (image->maxval > type_maxval(image->type))
        return fail(error, STATUS_INVALID, "%s: maxval %u; samples of this type end at %u", name,
                    (unsigned)image->maxval, (unsigned)type_maxval(image->type));
    if (image->width < 1 || image->height < 1 || image->channels < 1 || image->count < 0 ||
        image->border < 0 || image->border > BORDER_LIMIT)
        return fail(error, STATUS_INVALID,
                    "%s: %lld x %lld pixels, %d channels, %lld images, a border of %lld: one of "
                    "these is out of range",
                    name, (long long)image->width, (long long)image->height, (int)image->channels,
                    (long long)image->count, (long long)image->border);
    return STATUS_OK;
}

/* Sets the pitch and the stride, and checks that all images fit in the address space. */
static enum status complete_layout(const char *name, struct smoothimg_image *full,
                                   struct error *error)
{
    int64_t row, with_border, one, all;

    if (!multiply_add(full->width, pixel_bytes(full), 0, &row) ||
        !multiply_add(full->border, pixel_bytes(full), row, &with_border))
        return fail(error, STATUS_INVALID, "%s: a row does not fit in the address space", name);
    if (full->pitch == 0)
        full->pitch = row;
    if (full->pitch < with_border || full->pitch % sample_bytes(full) != 0)
        return fail(error, STATUS_INVALID,
                    "%s: a pitch of %lld bytes; it has to be a multiple of %lld, and at least %lld",
                    name, (long long)full->pitch, (long long)sample_bytes(full),
                    (long long)with_border);
    if (!multiply_add(full->pitch, full->height - 1, row, &one))
        return fail(error, STATUS_INVALID, "%s: it does not fit in the address space", name);
    if (full->stride == 0 && !multiply_add(full->pitch, full->height, 0, &full->stride))
        full->stride = one; /* of one image, which is all that can be there */
    if (full->count > 1 && (full->stride < one || full->stride % sample_bytes(full) != 0))
        return fail(error, STATUS_INVALID,
                    "%s: a stride of %lld bytes; it has to be a multiple of %lld, and at least "
                    "%lld",
                    name, (long long)full->stride, (long long)sample_bytes(full), (long long)one);
    if (!multiply_add(full->stride, full->count - 1, one, &all) ||
        !multiply_add(full->pitch, 2 * full->border, all, &all) ||
        !multiply_add(pixel_bytes(full), 2 * full->border, all, &all) || all > PTRDIFF_MAX)
        return fail(error, STATUS_INVALID, "%s: it does not fit in the address space", name);
    return STATUS_OK;
}

enum status complete_image(const char *name, const struct smoothimg_image *image, bool with_data,
                           struct smoothimg_image *full, struct error *error)
{
    enum status status = check_kind(name, image, error);

    if (status != STATUS_OK)
        return status;
    *full = *image;
    if (full->count == 0)
        full->count = 1;
    if (full->maxval == 0)
        full->maxval = type_maxval(full->type);
    if (with_data && (!full->data || (uintptr_t)full->data % (uintptr_t)sample_bytes(full) != 0))
        return fail(error, STATUS_INVALID, "%s: data is NULL, or not aligned for its samples",
                    name);
    return complete_layout(name, full, error);
}

/* First byte of the first image, and the byte after the last one, with a border. */
static void reach(const struct smoothimg_image *image, int64_t border, uintptr_t *first,
                  uintptr_t *end)
{
    const int64_t beside = border * image->pitch + border * pixel_bytes(image);

    *first = (uintptr_t)image->data - (uintptr_t)beside;
    *end = (uintptr_t)image->data +
           (uintptr_t)(image->stride * (image->count - 1) + image->pitch * (image->height - 1) +
                       row_bytes(image) + beside);
}

/* Do rows of both images share a byte? Images that lie side by side in rows of one pitch do not,
 * though each begins before the other one ends. */
static bool overlap(const struct smoothimg_image *src, const struct smoothimg_image *dst)
{
    uintptr_t src_first, src_end, dst_first, dst_end, from_src;

    reach(src, src->border, &src_first, &src_end);
    reach(dst, 0, &dst_first, &dst_end);
    if (src_end <= dst_first || dst_end <= src_first)
        return false;
    if (src->border > 0 || src->pitch != dst->pitch ||
        (src->count > 1 && (src->stride % src->pitch != 0 || dst->stride % src->pitch != 0)))
        return true;
    from_src = dst_first >= src_first
                   ? (dst_first - src_first) % (uintptr_t)src->pitch
                   : (uintptr_t)src->pitch - (src_first - dst_first) % (uintptr_t)src->pitch;
    return from_src < (uintptr_t)row_bytes(src) ||
           from_src + (uintptr_t)row_bytes(dst) > (uintptr_t)src->pitch;
}

enum status complete_pair(enum op op, struct smoothimg_image *src, struct smoothimg_image *dst,
                          struct error *error)
{
    const bool turned = op == OP_TRANSPOSE;
    enum status status = complete_image("src", src, true, src, error);

    if (status == STATUS_OK)
        status = complete_image("dst", dst, true, dst, error);
    if (status != STATUS_OK)
        return status;
    if (dst->width != (turned ? src->height : src->width) ||
        dst->height != (turned ? src->width : src->height) || dst->channels != src->channels ||
        dst->count != src->count)
        return fail(error, STATUS_INVALID,
                    "src is %lld of %lld x %lld pixels, %d channels; dst is %lld of %lld x %lld, "
                    "%d: they do not fit together",
                    (long long)src->count, (long long)src->width, (long long)src->height,
                    (int)src->channels, (long long)dst->count, (long long)dst->width,
                    (long long)dst->height, (int)dst->channels);
    if (dst->type != src->type || dst->maxval != src->maxval || dst->memory != src->memory)
        return fail(error, STATUS_INVALID, "src and dst have different types, maxvals or memories");
    if (overlap(src, dst))
        return fail(error, STATUS_INVALID, "src and dst overlap");
    return STATUS_OK;
}

struct view image_view(const struct smoothimg_image *image, int64_t i, int64_t first, int64_t last)
{
    return (struct view){.origin = (char *)image->data + i * image->stride + first * image->pitch,
                         .width = image->width,
                         .height = last - first,
                         .stride_bytes = image->pitch,
                         .channels = image->channels,
                         .sample_bytes = (int32_t)sample_bytes(image)};
}
