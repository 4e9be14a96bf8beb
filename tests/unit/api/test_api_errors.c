/* SPDX-License-Identifier: MIT */
/* What smoothimg.h refuses: with which status and message, and without a byte written. */
#include "src/lib/smoothimg.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define WIDTH 12
#define HEIGHT 10

static uint16_t memory[2][HEIGHT * 64];

static struct smoothimg_image sound(int which)
{
    return (struct smoothimg_image){
        .data = memory[which], .width = WIDTH, .height = HEIGHT, .channels = 1};
}

/* The call fails with this status, with a message that has `word` in it, and writes nothing. */
static void check_refused(struct smoothimg_context *context, struct smoothimg_image src,
                          struct smoothimg_image dst, enum smoothimg_status status,
                          const char *word)
{
    static uint16_t before[sizeof memory / sizeof(uint16_t)];
    struct smoothimg_filter *filter;

    NEED(smoothimg_filter_create(context,
                                 &(struct smoothimg_filter_options){.halo_x = 2, .halo_y = 2},
                                 &filter) == SMOOTHIMG_OK);
    memcpy(before, memory, sizeof memory);
    CHECK(smoothimg_smooth(context, filter, &src, &dst, NULL) == status, "%s: %s", word,
          smoothimg_message(context));
    CHECK(strstr(smoothimg_message(context), word), "%s: %s", word, smoothimg_message(context));
    CHECK(memcmp(before, memory, sizeof memory) == 0, "%s: something was written", word);
    smoothimg_filter_free(filter);
}

/* One wrong member at a time, of the source and then of the destination. */
static void check_wrong_images(struct smoothimg_context *context)
{
    const struct wrong {
        size_t offset;
        int64_t value;
        const char *word;
    } wrongs[] = {
#define MEMBER(NAME) offsetof(struct smoothimg_image, NAME)
        {MEMBER(width), 0, "out of range"},   {MEMBER(width), INT64_MAX, "address space"},
        {MEMBER(height), -1, "out of range"}, {MEMBER(height), INT64_MAX, "address space"},
        {MEMBER(count), -1, "out of range"},  {MEMBER(pitch), WIDTH - 1, "pitch"},
        {MEMBER(pitch), -WIDTH, "pitch"},     {MEMBER(pitch), INT64_MAX, "address space"},
        {MEMBER(border), -1, "out of range"}, {MEMBER(border), INT64_MAX, "out of range"},
    };

    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
        for (int which = 0; which < 2; which++) {
            struct smoothimg_image images[2] = {sound(0), sound(1)};

            memcpy((char *)&images[which] + wrongs[i].offset, &wrongs[i].value, sizeof(int64_t));
            check_refused(context, images[0], images[1], SMOOTHIMG_INVALID, wrongs[i].word);
            CHECK(strncmp(smoothimg_message(context), which == 0 ? "src" : "dst", 3) == 0, "%s",
                  smoothimg_message(context));
        }
}

static void check_wrong_kinds(struct smoothimg_context *context)
{
    struct smoothimg_image src = sound(0), dst = sound(1);

    src.data = NULL;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "NULL");
    src = sound(0), src.maxval = 256;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "maxval");
    src = sound(0), src.type = (enum smoothimg_type)3;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "type");
    src = sound(0), src.memory = SMOOTHIMG_CUDA;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "memories");
    dst.memory = SMOOTHIMG_CUDA;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "smoothimg_use_device");
    src.memory = (enum smoothimg_memory)2;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "memory 2");
    dst = sound(1), src = sound(0), src.channels = 0;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "out of range");
    src = sound(0), dst.maxval = 100;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "maxvals");
    dst = sound(1), dst.width = WIDTH - 1;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "fit together");
    dst = sound(1), dst.type = SMOOTHIMG_U16;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "types");
    src.type = SMOOTHIMG_U16, src.data = (char *)memory[0] + 1;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "aligned");
    src = sound(0), dst = sound(1), src.count = dst.count = 2, src.stride = WIDTH * HEIGHT - 1;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "stride");
    src = sound(0), dst = sound(1), src.height = dst.height = 1;
    src.pitch = dst.pitch = INT64_MAX, src.border = 1;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "address space");
    src.width = INT64_MAX;
    check_refused(context, src, dst, SMOOTHIMG_INVALID, "address space");
    src = sound(0), src.border = 2;
    check_refused(context, src, sound(1), SMOOTHIMG_INVALID, "pitch");
}

