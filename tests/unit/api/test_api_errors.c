/* SPDX-License-Identifier: MIT */
/* What smoothimg.h refuses: with which status and message, and without a byte written. */
#include "src/lib/smoothimg.h"
#include "tests/unit/api/samples.h"
#include "tests/unit/unit.h"

#include <math.h>
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

/* The call fails with this status and message, and writes nothing. */
static void check_refused(struct smoothimg_context *context, enum smoothimg_op op,
                          struct smoothimg_image src, struct smoothimg_image dst,
                          const char *message)
{
    static uint16_t before[sizeof memory / sizeof(uint16_t)];
    struct smoothimg_filter *filter;
    enum smoothimg_status status;

    NEED(smoothimg_filter_create(context,
                                 &(struct smoothimg_filter_options){.halo_x = 2, .halo_y = 2},
                                 &filter) == SMOOTHIMG_OK);
    memcpy(before, memory, sizeof memory);
    status = call(context, op, filter, &src, &dst);
    CHECK(status == SMOOTHIMG_INVALID, "status %d: %s", (int)status, message);
    CHECK(strcmp(smoothimg_message(context), message) == 0, "%s\nwanted: %s",
          smoothimg_message(context), message);
    CHECK(memcmp(before, memory, sizeof memory) == 0, "%s: something was written", message);
    smoothimg_filter_free(filter);
}

/* A member of a struct, by the size that it has there. */
static void set(void *member, size_t bytes, int64_t value)
{
    if (bytes == sizeof(int32_t))
        *(int32_t *)member = (int32_t)value;
    else
        *(int64_t *)member = value;
}

/* One wrong member at a time, of the source and then of the destination: what the message says
 * after the image's name. */
static void check_wrong_images(struct smoothimg_context *context)
{
    const struct wrong {
        size_t offset, bytes;
        int64_t value;
        const char *message;
    } wrongs[] = {
#define MEMBER(NAME)                                                                               \
    offsetof(struct smoothimg_image, NAME), sizeof((struct smoothimg_image *)NULL)->NAME
#define TOO_LARGE(WIDTH, HEIGHT, PITCH, STRIDE)                                                    \
    "1 images of " WIDTH " x " HEIGHT " pixels, 1 channels, a border of 0, a pitch of " PITCH      \
    " bytes and a stride of " STRIDE " do not fit in the address space"
#define MAX64 "9223372036854775807"
        {MEMBER(width), 0, "width is 0; it has to be at least 1"},
        {MEMBER(height), -1, "height is -1; it has to be at least 1"},
        {MEMBER(channels), 0, "channels is 0; it has to be at least 1"},
        {MEMBER(channels), INT32_MIN, "channels is -2147483648; it has to be at least 1"},
        {MEMBER(count), -1, "count is -1; it has to be at least 0"},
        {MEMBER(count), INT64_MIN, "count is -9223372036854775808; it has to be at least 0"},
        {MEMBER(border), -1, "border is -1; it has to be 0 to 1048576"},
        {MEMBER(border), INT64_MAX, "border is " MAX64 "; it has to be 0 to 1048576"},
        {MEMBER(type), 3, "type is 3; it has to be SMOOTHIMG_U8, SMOOTHIMG_U16 or SMOOTHIMG_F32"},
        {MEMBER(type), -1, "type is -1; it has to be SMOOTHIMG_U8, SMOOTHIMG_U16 or SMOOTHIMG_F32"},
        {MEMBER(memory), 2, "memory is 2; it has to be SMOOTHIMG_HOST or SMOOTHIMG_CUDA"},
        {MEMBER(memory), -1, "memory is -1; it has to be SMOOTHIMG_HOST or SMOOTHIMG_CUDA"},
        {MEMBER(maxval), 256, "maxval is 256; it has to be 0 to 255"},
        {MEMBER(maxval), -1, "maxval is 4294967295; it has to be 0 to 255"},
        {MEMBER(pitch), 11, "pitch is 11; it has to be a multiple of 1, and at least 12"},
        {MEMBER(pitch), -12, "pitch is -12; it has to be a multiple of 1, and at least 12"},
        {MEMBER(pitch), INT64_MAX, TOO_LARGE("12", "10", MAX64, "0")},
        {MEMBER(width), INT64_MAX, TOO_LARGE(MAX64, "10", MAX64, "0")},
        {MEMBER(height), INT64_MAX, TOO_LARGE("12", MAX64, "12", "0")},
    };

    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
        for (int which = 0; which < 2; which++)
            for (int op = SMOOTHIMG_SMOOTH; op <= SMOOTHIMG_REVERSE; op++) {
                struct smoothimg_image images[2] = {sound(0), sound(1)};
                char message[300];

                snprintf(message, sizeof message, "%s: %s", which == 0 ? "src" : "dst",
                         wrongs[i].message);
                set((char *)&images[which] + wrongs[i].offset, wrongs[i].bytes, wrongs[i].value);
                check_refused(context, (enum smoothimg_op)op, images[0], images[1], message);
            }
}

