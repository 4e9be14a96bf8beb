/* SPDX-License-Identifier: MIT */
/* Tests the sizes that a header may declare, the formats' names, and folders. */
#include "src/files/codec/codec.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <malloc.h>
#include <string.h>
#include <unistd.h>

/* Checks the status of reading the header `text` from a file with `samples` bytes after it. These
 * bytes are a hole in the file, which takes no disk space. */
static void check_size(const char *text, int64_t samples, enum status want)
{
    const char *path = scratch_path("size");
    struct image_reader reader;
    struct image header;
    struct error error = {STATUS_OK, ""};
    bool found;
    enum status status;

    scratch_write(path, text, strlen(text));
    NEED(truncate(path, (off_t)strlen(text) + samples) == 0);
    NEED(image_reader_open(&reader, path, INT64_MAX, &error) == STATUS_OK);
    reader.max_side = INT64_MAX;
    status = image_reader_begin(&reader, &header, &found, &error);
    CHECK(status == want, "%s: %s", text, error.text);
    CHECK(status == STATUS_OK
              ? header.view.width * header.view.height * header.view.channels == samples
              : strstr(error.text, "fewer than 2^28 samples in a row") != NULL,
          "%s: %s", text, error.text);
    image_reader_close(&reader);
}

/* (width + 1) * channels is at most 2^28 - 1, the height at most 2^31 - 11 (LIMITS in the
 * manual). */
static void test_largest_sizes(void)
{
    check_size("P5 268435454 1 255\n", 268435454, STATUS_OK);
    check_size("P5 268435455 1 255\n", 268435455, STATUS_INPUT);
    check_size("P6 89478484 1 255\n", 268435452, STATUS_OK);
    check_size("P6 89478485 1 255\n", 268435455, STATUS_INPUT);
    check_size("P5 1 2147483637 255\n", 2147483637, STATUS_OK);
    check_size("P5 1 2147483638 255\n", 2147483638, STATUS_INPUT);
}

static size_t used_memory(void)
{
    const struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* Closing a reader frees its memory, whether or not the header was valid. The allocator may keep
 * freed memory, which then counts as used, so the test allows a margin. */
static void test_memory(void)
{
    const size_t before = used_memory();

    for (int i = 0; i < 30; i++)
        test_largest_sizes();
    CHECK(used_memory() < before + 4096, "%zu bytes before, %zu after", before, used_memory());
}

static void test_names(void)
{
    const struct shape shape = {1, 1, 3, 255};
    struct image image;
    struct error error;
    enum format format;

    NEED(image_alloc(&image, &shape, &error) == STATUS_OK);
    CHECK(strcmp(format_extension("a.b/x.PNG"), "PNG") == 0, "the last part's");
    CHECK(!format_extension("a.png/x"), "no extension");
    CHECK(!format_extension(".png"), "a hidden file without an extension");
    CHECK(format_of_extension("PNG", &image, &format) && format == FORMAT_PNG, "png");
    CHECK(format_of_extension("pgm", &image, &format) && format == FORMAT_PGM, "pgm");
    CHECK(format_of_extension("pnm", &image, &format) && format == FORMAT_PPM, "pnm");
    CHECK(format_of_extension("JPG", &image, &format) && format == FORMAT_JPEG, "jpg");
    CHECK(format_of_extension("jpeg", &image, &format) && format == FORMAT_JPEG, "jpeg");
    CHECK(!format_of_extension("gif", &image, &format), "an unknown one");
    image_free(&image);
}

static void test_folders(void)
{
    struct image_reader reader;
    const struct codec *codec;
    struct error error;

    CHECK(image_reader_open(&reader, scratch_path("."), 1, &error) == STATUS_INPUT &&
              strstr(error.text, "folder"),
          "%s", error.text);
    CHECK(image_reader_recognise(scratch_path("."), &codec, &error) == STATUS_INPUT &&
              strstr(error.text, "Is a directory"),
          "%s", error.text);
}

int main(void)
{
    scratch_make();
    test_folders();
    test_largest_sizes();
    test_memory();
    test_names();
    return unit_result();
}
