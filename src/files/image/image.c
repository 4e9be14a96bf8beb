/* SPDX-License-Identifier: MIT */
#include "src/files/image/image.h"

#include "kernels/common/numbers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((int64_t)1 << 21)
/* Images of this size or more get huge pages: rounding up to whole huge pages enlarges them by less
 * than a quarter. */
#define HUGE_FROM_BYTES (4 * HUGE_PAGE_BYTES)

int32_t sample_bytes_of(uint32_t maxval)
{
    if (maxval == FLOAT_SAMPLES)
        return 4;
    return maxval > 255 ? 2 : 1;
}

int64_t pixel_bytes(const struct shape *shape)
{
    return (int64_t)shape->channels * sample_bytes_of(shape->maxval);
}

struct layout {
    int64_t stride_bytes; /* bytes from a row to the next; a multiple of ROW_ALIGNMENT */
    int64_t total_bytes;  /* of all rows */
    int64_t alignment;    /* of the rows' memory: HUGE_PAGE_BYTES for a large image */
};

/* Computes the layout. If the stride were a multiple of 512 bytes, the rows would share few sets of
 * the L1 cache and evict each other from it: smoothing with a halo of 64 would take 1.3 times as
 * long. Returns false if the size overflows. */
static bool lay_out(const struct shape *shape, struct layout *layout)
{
    int64_t row;

    if (__builtin_mul_overflow(shape->width, pixel_bytes(shape), &row) ||
        row > PTRDIFF_MAX - 2 * ROW_ALIGNMENT)
        return false;
    layout->stride_bytes = round_up(row, ROW_ALIGNMENT);
    if (layout->stride_bytes >= 1024 && layout->stride_bytes % 512 == 0)
        layout->stride_bytes += ROW_ALIGNMENT;
    if (__builtin_mul_overflow(shape->height, layout->stride_bytes, &layout->total_bytes))
        return false;
    layout->alignment = layout->total_bytes >= HUGE_FROM_BYTES ? HUGE_PAGE_BYTES : ROW_ALIGNMENT;
    return layout->total_bytes <= PTRDIFF_MAX - HUGE_PAGE_BYTES;
}

void image_describe(struct image *image, const struct shape *shape)
{
    *image = (struct image){
        .maxval = shape->maxval,
        .format = FORMAT_PGM,
        .view = {.width = shape->width,
                 .height = shape->height,
                 .channels = shape->channels,
                 .sample_bytes = sample_bytes_of(shape->maxval)},
    };
}

void image_copy_kind(struct image *image, const struct image *from)
{
    image->format = from->format;
    memcpy(image->tuple_type, from->tuple_type, sizeof image->tuple_type);
    image->metadata = from->metadata;
    image->light = from->light;
    image->mask = from->mask;
    image->changes = from->changes;
}

int64_t image_needs(const struct shape *shape)
{
    struct layout layout;

    return lay_out(shape, &layout) ? round_up(layout.total_bytes, layout.alignment) : INT64_MAX;
}

void image_place(struct image *image, const struct shape *shape, void *memory)
{
    struct layout layout = {0};

    lay_out(shape, &layout);
    image_describe(image, shape);
    image->view.origin = memory;
    image->view.stride_bytes = layout.stride_bytes;
}

enum status image_alloc(struct image *image, const struct shape *shape, struct error *error)
{
    const long long width = shape->width, height = shape->height;
    struct layout layout;
    size_t bytes;
    void *memory;

    memset(image, 0, sizeof *image);
    if (!lay_out(shape, &layout))
        return fail(error, STATUS_NO_MEMORY,
                    "%lld x %lld pixels of %d channels do not fit in this machine's address space",
                    width, height, (int)shape->channels);
    bytes = (size_t)round_up(layout.total_bytes, layout.alignment);
    memory = aligned_alloc((size_t)layout.alignment, bytes);
    if (!memory)
        return fail(error, STATUS_NO_MEMORY,
                    "no memory for %lld x %lld pixels of %d channels: %lld bytes are needed", width,
                    height, (int)shape->channels, (long long)layout.total_bytes);
    /* With pages of 4 KiB the page faults take half of the time of the first pass over a large
     * image. madvise only gives the kernel a hint: if it fails, the image is only slower. */
    if (layout.alignment == HUGE_PAGE_BYTES)
        madvise(memory, bytes, MADV_HUGEPAGE);
    image_place(image, shape, memory);
    image->memory = memory;
    image->memory_bytes = (size_t)layout.total_bytes;
    return STATUS_OK;
}

void image_free(struct image *image)
{
    free(image->memory);
    memset(image, 0, sizeof *image);
}

struct shape image_shape(const struct image *image)
{
    return (struct shape){
        .width = image->view.width,
        .height = image->view.height,
        .channels = image->view.channels,
        .maxval = image->maxval,
    };
}

static bool has_type(const struct image *image, const char *type, int32_t channels)
{
    return strcmp(image->tuple_type, type) == 0 && image->view.channels == channels;
}

bool image_has_alpha(const struct image *image)
{
    if (image->mask)
        return false;
    if (image->format == FORMAT_PNG)
        return image->view.channels == 2 || image->view.channels == 4;
    return (image->format == FORMAT_PAM || image->format == FORMAT_TIFF) &&
           (has_type(image, TUPLE_GREY_ALPHA, 2) || has_type(image, TUPLE_RGB_ALPHA, 4) ||
            has_type(image, "BLACKANDWHITE_ALPHA", 2));
}

bool image_has_associated_alpha(const struct image *image)
{
    return image->format == FORMAT_TIFF &&
           (has_type(image, TUPLE_GREY_ASSOCIATED, 2) || has_type(image, TUPLE_RGB_ASSOCIATED, 4));
}

void *image_row(const struct image *image, int64_t y)
{
    return (char *)image->view.origin + y * image->view.stride_bytes;
}

size_t image_row_bytes(const struct image *image)
{
    return (size_t)(image->view.width * image->view.channels * image->view.sample_bytes);
}

size_t image_bytes(const struct image *image)
{
    return image_row_bytes(image) * (size_t)image->view.height;
}