/* Several members that are wrong together. */
static void check_wrong_layouts(struct smoothimg_context *context)
{
    struct smoothimg_image src = sound(0), dst = sound(1);
    char message[200];

    src.data = NULL;
    check_refused(context, SMOOTHIMG_SMOOTH, src, dst, "src: data is NULL");
    src.type = SMOOTHIMG_U16, src.data = (char *)memory[0] + 1;
    snprintf(message, sizeof message,
             "src: data is %p; the address has to be a multiple of 2, the bytes of a sample",
             src.data);
    check_refused(context, SMOOTHIMG_SMOOTH, src, dst, message);
    src = sound(0), src.type = SMOOTHIMG_F32, src.maxval = 1;
    check_refused(context, SMOOTHIMG_SMOOTH, src, dst, "src: maxval is 1; it has to be 0");
    src = sound(0), dst = sound(1), src.type = dst.type = SMOOTHIMG_U16, dst.pitch = 25;
    check_refused(context, SMOOTHIMG_SMOOTH, src, dst,
                  "dst: pitch is 25; it has to be a multiple of 2, and at least 24");
    src = sound(0), dst = sound(1), src.count = dst.count = 2, src.stride = WIDTH * HEIGHT - 1;
    check_refused(context, SMOOTHIMG_SMOOTH, src, dst,
                  "src: stride is 119; it has to be a multiple of 1, and at least 120");
    src = sound(0), src.border = 2;
    check_refused(context, SMOOTHIMG_SMOOTH, src, dst,
                  "src: pitch is 12; it has to be a multiple of 1, and at least 14");
    src = dst = sound(0), src.height = dst.height = 1;
    src.pitch = dst.pitch = INT64_MAX, src.border = 1;
    check_refused(context, SMOOTHIMG_SMOOTH, src, dst,
                  "src: 1 images of 12 x 1 pixels, 1 channels, a border of 1, a pitch of " MAX64
                  " bytes and a stride of " MAX64 " do not fit in the address space");
    check_refused(context, SMOOTHIMG_SMOOTH, sound(0), sound(0), "src and dst overlap");
    src = sound(0), dst = sound(1), src.memory = dst.memory = SMOOTHIMG_CUDA;
    check_refused(context, SMOOTHIMG_SMOOTH, src, dst,
                  "what lies in a device's memory needs smoothimg_use_device()");
}

