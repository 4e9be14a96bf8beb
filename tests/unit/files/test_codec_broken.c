/* SPDX-License-Identifier: MIT */
/* Reads files that are truncated, damaged, hostile or of another kind, and writes images that a
 * format cannot hold. Each must give an error that names the file, never half an image. The
 * sanitizers show accesses out of bounds here. */
#include "tests/unit/files/codec_io.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <string.h>

/* libnetpbm 11.01 leaks the comments of a PAM header that it refuses. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libnetpbm";
}

static void check_error(enum status status, enum status want, const char *name, const char *text,
                        const struct error *error, const struct image *image)
{
    CHECK(status == want, "%s is %d, not %d: %s", name, status, want, error->text);
    CHECK(status == STATUS_OK || error->status == status, "%s", name);
    CHECK(status == STATUS_OK || strstr(error->text, text), "'%s' is not in: %s", text,
          error->text);
    CHECK(status == STATUS_OK || !image || !image->memory, "%s left an image", name);
}

static const struct sample_file {
    const char *name;
    enum format format;
    bool plain;
    int32_t channels;
    uint32_t maxval;
} sample_files[] = {
    {"P1", FORMAT_PBM, true, 1, 1},
    {"P2", FORMAT_PGM, true, 1, 9},
    {"P3", FORMAT_PPM, true, 3, 9},
    {"P4", FORMAT_PBM, false, 1, 1},
    {"P5", FORMAT_PGM, false, 1, 255},
    {"P5 wide", FORMAT_PGM, false, 1, 4095},
    {"P6", FORMAT_PPM, false, 3, 100},
    {"P7", FORMAT_PAM, false, 4, 65535},
    {"PNG", FORMAT_PNG, false, 3, 255},
    {"PNG wide", FORMAT_PNG, false, 2, 65535},
    {"PNG bits", FORMAT_PNG, false, 1, 1},
    {"NPY", FORMAT_NPY, false, 1, 255},
    {"NPY wide", FORMAT_NPY, false, 3, 65535},
};
#define SAMPLE_FILES (sizeof sample_files / sizeof *sample_files)

static unsigned char *make_file(const struct sample_file *kind, size_t *count)
{
    struct image image = scratch_image(9, 5, kind->channels, kind->maxval, 1, 11);
    const struct image *const images[] = {&image};
    const struct write_options options = {.plain = kind->plain, .png_level = 6};
    const char *path = scratch_path("whole");
    struct error error;

    NEED(store(path, kind->format, options, images, 1, &error) == STATUS_OK);
    image_free(&image);
    return scratch_read(path, count);
}

static void test_truncated(void)
{
    for (size_t k = 0; k < SAMPLE_FILES; k++) {
        const struct sample_file *kind = &sample_files[k];
        size_t count;
        unsigned char *bytes = make_file(kind, &count);

        for (size_t cut = 0; cut <= count; cut++) {
            /* The last byte of a plain file is a newline, which may be missing. */
            const bool whole = cut >= count - kind->plain;
            const char *path = scratch_path("cut");
            struct image image;
            struct error error = {STATUS_OK, ""};
            enum status status;
            int images;

            scratch_write(path, bytes, cut);
            status = load(path, &image, &images, &error);
            check_error(status, whole ? STATUS_OK : STATUS_INPUT, kind->name, path, &error, &image);
            image_free(&image);
            status = load_pipe(bytes, cut, &image, &error);
            check_error(status, whole ? STATUS_OK : STATUS_INPUT, kind->name, "/dev/fd/", &error,
                        &image);
            image_free(&image);
        }
        free(bytes);
    }
}

static void test_damaged_png(void)
{
    size_t count;
    unsigned char *bytes = make_file(&sample_files[8], &count);

    /* All bytes are in the signature or in critical chunks, so any change must be noticed. */
    for (size_t i = 0; i < count; i++) {
        struct image image;
        struct error error;
        enum status status;

        bytes[i] ^= 4;
        status = load_pipe(bytes, count, &image, &error);
        CHECK(status == STATUS_INPUT && !image.memory, "byte %zu of %zu", i, count);
        image_free(&image);
        bytes[i] ^= 4;
    }
    free(bytes);
}

#define BYTES(text) text, sizeof text - 1

