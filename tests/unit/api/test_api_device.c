/* SPDX-License-Identifier: MIT */
/* smoothimg.h with images in a device's memory: each result is the host's, nothing else is written.
 * On the emulated device; where the build has CUDA, on device 0 too. */
#include "src/lib/gpu/arrays.h"
#include "src/lib/smoothimg.h"
#include "tests/unit/api/samples.h"
#include "tests/unit/unit.h"

#include <string.h>

#define POISON 0xa5
#define AFTER 20000 /* bytes after the images, which stay as they are */

static struct gpu *gpu; /* allocates and copies for this test */

/* An image's memory, once on the host and once on the device. */
struct twin {
    struct smoothimg_image host, device;
    char *host_memory, *device_memory;
    int64_t bytes;
};

static void put(const struct twin *twin)
{
    struct error error;

    NEED(gpu_array_put(gpu, twin->device_memory, twin->host_memory, twin->bytes, &error) ==
         STATUS_OK);
}

/* With random samples, or all poison. shift: bytes from the memory's beginning. */
static struct twin make(struct smoothimg_image like, int64_t gap, int64_t shift, bool random)
{
    const int64_t sample = sample_bytes(&like);
    struct twin twin = {.host = like};
    struct error error;
    void *memory;

    shift *= sample;
    twin.host.pitch = (like.width * like.channels + gap) * sample;
    twin.host.stride = twin.host.pitch * like.height + gap * sample;
    twin.bytes = shift + twin.host.stride * like.count + AFTER;
    twin.host_memory = malloc((size_t)twin.bytes);
    NEED(twin.host_memory);
    for (int64_t i = 0; i < twin.bytes; i++)
        twin.host_memory[i] = (char)(random ? draw(256) : POISON);
    if (random && sample == 2) /* below the maxval of 4095 */
        for (int64_t i = shift; i + 1 < twin.bytes; i += 2)
            *(uint16_t *)(twin.host_memory + i) &= 4095;
    twin.host.data = twin.host_memory + shift;
    /* whole units of 16 bytes, which smoothimg.h asks for */
    NEED(gpu_array_make(gpu, (twin.bytes + 15) / 16 * 16, "a test", &memory, &error) == STATUS_OK);
    twin.device_memory = memory;
    twin.device = twin.host;
    twin.device.memory = SMOOTHIMG_CUDA;
    twin.device.data = twin.device_memory + shift;
    put(&twin);
    return twin;
}

static void drop(struct twin *twin)
{
    gpu_array_free(gpu, twin->device_memory);
    free(twin->host_memory);
}

/* Does the device's memory equal the host's, byte for byte? */
static void check_equal(const struct twin *twin, const char *what)
{
    char *memory = malloc((size_t)twin->bytes);
    struct error error;
    int64_t first = 0;

    NEED(memory);
    NEED(gpu_array_get(gpu, memory, twin->device_memory, twin->bytes, &error) == STATUS_OK);
    while (first < twin->bytes && memory[first] == twin->host_memory[first])
        first++;
    CHECK(first == twin->bytes, "%s: %d x %d, %d channels, type %d, %d images: byte %d differs",
          what, (int)twin->host.width, (int)twin->host.height, (int)twin->host.channels,
          (int)twin->host.type, (int)twin->host.count, (int)first);
    free(memory);
}

static struct smoothimg_image any_image(int64_t most)
{
    const enum smoothimg_type type = (enum smoothimg_type)draw(3);

    return (struct smoothimg_image){.width = 1 + draw(most),
                                    .height = 1 + draw(most),
                                    .count = 1 + draw(4),
                                    .channels = 1 + (int32_t)draw(4),
                                    .type = type,
                                    .maxval = type == SMOOTHIMG_F32  ? 0
                                              : type == SMOOTHIMG_U8 ? 255
                                                                     : 4095};
}

/* Of a GPU's variants only fused computes floats. */
static struct smoothimg_image image_for(const char *variant, int64_t most)
{
    struct smoothimg_image image = any_image(most);

    while (strcmp(variant, "fused") != 0 && image.type == SMOOTHIMG_F32)
        image = any_image(most);
    return image;
}

