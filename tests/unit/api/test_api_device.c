/* SPDX-License-Identifier: MIT */
/* smoothimg.h with images in a device's memory: each result is the host's, nothing else is written.
 * On the emulated device; where the build has CUDA, on device 0 too. */
#include "src/lib/gpu/arrays.h"
#include "tests/unit/api/samples.h"

#define AFTER 20000 /* samples after the images, which stay as they are */

static struct gpu *gpu; /* allocates and copies for this test */
static struct smoothimg_context *context;

/* Images on the host, and the same bytes on the device. */
struct twin {
    struct stack host, device;
    char *memory; /* on the device */
};

/* In any place, with random samples, or all poison. */
static struct twin make(struct stack like, bool random)
{
    const struct gaps gaps = {draw(9), draw(9), draw(9), AFTER};
    struct twin twin = {.host = stack_make(like, gaps)};
    struct error error;
    void *memory;

    if (random)
        fill(&twin.host);
    NEED(gpu_array_make(gpu, (int64_t)twin.host.size, "a test", &memory, &error) == STATUS_OK);
    NEED(gpu_array_put(gpu, memory, twin.host.bytes, (int64_t)twin.host.size, &error) == STATUS_OK);
    twin.memory = memory;
    twin.device = twin.host;
    twin.device.memory = SMOOTHIMG_CUDA;
    twin.device.data = twin.memory + ((unsigned char *)twin.host.data - twin.host.bytes);
    return twin;
}

static void drop(struct twin *twin)
{
    gpu_array_free(gpu, twin->memory);
    stack_drop(&twin->host);
}

/* Does the device's memory equal the host's, byte for byte? */
static void check_equal(const struct twin *twin, const char *what)
{
    unsigned char *memory = malloc(twin->host.size);
    struct error error;
    size_t first = 0;

    NEED(memory);
    NEED(gpu_array_get(gpu, memory, twin->memory, (int64_t)twin->host.size, &error) == STATUS_OK);
    while (first < twin->host.size && memory[first] == twin->host.bytes[first])
        first++;
    CHECK(first == twin->host.size, "%s: %d x %d, %d channels, type %d, %d images: byte %d differs",
          what, (int)twin->host.width, (int)twin->host.height, (int)twin->host.channels,
          (int)twin->host.type, (int)twin->host.count, (int)first);
    free(memory);
}

static struct stack any_image(int64_t most)
{
    return without_maxval_of_floats((struct stack){.width = 1 + draw(most),
                                                   .height = 1 + draw(most),
                                                   .count = 1 + draw(4),
                                                   .channels = 1 + draw(4),
                                                   .type = (enum smoothimg_type)draw(3),
                                                   .maxval = 255});
}

/* Of a GPU's variants only fused computes floats. */
static struct stack image_for(const char *variant, int64_t most)
{
    struct stack image = any_image(most);

    while (strcmp(variant, "fused") != 0 && image.type == SMOOTHIMG_F32)
        image = any_image(most);
    return image;
}