/* Every place of dst in the memory of src, in rows of 32 bytes. */
static void check_overlap(struct smoothimg_context *context)
{
    struct smoothimg_filter *filter;
    struct smoothimg_image src = sound(0), dst = sound(0);
    unsigned char *bytes = (unsigned char *)memory[0];

    NEED(smoothimg_filter_create(context, &(struct smoothimg_filter_options){0}, &filter) ==
         SMOOTHIMG_OK);
    src.pitch = dst.pitch = 32;
    src.data = bytes + 8 * 32;
    for (int64_t at = 0; at < 20 * 32; at++) {
        const int64_t apart = at - 8 * 32, beside = ((apart % 32) + 32) % 32;
        const bool free_of = apart <= -(HEIGHT - 1) * 32 - WIDTH ||
                             apart >= (HEIGHT - 1) * 32 + WIDTH ||
                             (beside >= WIDTH && beside + WIDTH <= 32);
        enum smoothimg_status status;

        dst.data = bytes + at;
        status = smoothimg_smooth(context, filter, &src, &dst, NULL);
        CHECK(status == (free_of ? SMOOTHIMG_OK : SMOOTHIMG_INVALID), "%d bytes apart", (int)apart);
    }
    smoothimg_filter_free(filter);
}

static void check_filters(struct smoothimg_context *context)
{
    const struct {
        struct smoothimg_filter_options options;
        enum smoothimg_status status;
    } filters[] = {
        {{.halo_x = 1025, .halo_y = 1025}, SMOOTHIMG_INVALID},
        {{.halo_x = -1, .halo_y = -1}, SMOOTHIMG_INVALID},
        {{.sigma_x = -1, .sigma_y = -1}, SMOOTHIMG_INVALID},
        {{.sigma_x = 1e300, .sigma_y = 1e300}, SMOOTHIMG_INVALID},
        {{.edge = (enum smoothimg_edge)5}, SMOOTHIMG_INVALID},
        {{.norm = (enum smoothimg_norm) - 1}, SMOOTHIMG_INVALID},
        {{.halo_y = 1025}, SMOOTHIMG_INVALID},
        {{.sigma_x = 1, .halo_y = -1}, SMOOTHIMG_INVALID},
        {{.halo_x = 9, .sigma_y = 342}, SMOOTHIMG_INVALID},
        {{.halo_x = 9, .halo_y = 9, .sigma_x = 1, .sigma_y = -1}, SMOOTHIMG_INVALID},
        {{.halo_x = 4, .sigma_x = 2, .halo_y = 4, .sigma_y = .09, .norm = SMOOTHIMG_ANALYTIC},
         SMOOTHIMG_INVALID},
        {{.halo_x = 3, .sigma_x = 1}, SMOOTHIMG_OK},
        {{.halo_y = 1024, .sigma_x = 0.1}, SMOOTHIMG_OK},
        {{.halo_x = 4, .halo_y = 4, .sigma_x = .09, .sigma_y = .09, .norm = SMOOTHIMG_ANALYTIC},
         SMOOTHIMG_INVALID},
        {{.halo_x = 1024, .halo_y = 1024, .sigma_x = 1e13, .sigma_y = 1e13}, SMOOTHIMG_OK},
        {{.sigma_x = 2.5, .sigma_y = 2.5}, SMOOTHIMG_OK},
    };

    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        struct smoothimg_filter *filter;

        CHECK(smoothimg_filter_create(context, &filters[i].options, &filter) == filters[i].status,
              "filter %d: %s", (int)i, smoothimg_message(context));
        CHECK((filter != NULL) == (filters[i].status == SMOOTHIMG_OK), "filter %d", (int)i);
        smoothimg_filter_free(filter);
    }
}

