/* SPDX-License-Identifier: MIT */
/* PNG files of many blocks: whatever the depth, level, shape and threads, libpng reads the pixels
 * back, and the bytes are the same. */
#include "tests/unit/files/codec_io.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <string.h>

static const struct shape shapes[] = {
    {300, 900, 1, 255}, {301, 901, 1, 1},     {700, 1400, 1, 3}, {999, 550, 1, 15},
    {77, 600, 3, 255},  {40, 1000, 4, 65535}, {1, 70000, 1, 9},  {140000, 5, 1, 255},
    {600, 400, 2, 200}, {500, 300, 1, 1000},
};

/* Runs, ramps and noise: something for each filter, and repetitions further away. */
static struct image make(const struct shape *shape)
{
    struct image image =
        scratch_image(shape->width, shape->height, shape->channels, shape->maxval, 0, 1);

    for (int64_t y = 0; y < shape->height; y++)
        for (int64_t i = 0; i < shape->width * shape->channels; i++) {
            const uint32_t value = (uint32_t)(y / 40 % 3 == 0 ? y + i / 2 : i / 50) % shape->maxval;

            if (y / 40 % 3 == 2)
                continue;
            if (shape->maxval <= 255)
                ((uint8_t *)image_row(&image, y))[i] = (uint8_t)value;
            else
                ((uint16_t *)image_row(&image, y))[i] = (uint16_t)value;
        }
    return image;
}

/* Grey of 1, 2 and 4 bits comes back stretched, all else as it was, with the maxval of 8 or 16 bits
 * above it. */
static void check_pixels(const char *path, const struct image *image, int level)
{
    const uint32_t factor = image->maxval == 1    ? 255
                            : image->maxval == 3  ? 85
                            : image->maxval == 15 ? 17
                                                  : 1;
    struct image read;
    struct error error;
    long wrong = 0;
    int count;
    const enum status status = load(path, &read, &count, &error);

    CHECK(status == STATUS_OK, "level %d, maxval %u, %lld columns: %s", level, image->maxval,
          (long long)image->view.width, error.text);
    if (status != STATUS_OK)
        return;
    NEED(count == 1 && image_row_bytes(&read) == image_row_bytes(image));
    for (int64_t y = 0; y < image->view.height; y++)
        for (int64_t i = 0; i < image->view.width * image->view.channels; i++)
            wrong += image_sample(&read, y, i) != image_sample(image, y, i) * factor;
    CHECK(wrong == 0, "level %d, maxval %u, %lld columns: %ld samples differ", level, image->maxval,
          (long long)image->view.width, wrong);
    image_free(&read);
}

/* At all levels; the image goes. */
static void check_image(struct image image)
{
    const char *one = scratch_path("one.png"), *many = scratch_path("many.png");
    const struct image *const images[] = {&image};
    struct error error;

    for (int level = 0; level <= 9; level++) {
        struct write_options options = {.png_level = level, .threads = 1};

        NEED(store(one, FORMAT_PNG, options, images, 1, &error) == STATUS_OK);
        check_pixels(one, &image, level);
        options.threads = 3;
        NEED(store(many, FORMAT_PNG, options, images, 1, &error) == STATUS_OK);
        CHECK(same_files(one, many), "level %d, maxval %u: threads change bytes", level,
              image.maxval);
    }
    image_free(&image);
}

/* Noise does not compress, and a row is larger than the room that deflate is given at once: it
 * holds output back after it has taken the last input byte. */
static void test_noise(void)
{
    check_image(scratch_image(40000, 15, 1, 255, 0, 1));
    check_image(scratch_image(60000, 10, 1, 255, 0, 2));
}

/* A failure on the way ends all threads, with the reason. */
static void test_full(void)
{
    const struct shape shape = {2000, 1000, 1, 255};
    struct image image = make(&shape);
    const struct image *const images[] = {&image};
    struct error error;
    struct image_writer writer = {.file = fopen("/dev/full", "wb"),
                                  .name = "full",
                                  .format = FORMAT_PNG,
                                  .options = {.png_level = 0, .threads = 2}};

    NEED(writer.file);
    CHECK(image_writer_put(&writer, images[0], &error) == STATUS_OUTPUT &&
              strstr(error.text, "No space"),
          "%s", error.text);
    CHECK(!writer.writing && writer.images == 0, "what was taken is given back");
    fclose(writer.file);
    image_free(&image);
}

int main(void)
{
    scratch_make();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_image(make(&shapes[i]));
    test_noise();
    test_full();
    return unit_result();
}
