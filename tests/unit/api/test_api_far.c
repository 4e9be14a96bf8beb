/* SPDX-License-Identifier: MIT */
/* smoothimg.h with rows and images that lie gigabytes apart, in address space of which few pages
 * are touched: every operation gives what it gives of images without gaps, and writes nothing
 * beside a row. */
#include "src/lib/smoothimg.h"
#include "tests/unit/api/samples.h"
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/mman.h>

#define GIB (INT64_C(1) << 30)
#define BORDER 3  /* pixels: the halo */
#define BESIDE 64 /* bytes after each row that stay 0 */

/* Bytes, but for the gap of a sample that makes both odd; 0: without a gap. */
struct layout {
    int64_t pitch, stride;
};

static const struct layout layouts[] = {
    {0, 3 * GIB}, /* beyond 2^31 and, at the second image, 2^32 */
    {0, 2 * GIB}, {GIB / 2, 0}, {2 * GIB, 0}, {3 * GIB, 256 * GIB},
};

static struct smoothimg_context *context;

/* The bytes of the images with their borders, and of the border before the first pixel. */
static size_t extent(const struct smoothimg_image *image, int64_t *before)
{
    const int64_t beside = image->border * image->channels * sample_bytes(image);

    *before = image->border * image->pitch + beside;
    return (size_t)(2 * *before + (image->count - 1) * image->stride +
                    image->height * image->pitch + BESIDE);
}

/* Zeros in a layout; NULL: without gaps. */
static struct smoothimg_image make(struct smoothimg_image like, const struct layout *layout)
{
    const int64_t sample = sample_bytes(&like);
    const int64_t row = row_bytes(&like) + 2 * like.border * like.channels * sample;
    int64_t before;
    void *memory;

    like.pitch = layout && layout->pitch > 0 ? layout->pitch + sample : row;
    like.stride = layout && layout->stride > 0 ? layout->stride + sample
                                               : like.pitch * (like.height + 2 * like.border);
    memory = mmap(NULL, extent(&like, &before), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        exit(77); /* skipped: no such address space here */
    like.data = (char *)memory + before;
    return like;
}

static void drop(const struct smoothimg_image *image)
{
    int64_t before;
    const size_t bytes = extent(image, &before);

    munmap((char *)image->data - before, bytes);
}

/* With the border, whose samples are those of the nearest row and column. */
static void copy(const struct smoothimg_image *from, const struct smoothimg_image *to)
{
    const int64_t pixel = from->channels * sample_bytes(from), border = to->border;

    for (int64_t i = 0; i < from->count; i++)
        for (int64_t y = -border; y < from->height + border; y++)
            for (int64_t x = -border; x < from->width + border; x++) {
                const int64_t row = y < 0 ? 0 : y < from->height ? y : from->height - 1;
                const int64_t column = x < 0 ? 0 : x < from->width ? x : from->width - 1;

                memcpy(row_of(to, i, y) + x * pixel, row_of(from, i, row) + column * pixel,
                       (size_t)pixel);
            }
}

static int same(const struct smoothimg_image *image, const struct smoothimg_image *wanted)
{
    static const unsigned char zeros[BESIDE];
    const int64_t row = row_bytes(image);
    int equal = 1;

    for (int64_t i = 0; i < image->count; i++)
        for (int64_t y = 0; y < image->height; y++) {
            const int64_t gap = image->pitch - row;

            equal &= memcmp(row_of(image, i, y), row_of(wanted, i, y), (size_t)row) == 0;
            equal &= memcmp(row_of(image, i, y) + row, zeros,
                            (size_t)(gap < BESIDE ? gap : BESIDE)) == 0;
        }
    return equal;
}

/* By each variant: the source far apart, the destination, and both. */
static void check(enum smoothimg_op op, const struct smoothimg_filter *filter,
                  struct smoothimg_image like, const struct layout *layout)
{
    const struct smoothimg_image plain = make(like, NULL);
    struct smoothimg_image bordered = like, turned = like;
    const char *name;

    if (op == SMOOTHIMG_SMOOTH)
        bordered.border = draw(2) * BORDER;
    if (op == SMOOTHIMG_TRANSPOSE)
        turned.width = like.height, turned.height = like.width;
    const struct smoothimg_image wanted = make(turned, NULL);

    fill(&plain);
    NEED(smoothimg_choose(context, "reference") == SMOOTHIMG_OK);
    NEED(call(context, op, filter, &plain, &wanted) == SMOOTHIMG_OK);
    for (int v = 0; (name = smoothimg_variant(op, SMOOTHIMG_HOST, v)); v++)
        for (int far = 1; far < 4; far++) {
            const struct smoothimg_image src = make(bordered, far & 1 ? layout : NULL);
            const struct smoothimg_image dst = make(turned, far & 2 ? layout : NULL);

            copy(&plain, &src);
            NEED(smoothimg_choose(context, name) == SMOOTHIMG_OK);
            CHECK(
                call(context, op, filter, &src, &dst) == SMOOTHIMG_OK && same(&dst, &wanted),
                "operation %d, variant %s, %d channels, type %d, border %d, pitches %lld and %lld, "
                "strides %lld and %lld: %s",
                (int)op, name, (int)like.channels, (int)like.type, (int)src.border,
                (long long)src.pitch, (long long)dst.pitch, (long long)src.stride,
                (long long)dst.stride, smoothimg_message(context));
            drop(&src), drop(&dst);
        }
    drop(&plain), drop(&wanted);
}

int main(void)
{
    const struct smoothimg_filter_options options = {.halo_x = BORDER, .halo_y = 2};
    struct smoothimg_filter *filter;

    if (sizeof(void *) < 8)
        return 77; /* skipped */
    NEED(smoothimg_open(3, &context) == SMOOTHIMG_OK);
    NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
        for (int kind = 0; kind < 6; kind++) {
            struct smoothimg_image like = {.width = 70, /* pixels: more than a block of transpose */
                                           .height = 5,
                                           .count = 3,
                                           .channels = 1 + kind / 3 * 2,
                                           .type = (enum smoothimg_type)(kind % 3)};

            like.maxval = like.type == SMOOTHIMG_F32  ? 0
                          : like.type == SMOOTHIMG_U8 ? UINT8_MAX
                                                      : UINT16_MAX;
            check(SMOOTHIMG_SMOOTH, filter, like, &layouts[l]);
            check(SMOOTHIMG_REVERSE, NULL, like, &layouts[l]);
            check(SMOOTHIMG_TRANSPOSE, NULL, like, &layouts[l]);
            like.width = 5, like.height = 70;
            check(SMOOTHIMG_TRANSPOSE, NULL, like, &layouts[l]);
        }
    smoothimg_filter_free(filter);
    smoothimg_close(context);
    return unit_result();
}
