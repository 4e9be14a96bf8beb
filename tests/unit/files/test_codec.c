/* SPDX-License-Identifier: MIT */
/* Writes images and reads them back: formats, depths, sizes, streams of images. Also reads files
 * whose bytes are listed here, and checks written bytes. */
#include "tests/unit/files/codec_io.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <string.h>
#include <unistd.h>

static const uint32_t maxvals[] = {1, 2, 3, 15, 100, 255, 256, 4095, 65535};
static const int64_t sizes[][2] = {{1, 1}, {1, 7}, {9, 1}, {17, 13}, {70, 3}};

static uint32_t maxval_after(enum format format, uint32_t maxval)
{
    return format >= FORMAT_PNG ? maxval > 255 ? 65535 : 255 : maxval;
}

/* Returns the sample that must be read: grey PNGs with 1, 2 and 4 bits are stretched to 8 bits;
 * others keep their samples. */
static uint32_t sample_after(const struct image *image, enum format format, uint32_t value)
{
    const uint32_t maxval = image->maxval;
    const bool small = maxval == 1 || maxval == 3 || maxval == 15;

    return format == FORMAT_PNG && image->view.channels == 1 && small ? value * 255 / maxval
                                                                      : value;
}

static void check_pixels(const struct image *want, enum format format, const struct image *got,
                         const char *what)
{
    const struct shape shape = image_shape(want);
    long differences = 0;

    CHECK(got->view.width == shape.width && got->view.height == shape.height &&
              got->view.channels == shape.channels &&
              got->maxval == maxval_after(format, shape.maxval),
          "%s", what);
    CHECK(got->format == format, "%s: read as %s", what, format_word(got->format));
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t i = 0; i < shape.width * shape.channels; i++)
            differences +=
                sample_after(want, format, image_sample(want, y, i)) != image_sample(got, y, i);
    CHECK(differences == 0, "%s: %ld samples differ", what, differences);
}

static void round_trip(enum format format, bool plain, int64_t width, int64_t height,
                       int32_t channels, uint32_t maxval, int64_t halo)
{
    struct image image = scratch_image(width, height, channels, maxval, halo, maxval + 7);
    const struct image *const images[] = {&image};
    const struct write_options options = {.plain = plain, .png_level = PNG_LEVEL_DEFAULT};
    const char *path = scratch_path("round");
    struct image back = {0};
    struct error error = {STATUS_OK, ""};
    char what[128];
    int count = 0;
    enum status status;

    snprintf(what, sizeof what, "%s%s %d x %d x %d, maxval %u, halo %d", plain ? "plain " : "",
             format_word(format), (int)width, (int)height, (int)channels, maxval, (int)halo);
    status = store(path, format, options, images, 1, &error);
    CHECK(status == STATUS_OK, "%s: %s", what, error.text);
    status = load(path, &back, &count, &error);
    CHECK(status == STATUS_OK && count == 1, "%s: %s", what, error.text);
    if (status == STATUS_OK)
        check_pixels(&image, format, &back, what);
    image_free(&image);
    image_free(&back);
}

static void test_round_trips(void)
{
    for (size_t m = 0; m < sizeof maxvals / sizeof *maxvals; m++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int halo = 0; halo <= 5; halo += 5) {
                const int64_t width = sizes[s][0], height = sizes[s][1];
                const uint32_t maxval = maxvals[m];

                for (int plain = 0; plain <= 1; plain++) {
                    if (maxval == 1)
                        round_trip(FORMAT_PBM, plain, width, height, 1, maxval, halo);
                    round_trip(FORMAT_PGM, plain, width, height, 1, maxval, halo);
                    round_trip(FORMAT_PPM, plain, width, height, 3, maxval, halo);
                }
                for (int32_t channels = 1; channels <= 6; channels++) {
                    round_trip(FORMAT_PAM, false, width, height, channels, maxval, halo);
                    round_trip(FORMAT_NPY, false, width, height, channels, maxval, halo);
                    if (codec_tiff.version)
                        round_trip(FORMAT_TIFF, false, width, height, channels, maxval, halo);
                }
                for (int32_t channels = 1; channels <= 4; channels++)
                    round_trip(FORMAT_PNG, false, width, height, channels, maxval, halo);
            }
    /* These images are wider than the blocks in which rows are converted. */
    round_trip(FORMAT_PBM, false, 70001, 2, 1, 1, 0);
    round_trip(FORMAT_PGM, false, 9001, 2, 1, 65535, 0);
}