/* The operation on both sides, and both results. */
static void check(enum smoothimg_op op, const struct smoothimg_filter *filter, struct stack like,
                  const char *what)
{
    struct twin src = make(like, true), dst = make(result_of(op, like), false);

    CHECK(call(context, op, filter, &src.host, &dst.host) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    CHECK(call_on(context, op, filter, &src.device, &dst.device, gpu_stream(gpu)) == SMOOTHIMG_OK,
          "%s, %d x %d: %s", what, (int)like.width, (int)like.height, smoothimg_message(context));
    check_equal(&dst, what);
    drop(&src), drop(&dst);
}

/* A part of images, anywhere: it is computed where it lies, by an engine of images. */
static void check_part(struct stack like, int64_t radius)
{
    struct stack wanted = like;
    struct smoothimg_filter *filter =
        filter_make(context, smooth_of(draw(radius + 1), radius, (enum smoothimg_edge)draw(5)));
    int64_t first[STACK_AXES] = {0};
    struct stack_array from, to;
    struct twin src, dst;

    wanted.width = 1 + draw(like.width);
    wanted.height = 1 + draw(like.height);
    first[1] = draw(like.height - wanted.height + 1);
    first[2] = draw(like.width - wanted.width + 1);
    src = make(like, true), dst = make(wanted, false);
    NEED(smoothimg_choose(context, NULL) == SMOOTHIMG_OK);
    CHECK(smoothimg_filter(context, filter, stack_array(&src.host, &from),
                           stack_array(&dst.host, &to), first, NULL) == SMOOTHIMG_OK,
          "%s", smoothimg_message(context));
    CHECK(smoothimg_filter(context, filter, stack_array(&src.device, &from),
                           stack_array(&dst.device, &to), first, gpu_stream(gpu)) == SMOOTHIMG_OK,
          "%s", smoothimg_message(context));
    CHECK(strncmp(smoothimg_chosen(context), "fused:", 6) == 0, "%d x %d by %s", (int)wanted.width,
          (int)wanted.height, smoothimg_chosen(context));
    check_equal(&dst, "a part");
    smoothimg_filter_free(filter);
    drop(&src), drop(&dst);
}

static void check_smooth(struct stack like, int64_t radius, const char *variant)
{
    struct smooth smooth =
        smooth_of(draw(2) == 0 ? radius : draw(12), radius, (enum smoothimg_edge)draw(5));
    struct smoothimg_filter *filter;

    if (like.channels > 1 && like.type != SMOOTHIMG_F32 && draw(2) == 1)
        smooth.missing = SMOOTHIMG_ALPHA;
    else if (draw(2) == 1)
        smooth.missing = SMOOTHIMG_NAN;
    filter = filter_make(context, smooth);
    NEED(smoothimg_choose(context, variant) == SMOOTHIMG_OK);
    check(SMOOTHIMG_SMOOTH, filter, like, variant ? variant : "fastest");
    smoothimg_filter_free(filter);
}

/* The others refuse them, and write nothing. */
static void check_refused_floats(const char *variant)
{
    const struct stack like = {.width = 9, .height = 7, .channels = 1, .type = SMOOTHIMG_F32};
    struct twin src = make(like, true), dst = make(like, false);
    struct smoothimg_filter *filter = filter_make(context, smooth_of(2, 2, SMOOTHIMG_REFLECT));
    char wanted[200];

    snprintf(wanted, sizeof wanted,
             "smooth %s cannot do this: it computes integers of 8 and 16 bits; floats need the "
             "variant fused or cpu",
             variant);
    NEED(smoothimg_choose(context, variant) == SMOOTHIMG_OK);
    CHECK(call_on(context, SMOOTHIMG_SMOOTH, filter, &src.device, &dst.device, gpu_stream(gpu)) ==
              SMOOTHIMG_UNSUPPORTED,
          "%s", variant);
    CHECK(strcmp(smoothimg_message(context), wanted) == 0, "%s\nwanted: %s",
          smoothimg_message(context), wanted);
    check_equal(&dst, variant);
    smoothimg_filter_free(filter);
    drop(&src), drop(&dst);
}

static void check_reserve(void)
{
    struct stack like = {.width = 1000, .height = 60, .channels = 1, .memory = SMOOTHIMG_CUDA};
    struct smoothimg_filter *filter = filter_make(context, smooth_of(3, 3, SMOOTHIMG_REFLECT));

    for (like.type = SMOOTHIMG_U8; like.type <= SMOOTHIMG_F32; like.type++) {
        CHECK(reserve(context, filter, &like) == SMOOTHIMG_OK, "type %d: %s", (int)like.type,
              smoothimg_message(context));
        CHECK(reserve(context, NULL, &like) == SMOOTHIMG_OK, "type %d: %s", (int)like.type,
              smoothimg_message(context));
    }
    smoothimg_filter_free(filter);
}

/* large: images as few tests have them. races: fewer images, and no reserve, which rehearses on one
 * image that is source and result. */
int main(int argc, char **argv)
{
    static const enum smoothimg_type types[] = {SMOOTHIMG_F32, SMOOTHIMG_U8, SMOOTHIMG_U16,
                                                SMOOTHIMG_U8};
    static const int64_t lines[][2] = {{1, 1}, {1, 70}, {70, 1}, {2, 1}};
    const int64_t least = argc > 1 && strcmp(argv[1], "large") == 0 ? 1500 : 400;
    const bool races = argc > 1 && strcmp(argv[1], "races") == 0;
    const char *variant;
    struct error error;

    if (gpu_open(0, &gpu, &error) != STATUS_OK && gpu_absent())
        return 77; /* skipped */
    NEED(gpu);
    NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
    CHECK(smoothimg_use_device(context, 99) == SMOOTHIMG_NO_DEVICE, "device 99");
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
    CHECK(smoothimg_use_device(context, 0) == SMOOTHIMG_INVALID, "a second device");
    if (!races)
        check_reserve();
    for (int k = 0; k < 4; k++)
        check_smooth((struct stack){.width = least + draw(least / 4),
                                    .height = least + draw(least / 16),
                                    .count = 1 + k / 3,
                                    .channels = 1 + (k == 1),
                                    .type = types[k],
                                    .maxval = types[k] == SMOOTHIMG_U16 ? 4095 : 0},
                     1 + draw(4), NULL);
    for (int k = 0; k < (races ? 10 : 30); k++) {
        check_smooth(any_image(80), 1 + draw(11), NULL);
        check_part(any_image(80), 1 + draw(11));
        check(SMOOTHIMG_TRANSPOSE, NULL, any_image(90), "transpose");
        check(SMOOTHIMG_REVERSE, NULL, any_image(90), "reverse");
    }
    for (int k = 0; k < 16; k++) {
        struct stack like = any_image(2);

        like.width = lines[k % 4][0], like.height = lines[k % 4][1];
        check(SMOOTHIMG_TRANSPOSE, NULL, like, "transpose");
        check(SMOOTHIMG_REVERSE, NULL, like, "reverse");
    }
    for (int i = 0; (variant = smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_CUDA, i)); i++) {
        check_smooth(image_for(variant, 50), draw(6), variant);
        if (strcmp(variant, "fused") != 0)
            check_refused_floats(variant);
    }
    smoothimg_close(context);
    gpu_close(gpu);
    return unit_result();
}
