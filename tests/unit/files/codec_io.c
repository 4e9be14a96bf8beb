/* SPDX-License-Identifier: MIT */
#include "tests/unit/files/codec_io.h"
#include "tests/unit/unit.h"

#include <unistd.h>

enum status store(const char *path, enum format format, struct write_options options,
                  const struct image *const *images, int count, struct error *error)
{
    /* only TIFF's writer needs a file of its own, to seek in */
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

enum status next_image(struct image_reader *reader, struct image *image, bool *found,
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

enum status load(const char *path, struct image *image, int *count, struct error *error)
{
    struct image_reader reader;
    struct image other;
    bool found = true;
    enum status status = image_reader_open(&reader, path, TEST_MAX_PIXELS, error);

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

enum status load_pipe(const void *bytes, size_t count, struct image *image, struct error *error)
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

bool is_recognised(const char *path)
{
    struct error unused;
    const struct codec *codec;

    return image_reader_recognise(path, &codec, &unused) == STATUS_OK && codec;
}
