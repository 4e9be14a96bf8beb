/* SPDX-License-Identifier: MIT */
#include "src/files/image/image.h"
#include "src/files/light/light.h"

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

/* If the stride were a multiple of 512 bytes, the rows would share few sets of the L1 cache and
 * evict each other from it: smoothing with a halo of 64 would take 1.3 times as long. */
int64_t image_lay_out(struct image *image, const struct shape *shape)
{
    struct view *view = &image->view;
    int64_t row, total;

    *image = (struct image){.maxval = shape->maxval, .format = FORMAT_PGM};
    *view = (struct view){.width = shape->width,
                          .height = shape->height,
                          .channels = shape->channels,
                          .sample_bytes = sample_bytes_of(shape->maxval)};
    if (__builtin_mul_overflow(view->width, (int64_t)view->channels * view->sample_bytes, &row) ||
        row > PTRDIFF_MAX - 2 * ROW_ALIGNMENT)
        return INT64_MAX;
    view->stride_bytes = round_up(row, ROW_ALIGNMENT);
    if (view->stride_bytes >= 1024 && view->stride_bytes % 512 == 0)
        view->stride_bytes += ROW_ALIGNMENT;
    if (__builtin_mul_overflow(view->height, view->stride_bytes, &total) ||
        total > PTRDIFF_MAX - HUGE_PAGE_BYTES)
        return INT64_MAX;
    return round_up(total, total >= HUGE_FROM_BYTES ? HUGE_PAGE_BYTES : ROW_ALIGNMENT);
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

enum status image_alloc(struct image *image, const struct shape *shape, struct error *error)
{
    const long long width = shape->width, height = shape->height;
    struct image laid_out;
    const int64_t bytes = image_lay_out(&laid_out, shape);
    const bool huge = bytes >= HUGE_FROM_BYTES;
    void *memory;

    memset(image, 0, sizeof *image);
    if (bytes == INT64_MAX)
        return fail(error, STATUS_NO_MEMORY,
                    "%lld x %lld pixels of %d channels do not fit in this machine's address space",
                    width, height, (int)shape->channels);
    laid_out.memory_bytes = (size_t)(laid_out.view.stride_bytes * height);
    memory = aligned_alloc(huge ? HUGE_PAGE_BYTES : ROW_ALIGNMENT, (size_t)bytes);
    if (!memory)
        return fail(error, STATUS_NO_MEMORY,
                    "no memory for %lld x %lld pixels of %d channels: %zu bytes are needed", width,
                    height, (int)shape->channels, laid_out.memory_bytes);
    /* With pages of 4 KiB the page faults take half of the time of the first pass over a large
     * image. madvise only gives the kernel a hint: if it fails, the image is only slower. */
    if (huge)
        madvise(memory, (size_t)bytes, MADV_HUGEPAGE);
    *image = laid_out;
    image->view.origin = image->memory = memory;
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

struct image image_file(const struct image *image)
{
    struct image file = *image;

    if (!image->light && !image->mask)
        return file;
    file.light = NULL;
    file.mask = NULL;
    file.memory = NULL;
    file.view.channels -= image->mask != NULL;
    if (image->light) {
        file.maxval = image->light->maxval;
        file.view.sample_bytes = sample_bytes_of(file.maxval);
    }
    if (file.view.origin)
        file.view.origin =
            (char *)image->view.origin + image_row_bytes(image) - image_row_bytes(&file);
    return file;
}

static bool has_type(const struct image *image, const char *type, int32_t channels)
{
    return strcmp(image->tuple_type, type) == 0 && image->view.channels == channels;
}

enum alpha_kind image_alpha(const struct image *image)
{
    const bool tiff = image->format == FORMAT_TIFF;

    if (image->mask)
        return NO_ALPHA;
    if (image->format == FORMAT_PNG)
        return image->view.channels == 2 || image->view.channels == 4 ? STRAIGHT_ALPHA : NO_ALPHA;
    if (tiff &&
        (has_type(image, TUPLE_GREY_ASSOCIATED, 2) || has_type(image, TUPLE_RGB_ASSOCIATED, 4)))
        return ASSOCIATED_ALPHA;
    return (tiff || image->format == FORMAT_PAM) &&
                   (has_type(image, TUPLE_GREY_ALPHA, 2) || has_type(image, TUPLE_RGB_ALPHA, 4) ||
                    has_type(image, "BLACKANDWHITE_ALPHA", 2))
               ? STRAIGHT_ALPHA
               : NO_ALPHA;
}

void *image_row(const struct image *image, int64_t y)
{
    return (char *)image->view.origin + y * image->view.stride_bytes;
}

size_t image_row_bytes(const struct image *image)
{
    return (size_t)(image->view.width * image->view.channels * image->view.sample_bytes);
}

int64_t image_bytes(const struct image *image)
{
    return (int64_t)image_row_bytes(image) * image->view.height;
}
