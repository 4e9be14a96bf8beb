/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/decode.h"

#include "kernels/common/sample.h"
#include "tests/fuzz/ground.h"

#include <string.h>
#include <xxhash.h>

/* Numbers of the files in memory (ground_file() of ground.h): the target's input, and an output. */
enum { INPUT, WRITTEN };

/* The outcome of reading all images of a stream. */
struct outcome {
    enum status status;
    int64_t images;
    uint64_t samples, metadata; /* checksums of the images' samples and metadata */
};

static void demand_good(const struct image *image)
{
    const int64_t samples = image->view.width * image->view.channels;

    DEMAND(image->view.width >= 1 && image->view.height >= 1 && samples >= 1, "an empty image");
    DEMAND(memchr(image->tuple_type, '\0', sizeof image->tuple_type), "an endless tuple type");
    DEMAND(!strchr(image->tuple_type, '\n'), "a tuple type of two lines");
    if (image->maxval == FLOAT_SAMPLES)
        return;
    DEMAND(image->maxval <= MAX_MAXVAL, "a maxval of %u", image->maxval);
    for (int64_t y = 0; y < image->view.height; y++)
        for (int64_t i = 0; i < samples; i++)
            DEMAND(row_get(image_row(image, y), image->view.sample_bytes, i) <= image->maxval,
                   "a sample above maxval");
}

static uint64_t checksum_of(const struct metadata *metadata)
{
    uint64_t checksum = metadata->count;

    for (size_t i = 0; i < metadata->count; i++) {
        const struct metadata_item *item = &metadata->items[i];

        checksum = checksum * 31 + item->late + strlen(item->name) +
                   XXH3_64bits_withSeed(item->bytes, item->count, i);
    }
    return checksum;
}

static void note_image(struct outcome *outcome, const struct image *image)
{
    const struct shape shape = image_shape(image);

    outcome->images++;
    outcome->samples = 31 * outcome->samples +
                       (uint64_t)(shape.width + 3 * shape.height + 5 * shape.channels) +
                       7 * shape.maxval;
    for (int64_t y = 0; y < shape.height; y++)
        outcome->samples +=
            XXH3_64bits_withSeed(image_row(image, y), image_row_bytes(image), (uint64_t)y);
    outcome->metadata = 31 * outcome->metadata + checksum_of(image->metadata);
}

/* Empties file `which` in memory (ground.h), and opens a writer to it. */
static struct image_writer open_sink(enum format format, int which)
{
    struct image_writer writer = {.name = "output",
                                  .format = format,
                                  .own_file = true,
                                  .options = {.png_level = PNG_LEVEL_DEFAULT}};

    writer.file = fopen(ground_file(which, "", 0), "w+b");
    DEMAND(writer.file, "no output");
    return writer;
}

static void close_sink(struct image_writer *writer)
{
    image_writer_close(writer);
    DEMAND(fclose(writer->file) == 0, "not written");
}

/* Reads the samples of the image that `header` describes, and checks them. Also writes the image to
 * `sink` unless that is NULL. Fails if the image is too large. */
static enum status load(struct image_reader *reader, const struct image *header,
                        struct image_writer *sink, struct outcome *outcome, struct error *error)
{
    const struct shape shape = image_shape(header);
    struct image image;
    enum status status;

    if (image_lay_out(&image, &shape) > DECODE_MOST_BYTES || reader->bytes > DECODE_MOST_BYTES)
        return fail(error, STATUS_INPUT, "too large for a fuzz target");
    status = image_reader_load(reader, header, 1, NULL, &image, error);
    if (status == STATUS_OK) {
        demand_good(&image);
        note_image(outcome, &image);
        if (sink)
            DEMAND(image_writer_put(sink, &image, error) == STATUS_OK, "%s", error->text);
    }
    image_free(&image);
    return status;
}

/* Decodes all images of the file at `path`. Also writes them to `sink` unless that is NULL. */
static struct outcome decode(const char *path, struct image_writer *sink)
{
    struct outcome outcome = {.status = STATUS_OK};
    struct image_reader reader;
    struct image header;
    struct error error;
    bool found = true;

    outcome.status = image_reader_open(&reader, path, DECODE_MOST_PIXELS, &error);
    reader.max_metadata = DECODE_MOST_METADATA;
    while (outcome.status == STATUS_OK && found) {
        outcome.status = image_reader_begin(&reader, &header, &found, &error);
        if (outcome.status == STATUS_OK && found)
            outcome.status = load(&reader, &header, sink, &outcome, &error);
    }
    ground_demand_told(outcome.status, &error);
    image_reader_close(&reader);
    return outcome;
}

void decode_both_ways(const uint8_t *data, size_t size)
{
    const size_t count = size < GROUND_PIPE_BYTES ? size : GROUND_PIPE_BYTES;
    struct outcome file, pipe;

    if (codec_find(data, count) == &codec_tiff) /* no TIFF is read from a pipe */
        return;
    file = decode(ground_file(INPUT, data, count), NULL);
    pipe = decode(ground_pipe(data, count), NULL);
    ground_pipe_close();
    DEMAND(file.status == pipe.status, "status %d from a file, %d from a pipe", file.status,
           pipe.status);
    DEMAND(file.images == pipe.images, "%d images from a file, %d from a pipe", (int)file.images,
           (int)pipe.images);
    DEMAND(file.samples == pipe.samples, "other samples from a pipe than from a file");
    DEMAND(file.metadata == pipe.metadata, "other metadata from a pipe than from a file");
}

void decode_and_rewrite(const uint8_t *data, size_t size, enum format format)
{
    const char *path = ground_file(INPUT, data, size);
    struct image_writer sink = open_sink(format, WRITTEN);
    const struct outcome first = decode(path, &sink);
    struct outcome again;

    close_sink(&sink);
    if (first.status != STATUS_OK)
        return;
    again = decode(ground_path(WRITTEN), NULL);
    DEMAND(again.status == STATUS_OK, "what was written cannot be read");
    DEMAND(again.images == first.images, "%d images, written %d", (int)first.images,
           (int)again.images);
    DEMAND(format == FORMAT_JPEG || again.samples == first.samples,
           "other samples than were written");
}