static void test_refused(void)
{
    static const struct {
        const char *bytes;
        size_t count;
        enum status status;
        const char *text;
    } cases[] = {
        {BYTES(""), STATUS_INPUT, "empty"},
        {BYTES("hello"), STATUS_INPUT, "(starts with 'hello')"},
        {BYTES("P8 1 1 1 1"), STATUS_INPUT, "(starts with 'P8 1 1 1')"},
        {BYTES("GIF89a"), STATUS_UNSUPPORTED, "GIF"},
        {BYTES("BMaaaaaa"), STATUS_UNSUPPORTED, "BMP"},
        {BYTES("RIFFxxxxWEBP"), STATUS_UNSUPPORTED, "WebP"},
        {BYTES("SIMPLE  = T"), STATUS_UNSUPPORTED, "FITS"},
        {BYTES("PF\n1 1\n-1\nxxxx"), STATUS_UNSUPPORTED, "PFM"},
        {BYTES("P5 0 1 1\n"), STATUS_INPUT, "idth"},
        {BYTES("P5 1 1 0\n\1"), STATUS_INPUT, "maxval"},
        {BYTES("P5 1 1 70000\n\1\1\1"), STATUS_INPUT, "70000"},
        {BYTES("P5 1001 1000 255\n"), STATUS_INPUT, "--max-pixels"},
        {BYTES("P5 1001 1000 255\n"), STATUS_INPUT, "1001000 pixels, above the limit of 1000000"},
        {BYTES("P5 100000000 100000000 255\n"), STATUS_INPUT, "--max-pixels"},
        {BYTES("P6 2147483647 1 255\n"), STATUS_INPUT, "too large"},
        {BYTES("P5 1000 1000 255\nabc"), STATUS_INPUT, "1000000 bytes, but only 3 follow"},
        {BYTES("P4 9 3\nabcde"), STATUS_INPUT, "6 bytes, but only 5 follow"},
        {BYTES("P5 2 2 7\n\1\2\3\10"), STATUS_INPUT, "column 2 of 2, row 2 of 2 is 8, above the"},
        {BYTES("P5 1 2 256\n\1\0\1\1"), STATUS_INPUT, "row 2 of 2 is 257, above the maxval of 256"},
        {BYTES("P2 2 1 7 1 12345678"), STATUS_INPUT, "column 2 of 2, row 1 of 1 is 12345678,"},
        {BYTES("P2 2 1 7 1 x"), STATUS_INPUT, "unexpected byte 78 in row 1 of 1;"},
        {BYTES("P1 2 1 12"), STATUS_INPUT, "is 2, above the maxval of 1"},
        {BYTES("P5\n3$2\n255Xabcdef"), STATUS_INPUT,
         "unexpected byte 24; expected a number or white space"},
        {BYTES("P6 1 1 255\v\1\1\1"), STATUS_INPUT, "unexpected byte 0b;"},
        {BYTES("P5 1 1 1\n\1junk"), STATUS_INPUT, "unexpected byte 6a at offset 10 after"},
        {BYTES("P5 1 1 1\n\1\nP5 1 1 1\n"), STATUS_INPUT, "after 1 good image"},
        {BYTES("P7\nWIDTH 1\nENDHDR\n\1"), STATUS_INPUT, "HEIGHT"},
        {BYTES("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 99\nMAXVAL 1\nENDHDR\n\1"), STATUS_INPUT, "99 bytes"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = scratch_path("refused");
        struct image image;
        struct error error;
        int count;

        scratch_write(path, cases[i].bytes, cases[i].count);
        check_error(load(path, &image, &count, &error), cases[i].status, cases[i].bytes,
                    cases[i].text, &error, &image);
        CHECK(strstr(error.text, path), "%s", error.text);
        image_free(&image);
    }
}

static void test_not_files(void)
{
    struct image_reader reader;
    const struct codec *codec;
    struct error error;

    check_error(image_reader_open(&reader, scratch_path("."), 1, &error), STATUS_INPUT, "a folder",
                "folder", &error, NULL);
    check_error(image_reader_open(&reader, scratch_path("none"), 1, &error), STATUS_INPUT,
                "nothing", "No such file", &error, NULL);
    check_error(image_reader_recognise(scratch_path("."), &codec, &error), STATUS_INPUT, "a folder",
                "Is a directory", &error, NULL);
    check_error(image_reader_recognise(scratch_path("none"), &codec, &error), STATUS_INPUT,
                "nothing", "No such file", &error, NULL);
}

/* Reads good and broken headers in several threads at once. libnetpbm reports errors by longjmp,
 * which must stay in the thread of its caller. */
static void *read_often(void *failures)
{
    for (int i = 0; i < 300; i++) {
        struct image image;
        struct error error = {STATUS_OK, ""};
        const bool good = i % 2;
        const enum status status = good ? load_pipe(BYTES("P2 1 1 5 3"), &image, &error)
                                        : load_pipe(BYTES("P2 1 0 5 3"), &image, &error);

        *(long *)failures += status != (good ? STATUS_OK : STATUS_INPUT);
        image_free(&image);
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[4];
    long failures[4] = {0};

    for (int i = 0; i < 4; i++)
        NEED(pthread_create(&threads[i], NULL, read_often, &failures[i]) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK(failures[i] == 0, "thread %d: %ld wrong", i, failures[i]);
    }
}

int main(void)
{
    scratch_make();
    test_truncated();
    test_damaged_png();
    test_refused();
    test_not_files();
    test_threads();
    return unit_result();
}
