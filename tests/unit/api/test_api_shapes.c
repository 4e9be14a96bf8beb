/* SPDX-License-Identifier: MIT */
/* smoothimg.h at hostile shapes: single pixels, rows and columns, halos beyond the image, odd
 * pitches and addresses, gaps between images. Every variant of the host gives the bytes that the
 * reference gives without gaps, and writes nothing else. */
#include "src/lib/smoothimg.h"
#include "tests/unit/api/samples.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

#define POISON 0x5a

/* How images lie in memory, in samples. */
struct layout {
    int64_t offset;  /* of the first one from an address that is a multiple of 64 */
    int64_t gap;     /* after each row */
    int64_t between; /* after each image */
};

/* An aligned address or none, with a pitch that is aligned or not; 2 and 64 are of those that
 * transpose asks for at 64 pixels and more. */
static const struct layout layouts[] = {{0, 0, 0}, {1, 0, 0},   {3, 1, 0},   {0, 13, 5}, {7, 64, 1},
                                        {0, 2, 0}, {0, 64, 64}, {64, 1, 63}, {32, 32, 0}};

#define LAYOUTS ((int64_t)(sizeof layouts / sizeof *layouts))

/* Memory for images like *like, all poison. The caller frees *memory. */
static struct smoothimg_image make(struct smoothimg_image like, const struct layout *layout,
                                   unsigned char **memory)
{
    const int64_t sample = sample_bytes(&like);
    size_t bytes;

    like.pitch = row_bytes(&like) + layout->gap * sample;
    like.stride = like.pitch * like.height + layout->between * sample;
    bytes = (size_t)(like.stride * like.count + layout->offset * sample);
    *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    NEED(*memory);
    memset(*memory, POISON, bytes);
    like.data = *memory + layout->offset * sample;
    return like;
}

static void copy(const struct smoothimg_image *from, const struct smoothimg_image *to)
{
    for (int64_t i = 0; i < from->count; i++)
        for (int64_t y = 0; y < from->height; y++)
            memcpy(row_of(to, i, y), row_of(from, i, y), (size_t)row_bytes(from));
}

/* All rows are equal, and the gaps after them are poison still. */
static bool same(const struct smoothimg_image *image, const struct smoothimg_image *wanted)
{
    const int64_t row = row_bytes(image);
    bool equal = true;

    for (int64_t i = 0; i < image->count; i++)
        for (int64_t y = 0; y < image->height; y++) {
            const unsigned char *bytes = row_of(image, i, y);
            const int64_t end =
                y < image->height - 1 ? image->pitch : image->stride - y * image->pitch;

            equal = equal && memcmp(bytes, row_of(wanted, i, y), (size_t)row) == 0;
            for (int64_t x = row; x < end; x++)
                equal = equal && bytes[x] == POISON;
        }
    return equal;
}

/* One operation of images like *like, by every variant and in every layout: the source in one, the
 * destination in another. Smooth, which takes long, in every second one. */
static void check(struct smoothimg_context *context, enum smoothimg_op op,
                  const struct smoothimg_filter *filter, struct smoothimg_image like)
{
    const int64_t each = op == SMOOTHIMG_SMOOTH ? 2 : 1;
    struct smoothimg_image turned = like;
    unsigned char *memory[4];
    const struct smoothimg_image plain = make(like, &layouts[0], &memory[0]);
    const char *name;

    if (op == SMOOTHIMG_TRANSPOSE)
        turned.width = like.height, turned.height = like.width;
    const struct smoothimg_image wanted = make(turned, &layouts[0], &memory[1]);

    fill(&plain);
    NEED(smoothimg_choose(context, "reference") == SMOOTHIMG_OK);
    NEED(call(context, op, filter, &plain, &wanted) == SMOOTHIMG_OK);
    for (int v = 0; (name = smoothimg_variant(op, SMOOTHIMG_HOST, v)); v++)
        for (int64_t l = draw(each); l < LAYOUTS; l += each) {
            const struct smoothimg_image src = make(like, &layouts[l], &memory[2]);
            const struct smoothimg_image dst =
                make(turned, &layouts[(l + 2) % LAYOUTS], &memory[3]);

            copy(&plain, &src);
            NEED(smoothimg_choose(context, name) == SMOOTHIMG_OK);
            CHECK(call(context, op, filter, &src, &dst) == SMOOTHIMG_OK && same(&dst, &wanted),
                  "operation %d, variant %s, %d x %d x %d, type %d, layout %d: %s", (int)op, name,
                  (int)like.width, (int)like.height, (int)like.channels, (int)like.type, (int)l,
                  smoothimg_message(context));
            free(memory[2]);
            free(memory[3]);
        }
    free(memory[0]);
    free(memory[1]);
}