static void check_smooth(struct smoothimg_context *context, struct smoothimg_image like,
                         int64_t halo, const char *variant)
{
    const struct smoothimg_filter_options options = {
        .halo_x = halo,
        .halo_y = draw(2) == 0 ? halo : draw(12),
        .edge = (enum smoothimg_edge)draw(5),
        .alpha_weighted = like.channels > 1 && like.type != SMOOTHIMG_F32 && draw(2) == 1,
        .skip_nan = draw(2) == 1};
    struct twin src = make(like, draw(9), draw(9), true), dst = make(like, draw(9), draw(9), false);
    struct smoothimg_filter *filter;

    NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
    NEED(smoothimg_choose(context, variant) == SMOOTHIMG_OK);
    CHECK(smoothimg_smooth(context, filter, &src.host, &dst.host, NULL) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    CHECK(smoothimg_smooth(context, filter, &src.device, &dst.device, gpu_stream(gpu)) ==
              SMOOTHIMG_OK,
          "%s", smoothimg_message(context));
    check_equal(&dst, variant ? variant : "fastest");
    smoothimg_filter_free(filter);
    drop(&src), drop(&dst);
}

/* The others refuse them, and write nothing. */
static void check_refused_floats(struct smoothimg_context *context, const char *variant)
{
    const struct smoothimg_image like = {
        .width = 9, .height = 7, .count = 1, .channels = 1, .type = SMOOTHIMG_F32};
    struct twin src = make(like, 0, 0, true), dst = make(like, 0, 0, false);
    struct smoothimg_filter *filter;
    char wanted[200];

    snprintf(wanted, sizeof wanted,
             "smooth %s cannot do this: it computes integers of 8 and 16 bits; floats need the "
             "variant fused or cpu",
             variant);
    NEED(smoothimg_filter_create(context,
                                 &(struct smoothimg_filter_options){.halo_x = 2, .halo_y = 2},
                                 &filter) == SMOOTHIMG_OK);
    NEED(smoothimg_choose(context, variant) == SMOOTHIMG_OK);
    CHECK(smoothimg_smooth(context, filter, &src.device, &dst.device, gpu_stream(gpu)) ==
              SMOOTHIMG_UNSUPPORTED,
          "%s", variant);
    CHECK(strcmp(smoothimg_message(context), wanted) == 0, "%s\nwanted: %s",
          smoothimg_message(context), wanted);
    check_equal(&dst, variant);
    smoothimg_filter_free(filter);
    drop(&src), drop(&dst);
}

static void check_moves(struct smoothimg_context *context)
{
    struct smoothimg_image like = any_image(90), turned = like;
    struct twin src = make(like, draw(9), draw(9), true), dst;

    turned.width = like.height, turned.height = like.width;
    for (int op = 0; op < 2; op++) {
        dst = make(op == 0 ? turned : like, draw(9), draw(9), false);
        CHECK((op == 0 ? smoothimg_transpose : smoothimg_reverse)(context, &src.host, &dst.host,
                                                                  NULL) == SMOOTHIMG_OK,
              "%s", smoothimg_message(context));
        CHECK((op == 0 ? smoothimg_transpose : smoothimg_reverse)(context, &src.device, &dst.device,
                                                                  gpu_stream(gpu)) == SMOOTHIMG_OK,
              "%s", smoothimg_message(context));
        check_equal(&dst, op == 0 ? "transpose" : "reverse");
        drop(&dst);
    }
    drop(&src);
}

/* The memory that reserve has allocated is enough: the second call takes none. */
static void check_reserve(struct smoothimg_context *context)
{
    struct smoothimg_image like = {
        .width = 1000, .height = 60, .channels = 1, .memory = SMOOTHIMG_CUDA};
    struct smoothimg_filter *filter;

    NEED(smoothimg_filter_create(context,
                                 &(struct smoothimg_filter_options){.halo_x = 3, .halo_y = 3},
                                 &filter) == SMOOTHIMG_OK);
    for (like.type = SMOOTHIMG_U8; like.type <= SMOOTHIMG_F32; like.type++) {
        CHECK(smoothimg_reserve(context, filter, &like) == SMOOTHIMG_OK, "type %d: %s",
              (int)like.type, smoothimg_message(context));
        CHECK(smoothimg_reserve(context, NULL, &like) == SMOOTHIMG_OK, "type %d: %s",
              (int)like.type, smoothimg_message(context));
    }
    smoothimg_filter_free(filter);
}

/* large: images are such that a frame of tiles around an interior pays, where they are not too few
 * bytes for that. */
int main(int argc, char **argv)
{
    const int64_t least = argc > 1 && strcmp(argv[1], "large") == 0 ? 1500 : 400;
    struct smoothimg_context *context;
    struct error error;

    if (gpu_open(0, &gpu, &error) != STATUS_OK && gpu_absent())
        return 77; /* skipped */
    NEED(gpu);
    NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
    CHECK(smoothimg_use_device(context, 99) == SMOOTHIMG_NO_DEVICE, "device 99");
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
    CHECK(smoothimg_use_device(context, 0) == SMOOTHIMG_INVALID, "a second device");
    check_reserve(context);
    for (int k = 0; k < 4; k++)
        check_smooth(context,
                     (struct smoothimg_image){.width = least + draw(least / 4),
                                              .height = least + draw(least / 16),
                                              .count = 1 + k / 3,
                                              .channels = 1 + (k == 1),
                                              .type = k == 0   ? SMOOTHIMG_F32
                                                      : k == 2 ? SMOOTHIMG_U16
                                                               : SMOOTHIMG_U8,
                                              .maxval = k == 0   ? 0
                                                        : k == 2 ? 4095
                                                                 : 255},
                     1 + draw(4), NULL);
    for (int k = 0; k < 30; k++) {
        check_smooth(context, any_image(80), draw(12), NULL);
        check_moves(context);
    }
    for (int i = 0; smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_CUDA, i); i++) {
        const char *variant = smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_CUDA, i);

        check_smooth(context, image_for(variant, 50), draw(6), variant);
        if (strcmp(variant, "fused") != 0)
            check_refused_floats(context, variant);
    }
    smoothimg_close(context);
    gpu_close(gpu);
    return unit_result();
}