/* Members of dst that do not fit those of src. */
static void check_unlike_images(struct smoothimg_context *context)
{
    const struct {
        enum smoothimg_op op;
        size_t offset, bytes;
        int64_t value;
        const char *message;
    } unlike[] = {
        {SMOOTHIMG_SMOOTH, MEMBER(width), 11,
         "dst: width is 11; it has to be 12, the width of src"},
        {SMOOTHIMG_REVERSE, MEMBER(height), 9,
         "dst: height is 9; it has to be 10, the height of src"},
        {SMOOTHIMG_TRANSPOSE, MEMBER(width), 12,
         "dst: width is 12; it has to be 10, the height of src"},
        {SMOOTHIMG_TRANSPOSE, MEMBER(height), 10,
         "dst: height is 10; it has to be 12, the width of src"},
        {SMOOTHIMG_SMOOTH, MEMBER(channels), 2,
         "dst: channels is 2; it has to be 1, the channels of src"},
        {SMOOTHIMG_SMOOTH, MEMBER(count), 3, "dst: count is 3; it has to be 1, the count of src"},
        {SMOOTHIMG_SMOOTH, MEMBER(type), 1, "dst: type is 1; it has to be 0, the type of src"},
        {SMOOTHIMG_SMOOTH, MEMBER(maxval), 99,
         "dst: maxval is 99; it has to be 255, the maxval of src"},
        {SMOOTHIMG_SMOOTH, MEMBER(memory), 1,
         "dst: memory is 1; it has to be 0, the memory of src"},
    };

    for (size_t i = 0; i < sizeof unlike / sizeof *unlike; i++) {
        struct smoothimg_image dst = sound(1);

        if (unlike[i].op == SMOOTHIMG_TRANSPOSE)
            dst.width = HEIGHT, dst.height = WIDTH;
        set((char *)&dst + unlike[i].offset, unlike[i].bytes, unlike[i].value);
        check_refused(context, unlike[i].op, sound(0), dst, unlike[i].message);
    }
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

/* Marks the bytes of all rows. */
static void mark(const struct smoothimg_image *image, unsigned char *marks, unsigned char bit)
{
    for (int64_t i = 0; i < image->count; i++)
        for (int64_t y = 0; y < image->height; y++)
            for (int64_t x = 0; x < image->width; x++)
                marks[(unsigned char *)image->data - (unsigned char *)memory + i * image->stride +
                      y * image->pitch + x] |= bit;
}

/* Several images of 5 x 3 bytes, by each pitch and stride of both and at each distance: refused
 * where a byte is of both, and allowed where one ends before the other begins. */
static void check_overlap_of_stacks(struct smoothimg_context *context)
{
    static const int64_t pitches[] = {5, 8, 11, 16}, strides[] = {48, 49, 52, 55, 64, 96};
    unsigned char marks[sizeof memory];

    for (int k = 0; k < 4 * 4 * 6 * 6 * 2; k++)
        for (int64_t at = 0; at < 480; at += 1 + k % 3) {
            struct smoothimg_image src = {.data = (char *)memory + 240,
                                          .width = 5,
                                          .height = 3,
                                          .pitch = pitches[k % 4],
                                          .count = 2 + k / 576,
                                          .stride = strides[k / 16 % 6],
                                          .channels = 1};
            struct smoothimg_image dst = src;
            bool shared = false;
            enum smoothimg_status status;

            dst.data = (char *)memory + at;
            dst.pitch = pitches[k / 4 % 4], dst.stride = strides[k / 96 % 6];
            memset(marks, 0, sizeof marks);
            mark(&src, marks, 1), mark(&dst, marks, 2);
            for (size_t i = 0; i < 1200; i++)
                shared |= marks[i] == 3;
            status = smoothimg_reverse(context, &src, &dst, NULL);
            CHECK(status == SMOOTHIMG_INVALID || !shared,
                  "pitches %d, %d, strides %d, %d, %d images, %d bytes apart: a byte is shared",
                  (int)src.pitch, (int)dst.pitch, (int)src.stride, (int)dst.stride, (int)src.count,
                  (int)at - 240);
            if (at + dst.stride * (dst.count - 1) + dst.pitch * 2 + 5 <= 240)
                CHECK(status == SMOOTHIMG_OK, "images that end before: %s",
                      smoothimg_message(context));
        }
}

#define TOO_BRIGHT                                                                                 \
    "the analytic norm with sigma 0.09 would make flat areas more than 4 times as bright in each " \
    "direction, beyond what its sums can hold"

static void check_filters(struct smoothimg_context *context)
{
    const struct {
        struct smoothimg_filter_options options;
        const char *message; /* NULL: it is allowed */
    } filters[] = {
        {{.halo_x = 1025, .halo_y = 1026}, "halo_x is 1025; it has to be 0 to 1024"},
        {{.halo_x = -1, .halo_y = -1}, "halo_x is -1; it has to be 0 to 1024"},
        {{.halo_y = 1025}, "halo_y is 1025; it has to be 0 to 1024"},
        {{.sigma_x = 1, .halo_y = INT64_MIN},
         "halo_y is -9223372036854775808; it has to be 0 to 1024"},
        {{.edge = (enum smoothimg_edge)17},
         "edge is 17; it has to be SMOOTHIMG_CLAMP, SMOOTHIMG_REFLECT, SMOOTHIMG_MIRROR, "
         "SMOOTHIMG_WRAP or SMOOTHIMG_ZERO"},
        {{.edge = (enum smoothimg_edge) - 1},
         "edge is -1; it has to be SMOOTHIMG_CLAMP, SMOOTHIMG_REFLECT, SMOOTHIMG_MIRROR, "
         "SMOOTHIMG_WRAP or SMOOTHIMG_ZERO"},
        {{.norm = (enum smoothimg_norm) - 1},
         "norm is -1; it has to be SMOOTHIMG_SUM or SMOOTHIMG_ANALYTIC"},
        {{.norm = (enum smoothimg_norm)2},
         "norm is 2; it has to be SMOOTHIMG_SUM or SMOOTHIMG_ANALYTIC"},
        {{.sigma_x = -1, .sigma_y = -1}, "sigma_x is -1; it has to be a number above 0, or 0"},
        {{.sigma_y = NAN}, "sigma_y is nan; it has to be a number above 0, or 0"},
        {{.halo_x = 9, .halo_y = 9, .sigma_x = 1, .sigma_y = -1},
         "sigma_y is -1; it has to be a number above 0, or 0"},
        {{.sigma_x = 1e300, .sigma_y = 1e300},
         "sigma_x 1e+300 calls for a halo of 3e+300 pixels; the largest is 1024, which can be set"},
        {{.halo_x = 9, .sigma_y = 342},
         "sigma_y 342 calls for a halo of 1026 pixels; the largest is 1024, which can be set"},
        {{.halo_x = 4, .sigma_x = 2, .halo_y = 4, .sigma_y = .09, .norm = SMOOTHIMG_ANALYTIC},
         TOO_BRIGHT},
        {{.halo_x = 4, .halo_y = 4, .sigma_x = .09, .sigma_y = .09, .norm = SMOOTHIMG_ANALYTIC},
         TOO_BRIGHT},
        {{.halo_x = 3, .sigma_x = 1}, NULL},
        {{.halo_y = 1024, .sigma_x = 0.1}, NULL},
        {{.halo_x = 1024, .halo_y = 1024, .sigma_x = 1e13, .sigma_y = 1e13}, NULL},
        {{.sigma_x = 2.5, .sigma_y = 2.5}, NULL},
    };

    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        const char *message = filters[i].message;
        struct smoothimg_filter *filter;

        CHECK(smoothimg_filter_create(context, &filters[i].options, &filter) ==
                  (message ? SMOOTHIMG_INVALID : SMOOTHIMG_OK),
              "filter %d: %s", (int)i, smoothimg_message(context));
        CHECK((filter == NULL) == (message != NULL), "filter %d", (int)i);
        CHECK(!message || strcmp(smoothimg_message(context), message) == 0, "%s\nwanted: %s",
              smoothimg_message(context), message);
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

static void check_message(const struct smoothimg_context *context, const char *wanted)
{
    CHECK(strcmp(smoothimg_message(context), wanted) == 0, "%s\nwanted: %s",
          smoothimg_message(context), wanted);
}

/* Of arrays: a stream for the host's memory, and a device's memory without a device. */
static void check_memory_of_arrays(struct smoothimg_context *context)
{
    const int64_t shape[] = {HEIGHT, WIDTH};
    struct smoothimg_array src = {
        .data = memory[0], .axes = 2, .shape = shape, .type = SMOOTHIMG_U16};
    struct smoothimg_array dst = src;
    struct smoothimg_array_filter *filter;
    char text[100];

    dst.data = memory[1];
    NEED(
        smoothimg_array_filter_create(
            context,
            &(struct smoothimg_array_filter_options){
                .axes = 2, .terms = 1, .axis = (struct smoothimg_axis[2]){{.halo = 1, .sigma = 1}}},
            &filter) == SMOOTHIMG_OK);
    CHECK(smoothimg_filter_array(context, filter, &src, &dst, NULL, context) == SMOOTHIMG_INVALID,
          "a stream");
    snprintf(text, sizeof text,
             "stream is %p; it has to be NULL for what lies in the host's memory", (void *)context);
    check_message(context, text);
    src.memory = dst.memory = SMOOTHIMG_CUDA;
    CHECK(smoothimg_filter_array(context, filter, &src, &dst, NULL, NULL) == SMOOTHIMG_INVALID,
          "no device");
    check_message(context, "what lies in a device's memory needs smoothimg_use_device()");
    dst.axes = 1;
    CHECK(smoothimg_filter_array(context, filter, &src, &dst, NULL, NULL) == SMOOTHIMG_INVALID,
          "an axis");
    check_message(context, "dst: axes is 1; it has to be 2");
    dst.axes = 2;
    dst.type = (enum smoothimg_type)12;
    CHECK(smoothimg_filter_array(context, filter, &src, &dst, NULL, NULL) == SMOOTHIMG_INVALID,
          "a type");
    check_message(context, "dst: type is 12; it has to be one of SMOOTHIMG_U8 to SMOOTHIMG_F64");
    smoothimg_array_filter_free(filter);
}

/* Filters of arrays whose constant outside is not one number. */
static void check_outside(struct smoothimg_context *context)
{
    const struct smoothimg_array_filter_options more_than_one = {
        .terms = 1, .outside = 1.5, .outside_i64 = -7};
    const struct smoothimg_array_filter_options infinite = {.terms = 1, .outside = INFINITY};
    struct smoothimg_array_filter *filter;

    CHECK(smoothimg_array_filter_create(context, &more_than_one, &filter) == SMOOTHIMG_INVALID &&
              !filter,
          "two constants");
    check_message(context, "outside is 1.5, outside_i64 -7 and outside_u64 0; set one of them");
    CHECK(smoothimg_array_filter_create(context, &infinite, &filter) == SMOOTHIMG_INVALID,
          "an infinite constant");
    check_message(context, "outside is inf; it has to be a number");
}

static void check_contexts(struct smoothimg_context *context)
{
    char version[40], text[100];
    struct smoothimg_filter *filter;
    struct smoothimg_context *other;
    const struct smoothimg_image one = sound(0), two = sound(1),
                                 like = {.width = 3000, .height = 3000, .channels = 4};

    CHECK(smoothimg_open(-1, &other) == SMOOTHIMG_INVALID && !other, "threads");
    CHECK(smoothimg_open(1025, &other) == SMOOTHIMG_INVALID && !other, "threads");
    CHECK(smoothimg_choose(context, "none") == SMOOTHIMG_INVALID, "variant");
    check_message(context, "no operation has a variant none; smoothimg_variant() names them");
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
    snprintf(text, sizeof text,
             "stream is %p; it has to be NULL for what lies in the host's memory", (void *)context);
    check_message(context, text);
    CHECK(smoothimg_use_device(context, -1) == SMOOTHIMG_INVALID, "device -1");
    check_message(context, "device is -1; it has to be at least 0");
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
    check_wrong_layouts(context);
    check_unlike_images(context);
    check_overlap(context);
    check_overlap_of_stacks(context);
    check_memory_of_arrays(context);
    check_outside(context);
    check_contexts(context);
    smoothimg_close(context);
    return unit_result();
}
