/* SPDX-License-Identifier: MIT */
/* Images to files and back, as a test wants it. */
#include "codec_io.h"
#include "unit.h"

#include <unistd.h>

enum status store(const char *path, enum format format, struct write_options options,
                  const struct image *const *images, int count, struct error *error)
{
    struct sink sink = {
        .file = fopen(path, "wb"), .name = path, .format = format, .options = options};
    enum status status = STATUS_OK;

    NEED(sink.file);
    for (int i = 0; i < count && status == STATUS_OK; i++)
        status = sink_put(&sink, images[i], error);
    NEED(fclose(sink.file) == 0);
    return status;
}

enum status load(const char *path, int64_t halo, struct image *image, int *count,
                 struct error *error)
{
    struct source source;
    struct image other;
    bool found = true;
    enum status status = source_open(&source, path, TEST_MAX_PIXELS, error);

    *image = (struct image){0};
    *count = 0;
    while (status == STATUS_OK && found) {
        status = source_next(&source, halo, *count == 0 ? image : &other, &found, error);
        if (*count > 0)
            image_free(&other);
        *count += found;
    }
    if (status == STATUS_OK && source.metadata.faults.text[0])
        status = fail(error, STATUS_INPUT, "%s: %s", path, source.metadata.faults.text);
    source_close(&source);
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
    status = load(path, 0, image, &images, error);
    close(ends[0]);
    return status;
}

bool is_recognised(const char *path)
{
    struct error unused;
    bool is_image;

    return source_recognise(path, &is_image, &unused) == STATUS_OK && is_image;
}
