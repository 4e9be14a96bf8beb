/* SPDX-License-Identifier: MIT */
/* Reads files that are truncated or damaged anywhere. Each must give an error that names the file,
 * and no image. Builds with sanitizers also find accesses out of bounds. */
#include "src/files/codec/codec.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define MAX_PIXELS 1000000

/* libnetpbm 11.01 leaks the comments of a PAM header that it refuses. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libnetpbm";
}

static enum status store(const char *path, enum format format, struct write_options options,
                         const struct image *const *images, int count, struct error *error)
{
    /* own_file: only the TIFF writer needs it, because it seeks in the file */
    struct image_writer writer = {.file = fopen(path, "w+b"),
                                  .name = path,
                                  .format = format,
                                  .own_file = format == FORMAT_TIFF,
                                  .options = options};
    enum status status = STATUS_OK;

    NEED(writer.file);
    for (int i = 0; i < count && status == STATUS_OK; i++)
        status = image_writer_put(&writer, images[i], error);
    image_writer_close(&writer);
    NEED(fclose(writer.file) == 0);
    return status;
}

/* Reads the next image of the file. If there is none, *found is false and *image is empty. */
static enum status next_image(struct image_reader *reader, struct image *image, bool *found,
                              struct error *error)
{
    struct image header;
    enum status status = image_reader_begin(reader, &header, found, error);

    *image = (struct image){0};
    if (status == STATUS_OK && *found)
        status = image_reader_load(reader, &header, 1, NULL, image, error);
    *found = *found && status == STATUS_OK;
    return status;
}

/* Reads the file's first image into *image, then reads its other images; *count is the number of
 * good images. Returns STATUS_INPUT also for a fault that does not affect samples. The caller frees
 * *image, which is empty on failure. */
static enum status load(const char *path, struct image *image, int *count, struct error *error)
{
    struct image_reader reader;
    struct image other;
    bool found = true;
    enum status status = image_reader_open(&reader, path, MAX_PIXELS, error);

    *image = (struct image){0};
    *count = 0;
    while (status == STATUS_OK && found) {
        status = next_image(&reader, *count == 0 ? image : &other, &found, error);
        if (*count > 0)
            image_free(&other);
        *count += found;
    }
    if (status == STATUS_OK && reader.metadata.faults.text[0])
        status = fail(error, STATUS_INPUT, "%s: %s", path, reader.metadata.faults.text);
    image_reader_close(&reader);
    if (status != STATUS_OK)
        image_free(image);
    return status;
}

/* Like load(), but the file is a pipe with these bytes, at most 64 KiB. */
static enum status load_pipe(const void *bytes, size_t count, struct image *image,
                             struct error *error)
{
    int ends[2], images;
    char path[32];
    enum status status;

    NEED(pipe(ends) == 0 && write(ends[1], bytes, count) == (ssize_t)count);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    status = load(path, image, &images, error);
    close(ends[0]);
    return status;
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

    /* All bytes are in the signature or in critical chunks, so each change must be an error. */
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
        const enum status status = good ? load_pipe("P2 1 1 5 3", 10, &image, &error)
                                        : load_pipe("P2 1 0 5 3", 10, &image, &error);

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
    test_not_files();
    test_threads();
    return unit_result();
}