/* With halos in the image, and beyond it; the reference takes (2 halo + 1)^2 steps a sample. */
static void check_smooth(struct smoothimg_context *context, struct smoothimg_image like)
{
    const int64_t pixels = like.width * like.height;
    const int64_t halos[] = {0, 1, 4, pixels < 100 ? 30 : 9, pixels == 1 ? 200 : 2};

    for (size_t h = 0; h < sizeof halos / sizeof *halos; h++) {
        const struct smoothimg_filter_options options = {
            .halo_x = halos[h],
            .halo_y = halos[draw(2) == 1 ? h : (h + 2) % 5],
            .edge = (enum smoothimg_edge)draw(5),
            .norm = (enum smoothimg_norm)draw(2),
            .alpha_weighted = like.channels > 1 && like.type != SMOOTHIMG_F32 && draw(2) == 1,
            .skip_nan = draw(2) == 1};
        struct smoothimg_filter *filter;

        NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
        check(context, SMOOTHIMG_SMOOTH, filter, like);
        smoothimg_filter_free(filter);
    }
}

/* Analytic weights of a small sigma add up to more than 1: an image of maxval alone stays as it is,
 * also where the type has room above it. */
static void check_maxval(struct smoothimg_context *context, enum smoothimg_type type,
                         uint32_t maxval)
{
    const struct smoothimg_image like = {
        .width = 37, .height = 5, .count = 2, .channels = 1, .type = type, .maxval = maxval};
    const struct smoothimg_filter_options options = {
        .sigma_x = 0.3, .sigma_y = 0.3, .norm = SMOOTHIMG_ANALYTIC};
    unsigned char *memory[2];
    const struct smoothimg_image src = make(like, &layouts[0], &memory[0]);
    const struct smoothimg_image dst = make(like, &layouts[0], &memory[1]);
    struct smoothimg_filter *filter;
    const char *name;

    for (int64_t i = 0; i < 2 * 37 * 5; i++)
        if (type == SMOOTHIMG_U8)
            memory[0][i] = (unsigned char)maxval;
        else
            ((uint16_t *)(void *)memory[0])[i] = (uint16_t)maxval;
    NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
    for (int v = 0; (name = smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_HOST, v)); v++) {
        NEED(smoothimg_choose(context, name) == SMOOTHIMG_OK);
        CHECK(smoothimg_smooth(context, filter, &src, &dst, NULL) == SMOOTHIMG_OK &&
                  same(&dst, &src),
              "maxval %u, variant %s: another sample", (unsigned)maxval, name);
    }
    smoothimg_filter_free(filter);
    free(memory[0]);
    free(memory[1]);
}

int main(void)
{
    static const uint32_t maxvals[] = {1, 15, UINT8_MAX, 4095, UINT16_MAX};
    static const int64_t shapes[][2] = {{1, 1}, {1, 97}, {97, 1}, {2, 3}, {31, 17}, {5, 130}};
    /* whole blocks and lines of the processor's cache, and beside them; too many for the reference
     * of smooth */
    static const int64_t blocks[][2] = {{128, 128}, {64, 64},  {65, 64},
                                        {63, 192},  {256, 64}, {200, 130}};
    struct smoothimg_context *context;

    _Static_assert(sizeof blocks == sizeof shapes, "one for each");
    NEED(smoothimg_open(3, &context) == SMOOTHIMG_OK);
    for (size_t m = 0; m < sizeof maxvals / sizeof *maxvals; m++)
        for (int type = SMOOTHIMG_U8; type <= SMOOTHIMG_U16; type++)
            if (type == SMOOTHIMG_U16 || maxvals[m] <= UINT8_MAX)
                check_maxval(context, (enum smoothimg_type)type, maxvals[m]);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < 15; kind++) {
            struct smoothimg_image like = {.width = shapes[s][0],
                                           .height = shapes[s][1],
                                           .count = 1 + kind % 3,
                                           .channels = 1 + kind % 5,
                                           .type = (enum smoothimg_type)(kind % 3)};

            like.maxval = like.type == SMOOTHIMG_F32  ? 0
                          : kind % 6 == 0             ? 1
                          : like.type == SMOOTHIMG_U8 ? UINT8_MAX
                                                      : (uint32_t)(300 + draw(UINT16_MAX - 300));
            check_smooth(context, like);
            check(context, SMOOTHIMG_TRANSPOSE, NULL, like);
            check(context, SMOOTHIMG_REVERSE, NULL, like);
            like.width = blocks[s][0], like.height = blocks[s][1];
            check(context, SMOOTHIMG_TRANSPOSE, NULL, like);
            check(context, SMOOTHIMG_REVERSE, NULL, like);
        }
    smoothimg_close(context);
    return unit_result();
}