static void test_streams(void)
{
    struct image images[] = {scratch_image(5, 3, 1, 1, 2, 1), scratch_image(8, 2, 1, 1, 0, 2),
                             scratch_image(1, 9, 1, 1, 1, 3)};
    const struct image *const pointers[] = {&images[0], &images[1], &images[2]};
    const enum format formats[] = {FORMAT_PBM, FORMAT_PGM, FORMAT_PAM};
    struct image_reader reader;
    struct image image;
    struct error error;
    bool found;

    for (int f = 0; f < 3; f++)
        for (int plain = 0; plain <= (formats[f] != FORMAT_PAM); plain++) {
            const char *path = scratch_path("stream");

            NEED(store(path, formats[f], (struct write_options){.plain = plain}, pointers, 3,
                       &error) == STATUS_OK);
            NEED(image_reader_open(&reader, path, TEST_MAX_PIXELS, &error) == STATUS_OK);
            for (int i = 0; i < 3; i++) {
                CHECK(next_image(&reader, &image, &found, &error) == STATUS_OK && found,
                      "image %d of 3: %s", i, error.text);
                CHECK(same_pixels(&image, &images[i]), "image %d of 3", i);
                image_free(&image);
            }
            CHECK(next_image(&reader, &image, &found, &error) == STATUS_OK && !found &&
                      !image.memory,
                  "no fourth image");
            image_reader_close(&reader);
        }
    for (int i = 0; i < 3; i++)
        image_free(&images[i]);
}

/* A file's bytes, and the image that must be read from them. */
static const struct known {
    const char *bytes;
    size_t count;
    int64_t width, height;
    int32_t channels;
    uint32_t maxval;
    enum format format;
    const char *tuple_type;
    uint32_t samples[6];
} knowns[] = {
#define BYTES(text) text, sizeof text - 1
    {BYTES("P1 3 2 10 1\n0 1 0"), 3, 2, 1, 1, FORMAT_PBM, "", {0, 1, 0, 1, 0, 1}},
    {BYTES("P1 # a\n3 # b\n2 10#c\n1 0 1 0\n"), 3, 2, 1, 1, FORMAT_PBM, "", {0, 1, 0, 1, 0, 1}},
    {BYTES("P4 3 2\n\xa0\x5f"), 3, 2, 1, 1, FORMAT_PBM, "", {0, 1, 0, 1, 0, 1}},
    {BYTES("P2 2 1 9 3 9"), 2, 1, 1, 9, FORMAT_PGM, "", {3, 9}},
    {BYTES("P2\n2\n1\n300\n300 # last\n\n 00007\n\n"), 2, 1, 1, 300, FORMAT_PGM, "", {300, 7}},
    {BYTES("P2 2 1 9 3 # c\r9"), 2, 1, 1, 9, FORMAT_PGM, "", {3, 9}},
    {BYTES("P5 2 1 7 \1\7\n\n"), 2, 1, 1, 7, FORMAT_PGM, "", {1, 7}},
    {BYTES("P5 1 2 256\n\1\0\0\3"), 1, 2, 1, 256, FORMAT_PGM, "", {256, 3}},
    {BYTES("P3 1 2 255 1 2 3 4 5 6"), 1, 2, 3, 255, FORMAT_PPM, "", {1, 2, 3, 4, 5, 6}},
    {BYTES("P6 1 1 65535\n\0\1\2\0\xff\xff"), 1, 1, 3, 65535, FORMAT_PPM, "", {1, 512, 65535}},
    {BYTES(
         "P7\n# c\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE A B\nTUPLTYPE C\nENDHDR\n\4\5"),
     1,
     1,
     2,
     255,
     FORMAT_PAM,
     "A B C",
     {4, 5}},
    {BYTES("P7 TUPLTYPE\nTUPLTYPE\nWIDTH 1\nTUPLTYPE \t\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\n"
           "TUPLTYPE A\nTUPLTYPE\nENDHDR\n\4"),
     1,
     1,
     1,
     255,
     FORMAT_PAM,
     "A",
     {4}},
    {BYTES("P5#c\n2#\r1\t255#\n\1\7"), 2, 1, 1, 255, FORMAT_PGM, "", {1, 7}},
    {BYTES("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nENDHDR\n\1\0"),
     2,
     1,
     1,
     1,
     FORMAT_PAM,
     "",
     {1, 0}},
};

static void check_known(const struct known *known, const struct image *image)
{
    const int64_t row = image->view.width * image->view.channels;

    CHECK(image->view.width == known->width && image->view.height == known->height &&
              image->view.channels == known->channels && image->maxval == known->maxval &&
              image->format == known->format,
          "%s", known->bytes);
    CHECK(strcmp(image->tuple_type, known->tuple_type) == 0, "'%s'", image->tuple_type);
    for (int64_t i = 0; i < row * image->view.height; i++)
        CHECK(image_sample(image, i / row, i % row) == known->samples[i], "sample %d of %s", (int)i,
              known->bytes);
}

