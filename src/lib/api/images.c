/* SPDX-License-Identifier: MIT */
#include "src/lib/api/images.h"

#include "src/lib/api/range.h"

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

static enum status check_members(const char *name, const struct smoothimg_image *image,
                                 struct error *error)
{
    const struct range ranges[] = {{"type", (int)image->type, 0, SMOOTHIMG_F32,
                                    "SMOOTHIMG_U8, SMOOTHIMG_U16 or SMOOTHIMG_F32"},
                                   {"memory", (int)image->memory, 0, SMOOTHIMG_CUDA, MEMORY_WORDS},
                                   {"width", image->width, 1, INT64_MAX, NULL},
                                   {"height", image->height, 1, INT64_MAX, NULL},
                                   {"channels", image->channels, 1, INT64_MAX, NULL},
                                   {"count", image->count, 0, INT64_MAX, NULL},
                                   {"border", image->border, 0, BORDER_LIMIT, NULL}};
    const enum status status = check_ranges(name, ranges, sizeof ranges / sizeof *ranges, error);

    if (status != STATUS_OK)
        return status;
    return check_ranges(name,
                        &(struct range){"maxval", image->maxval, 0, type_maxval(image->type), NULL},
                        1, error);
}

/* Where the samples are. */
static enum status check_data(const char *name, const struct smoothimg_image *image,
                              struct error *error)
{
    if (!image->data)
        return fail(error, STATUS_INVALID, "%s: data is NULL", name);
    if ((uintptr_t)image->data % (uintptr_t)sample_bytes(image) != 0)
        return fail(error, STATUS_INVALID,
                    "%s: data is %p; the address has to be a multiple of %lld, the bytes of a "
                    "sample",
                    name, image->data, (long long)sample_bytes(image));
    return STATUS_OK;
}

static enum status fail_too_large(const char *name, const struct smoothimg_image *image,
                                  struct error *error)
{
    return fail(error, STATUS_INVALID,
                "%s: %lld images of %lld x %lld pixels, %d channels, a border of %lld, a pitch of "
                "%lld bytes and a stride of %lld do not fit in the address space",
                name, (long long)image->count, (long long)image->width, (long long)image->height,
                (int)image->channels, (long long)image->border, (long long)image->pitch,
                (long long)image->stride);
}

/* Sets the pitch and the stride, and checks that all images fit in the address space. */
static enum status complete_layout(const char *name, struct smoothimg_image *full,
                                   struct error *error)
{
    int64_t row, with_border, one, all;

    if (!multiply_add(full->width, pixel_bytes(full), 0, &row) ||
        !multiply_add(full->border, pixel_bytes(full), row, &with_border))
        return fail_too_large(name, full, error);
    if (full->pitch == 0)
        full->pitch = row;
    if (full->pitch < with_border || full->pitch % sample_bytes(full) != 0)
        return fail(error, STATUS_INVALID,
                    "%s: pitch is %lld; it has to be a multiple of %lld, and at least %lld", name,
                    (long long)full->pitch, (long long)sample_bytes(full), (long long)with_border);
    if (!multiply_add(full->pitch, full->height - 1, row, &one))
        return fail_too_large(name, full, error);
    if (full->stride == 0 && !multiply_add(full->pitch, full->height, 0, &full->stride))
        full->stride = one; /* of one image, which is all that can be there */
    if (full->count > 1 && (full->stride < one || full->stride % sample_bytes(full) != 0))
        return fail(error, STATUS_INVALID,
                    "%s: stride is %lld; it has to be a multiple of %lld, and at least %lld", name,
                    (long long)full->stride, (long long)sample_bytes(full), (long long)one);
    if (!multiply_add(full->stride, full->count - 1, one, &all) ||
        !multiply_add(full->pitch, 2 * full->border, all, &all) ||
        !multiply_add(pixel_bytes(full), 2 * full->border, all, &all) || all > MOST_BYTES)
        return fail_too_large(name, full, error);
    return STATUS_OK;
}

enum status complete_image(const char *name, const struct smoothimg_image *image, bool with_data,
                           struct smoothimg_image *full, struct error *error)
{
    enum status status = check_members(name, image, error);

    if (status != STATUS_OK)
        return status;
    *full = *image;
    if (full->count == 0)
        full->count = 1;
    if (full->maxval == 0)
        full->maxval = type_maxval(full->type);
    if (with_data)
        status = check_data(name, full, error);
    return status == STATUS_OK ? complete_layout(name, full, error) : status;
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

/* Complete images. turned: the width of one is the height of the other. */
static enum status check_fit(bool turned, const struct smoothimg_image *src,
                             const struct smoothimg_image *dst, struct error *error)
{
    const struct {
        const char *of_dst, *of_src;
        int64_t value, wanted;
    } members[] = {
        {"width", turned ? "height" : "width", dst->width, turned ? src->height : src->width},
        {"height", turned ? "width" : "height", dst->height, turned ? src->width : src->height},
        {"channels", "channels", dst->channels, src->channels},
        {"count", "count", dst->count, src->count},
        {"type", "type", (int)dst->type, (int)src->type},
        {"maxval", "maxval", dst->maxval, src->maxval},
        {"memory", "memory", (int)dst->memory, (int)src->memory},
    };

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].value != members[i].wanted)
            return fail(error, STATUS_INVALID, "dst: %s is %lld; it has to be %lld, the %s of src",
                        members[i].of_dst, (long long)members[i].value,
                        (long long)members[i].wanted, members[i].of_src);
    return STATUS_OK;
}

enum status complete_pair(enum op op, struct smoothimg_image *src, struct smoothimg_image *dst,
                          struct error *error)
{
    enum status status = complete_image("src", src, true, src, error);

    if (status == STATUS_OK)
        status = complete_image("dst", dst, true, dst, error);
    if (status == STATUS_OK)
        status = check_fit(op == OP_TRANSPOSE, src, dst, error);
    if (status != STATUS_OK)
        return status;
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
