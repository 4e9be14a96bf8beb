/* SPDX-License-Identifier: MIT */
/* NPY, NumPy's format of one array: rows, columns and, if there are several, channels. */
#include "src/files/codec/npy/header.h"
#include "src/files/codec/raw/raw.h"

#include <stdlib.h>
#include <string.h>

static bool recognises(const unsigned char *head, size_t bytes)
{
    return bytes >= NPY_MAGIC_BYTES && memcmp(head, NPY_MAGIC, NPY_MAGIC_BYTES) == 0;
}

static enum status open_npy(struct image_reader *reader, struct image *header, struct error *error)
{
    struct npy_header found;
    struct raw_raster *raster;
    enum status status = npy_header_read(reader, &found, error);

    if (status == STATUS_OK)
        status = image_reader_check_header(
            reader, &found.shape,
            8.0 * (double)found.shape.width * (double)pixel_bytes(&found.shape), error);
    if (status != STATUS_OK)
        return status;
    raster = malloc(sizeof *raster);
    if (!raster)
        return fail(error, STATUS_INPUT, "%s: no memory to read it", reader->name);
    *raster = (struct raw_raster){.reader = reader,
                                  .shape = found.shape,
                                  .offset = raw_offset(reader),
                                  .big_endian = found.big_endian};
    image_describe(header, &found.shape);
    header->format = FORMAT_NPY;
    reader->reading = raster;
    reader->order = raster->offset != RAW_IN_ORDER ? ROWS_IN_ANY_ORDER : ROWS_IN_ORDER;
    return STATUS_OK;
}

static enum status read_npy(const struct image_reader *reader, int64_t first, int64_t count,
                            int64_t column, const struct image *image, int64_t to,
                            struct error *error)
{
    return raw_read(reader->reading, first, count, column, image, to, error);
}

/* numpy.load reads the first array of a file, and nothing after it. */
static enum status more_npy(struct image_reader *reader, bool *more, struct error *error)
{
    unsigned char head[FORMAT_HEAD_BYTES] = {0};
    const size_t bytes = reader->at_end ? 0 : image_reader_peek(reader, head);

    (void)error;
    *more = false;
    if (recognises(head, bytes))
        metadata_note(&reader->metadata.faults, NULL, "another array after the end, not read");
    else if (bytes > 0)
        metadata_note(&reader->metadata.faults, NULL, "other bytes after the end, not read");
    return STATUS_OK;
}

static struct write_requirements npy_requirements(const struct image_writer *writer,
                                                  const struct image *header)
{
    (void)writer;
    return raw_requirements(header);
}

static enum status npy_begin(struct image_writer *writer, const struct image *header,
                             struct error *error)
{
    const struct shape shape = image_shape(header);
    struct raw_place *place = calloc(1, sizeof *place);
    char bytes[NPY_WRITTEN_BYTES];
    enum status status;

    if (!place)
        return fail(error, STATUS_OUTPUT, "%s: no memory to write it", writer->name);
    writer->writing = place;
    writer->order = image_writer_takes_bands(writer) ? ROWS_IN_ANY_ORDER : ROWS_IN_ORDER;
    npy_header_make(&shape, bytes);
    status = image_writer_write(writer, bytes, sizeof bytes, error);
    return status == STATUS_OK ? raw_write_begin(writer, header, place, error) : status;
}

static enum status npy_supports(const struct image_writer *writer, const struct image *image,
                                struct error *error)
{
    (void)image;
    if (writer->images > 0)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: NPY holds one image, but the input has several; name the output .tif or "
                    ".pam",
                    writer->name);
    return STATUS_OK;
}

const struct codec codec_npy = {
    .name = "NPY",
    .floats = true,
    .recognises = recognises,
    .open = open_npy,
    .read = read_npy,
    .finish = raw_codec_finish,
    .more = more_npy,
    .requirements = npy_requirements,
    .begin = npy_begin,
    .put = raw_codec_put,
    .end = raw_codec_end,
    .supports = npy_supports,
};