/* filter: weighted by alpha. */
static void check_floats_beside_alpha(struct smoothimg_context *context,
                                      const struct smoothimg_filter *filter)
{
    float samples[2][6] = {{0}};
    const struct smoothimg_image src = {
        .data = samples[0], .width = 3, .height = 1, .channels = 2, .type = SMOOTHIMG_F32};
    struct smoothimg_image dst = src;

    dst.data = samples[1];
    CHECK(smoothimg_smooth(context, filter, &src, &dst, NULL) == SMOOTHIMG_UNSUPPORTED, "smooth");
    CHECK(strstr(smoothimg_message(context), "not weighted by alpha"), "%s",
          smoothimg_message(context));
    CHECK(smoothimg_reserve(context, filter, &src) == SMOOTHIMG_UNSUPPORTED, "reserve");
}

static void check_contexts(struct smoothimg_context *context)
{
    char version[40];
    struct smoothimg_filter *filter;
    struct smoothimg_context *other;
    const struct smoothimg_image one = sound(0), two = sound(1),
                                 like = {.width = 3000, .height = 3000, .channels = 4};

    CHECK(smoothimg_open(-1, &other) == SMOOTHIMG_INVALID && !other, "threads");
    CHECK(smoothimg_open(1025, &other) == SMOOTHIMG_INVALID && !other, "threads");
    CHECK(smoothimg_choose(context, "none") == SMOOTHIMG_INVALID, "variant");
    CHECK(strstr(smoothimg_message(context), "none"), "%s", smoothimg_message(context));
    NEED(smoothimg_filter_create(
             context,
             &(struct smoothimg_filter_options){.halo_x = 9, .halo_y = 9, .alpha_weighted = 1},
             &filter) == SMOOTHIMG_OK);
    CHECK(smoothimg_reserve(context, filter, &like) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    CHECK(smoothimg_reserve(context, filter, &one) == SMOOTHIMG_INVALID, "alpha");
    check_floats_beside_alpha(context, filter);
    CHECK(smoothimg_reserve(context, NULL, &one) == SMOOTHIMG_OK, "nothing to reserve");
    CHECK(smoothimg_reverse(context, &one, &two, context) == SMOOTHIMG_INVALID, "a stream");
    CHECK(strstr(smoothimg_message(context), "stream"), "%s", smoothimg_message(context));
    CHECK(smoothimg_use_device(context, -1) == SMOOTHIMG_INVALID, "device -1");
    CHECK(smoothimg_use_device(context, 1000) == SMOOTHIMG_NO_DEVICE, "device 1000");
    snprintf(version, sizeof version, "%d.%d.%d", SMOOTHIMG_VERSION_MAJOR, SMOOTHIMG_VERSION_MINOR,
             SMOOTHIMG_VERSION_PATCH);
    CHECK(strcmp(smoothimg_version(), version) == 0, "%s, header %s", smoothimg_version(), version);
    CHECK(strcmp(smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_HOST, 1), "cpu") == 0, "variant");
    CHECK(!smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_HOST, 2), "variants");
    CHECK(!smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_HOST, -1), "variants");
    smoothimg_filter_free(filter);
    smoothimg_filter_free(NULL);
    smoothimg_close(NULL);
}

int main(void)
{
    struct smoothimg_context *context;

    NEED(smoothimg_open(2, &context) == SMOOTHIMG_OK);
    CHECK(strcmp(smoothimg_message(context), "") == 0, "%s", smoothimg_message(context));
    check_filters(context);
    check_wrong_images(context);
    check_wrong_kinds(context);
    check_overlap(context);
    check_contexts(context);
    smoothimg_close(context);
    return unit_result();
}