static void test_known_bytes(void)
{
    for (size_t k = 0; k < sizeof knowns / sizeof *knowns; k++) {
        const struct known *known = &knowns[k];
        const char *path = scratch_path("known");
        struct image image;
        struct error error = {STATUS_OK, ""};
        int count;

        scratch_write(path, known->bytes, known->count);
        CHECK(is_recognised(path), "%s", known->bytes);
        CHECK(load(path, &image, &count, &error) == STATUS_OK && count == 1, "%s", error.text);
        if (image.memory)
            check_known(known, &image);
        image_free(&image);
        CHECK(load_pipe(known->bytes, known->count, &image, &error) == STATUS_OK, "%s", error.text);
        if (image.memory)
            check_known(known, &image);
        image_free(&image);
    }
}

/* Checks the TUPLTYPE line of a PAM for an image of two channels that was read from this format
 * with this tuple type. NULL: there must be no such line. */
static void check_tuple_type(enum format format, const char *type, const char *line)
{
    struct image image = scratch_image(1, 1, 2, 255, 0, 1);
    const struct image *const images[] = {&image};
    const char *path = scratch_path("tuples");
    struct error error;
    unsigned char *text;
    const char *found;
    size_t count;

    image.format = format;
    snprintf(image.tuple_type, sizeof image.tuple_type, "%s", type);
    NEED(store(path, FORMAT_PAM, (struct write_options){0}, images, 1, &error) == STATUS_OK);
    text = scratch_read(path, &count);
    text[count - 1] = '\0';
    found = strstr((char *)text, "TUPLTYPE");
    CHECK(line ? found && strncmp(found, line, strlen(line)) == 0 : !found, "'%s': %s", type,
          (char *)text);
    free(text);
    image_free(&image);
}

/* A tuple type that is too long for libnetpbm's lines is dropped. */
static void test_long_tuple_type(void)
{
    char type[247] = "", line[300];

    memset(type, 'a', 245);
    snprintf(line, sizeof line, "TUPLTYPE %s\nENDHDR", type);
    check_tuple_type(FORMAT_PAM, type, line);
    type[245] = 'a';
    check_tuple_type(FORMAT_PAM, type, NULL);
}

static void test_tuple_types(void)
{
    test_long_tuple_type();
    check_tuple_type(FORMAT_PAM, "A B", "TUPLTYPE A B\n");
    check_tuple_type(FORMAT_PAM, "GRAYSCALE_ALPHA", "TUPLTYPE GRAYSCALE_ALPHA\n");
    check_tuple_type(FORMAT_PAM, "RGB", "TUPLTYPE GRAYSCALE_ALPHA\n"); /* RGB has 3 channels */
    check_tuple_type(FORMAT_PAM, "", NULL);
    check_tuple_type(FORMAT_PNG, "", "TUPLTYPE GRAYSCALE_ALPHA\n");
}

static void test_written_bytes(void)
{
    const struct write_options plain = {.plain = true}, raw = {.plain = false};
    struct image wide = scratch_image(100, 2, 1, 65535, 0, 1),
                 bits = scratch_image(3, 1, 1, 1, 0, 5);
    const struct image *const images[] = {&wide, &bits};
    const char *path = scratch_path("written");
    struct error error;
    unsigned char *text;
    size_t count, column = 0, widest = 0;

    NEED(store(path, FORMAT_PGM, plain, &images[0], 1, &error) == STATUS_OK);
    text = scratch_read(path, &count);
    for (size_t i = 0; i < count; i++) {
        column = text[i] == '\n' ? 0 : column + 1;
        widest = column > widest ? column : widest;
    }
    CHECK(widest > 60 && widest <= 70, "the widest line has %zu columns", widest);
    free(text);
    memcpy(image_row(&bits, 0), "\0\1\0", 3);
    NEED(store(path, FORMAT_PBM, raw, &images[1], 1, &error) == STATUS_OK);
    text = scratch_read(path, &count);
    CHECK(count == 8 && memcmp(text, "P4\n3 1\n\xa0", 8) == 0, "a packed row");
    free(text);
    image_free(&wide);
    image_free(&bits);
}

/* Opens a file that is as long as its header says. The samples are a hole, which takes no disk
 * space. */
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

/* The manual's LIMITS: (width + 1) * channels is at most 2^28 - 1, and the height 2^31 - 11. */
static void test_largest_sizes(void)
{
    check_size("P5 268435454 1 255\n", 268435454, STATUS_OK);
    check_size("P5 268435455 1 255\n", 268435455, STATUS_INPUT);
    check_size("P6 89478484 1 255\n", 268435452, STATUS_OK);
    check_size("P6 89478485 1 255\n", 268435455, STATUS_INPUT);
    check_size("P5 1 2147483637 255\n", 2147483637, STATUS_OK);
    check_size("P5 1 2147483638 255\n", 2147483638, STATUS_INPUT);
}

static void test_names(void)
{
    struct image image = scratch_image(1, 1, 3, 255, 0, 1);
    enum format format;

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

int main(void)
{
    scratch_make();
    test_round_trips();
    test_streams();
    test_known_bytes();
    test_tuple_types();
    test_written_bytes();
    test_largest_sizes();
    test_names();
    return unit_result();
}
