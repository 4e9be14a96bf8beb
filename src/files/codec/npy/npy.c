/* SPDX-License-Identifier: MIT */
/* Reads and writes NPY, NumPy's format for one array. The array's sides are, in this order: planes
 * (of a stack only), rows, columns, and channels (if there are several). */
#include "src/files/codec/npy/header.h"
#include "src/files/codec/raw.h"
#include "kernels/common/numbers.h"

#include <math.h>
#include <stdlib.h>

/* Reads the header of the file, before its first image. */
static enum status read_header(struct image_reader *reader, struct error *error)
{
    struct npy_header *header = reader->kept = calloc(1, sizeof *header);
    double planes, row;
    enum status status;

    if (!header)
        return image_reader_no_memory(reader, error);
    status = npy_header_read(reader, header, error);
    planes = (double)max(header->planes, 1);
    row = (double)header->shape.width * (double)pixel_bytes(&header->shape);
    if (status == STATUS_OK)
        status = image_reader_check_header(reader, &header->shape, 8 * planes * row, error);
    if (status != STATUS_OK || !reader->stack)
        return status;
    reader->planes = header->planes;
    reader->expected_bytes = (int64_t)fmin(planes * row * (double)header->shape.height, 0x1p62);
    return STATUS_OK;
}

static enum status open_npy(struct image_reader *reader, struct image *header, struct error *error)
{
    const enum status status = reader->kept ? STATUS_OK : read_header(reader, error);
    const struct npy_header *found = reader->kept;

    if (status != STATUS_OK)
        return status;
    *(struct raw_raster *)reader->reading =
        (struct raw_raster){.shape = found->shape, .big_endian = found->big_endian};
    raw_codec_open(reader);
    image_lay_out(header, &found->shape);
    header->format = FORMAT_NPY;
    return STATUS_OK;
}

/* Like numpy.load, reads only the first array of a file. Notes bytes that follow this array. */
static enum status more_npy(struct image_reader *reader, bool *more, struct error *error)
{
    (void)error;
    *more = reader->images < reader->planes;
    if (!*more)
        image_reader_note_rest(reader, "another array after the end, not read");
    return STATUS_OK;
}

/* Writes the header before the first image. The header of a stack has the number of planes, or 1
 * while this number is unknown. */
static enum status npy_begin(struct image_writer *writer, const struct image *header,
                             struct error *error)
{
    const struct shape shape = image_shape(header);
    char bytes[NPY_WRITTEN_BYTES];
    enum status status = STATUS_OK;

    npy_header_make(&shape, writer->stack ? max(writer->planes, 1) : 0, bytes);
    if (writer->images == 0)
        status = image_writer_write(writer, bytes, sizeof bytes, error);
    return status == STATUS_OK ? raw_codec_begin(writer, error) : status;
}

/* If the number of planes was not known at first, writes the header again after each plane but the
 * first, with the number of planes so far. */
static enum status npy_end(struct image_writer *writer, struct error *error)
{
    char bytes[NPY_WRITTEN_BYTES];
    const struct shape shape = image_shape(&writer->written);
    const enum status status = raw_codec_end(writer, error);
    bool good;
    off_t end;

    if (status != STATUS_OK || !writer->stack || writer->planes > 0 || writer->images == 0)
        return status;
    npy_header_make(&shape, writer->images + 1, bytes);
    end = ftello(writer->file);
    good = fseeko(writer->file, 0, SEEK_SET) == 0 &&
           fwrite(bytes, 1, sizeof bytes, writer->file) == sizeof bytes &&
           fseeko(writer->file, end, SEEK_SET) == 0;
    return good ? STATUS_OK : image_writer_failed(writer, error);
}

/* True if the image has the size, channels and type of the previous image, which are those of all
 * earlier images. */
static bool is_like_others(const struct image_writer *writer, const struct image *image)
{
    const struct view *one = &image->view, *other = &writer->written.view;

    return one->width == other->width && one->height == other->height &&
           one->channels == other->channels && one->sample_bytes == other->sample_bytes;
}

static enum status npy_prepare(struct image_writer *writer, const struct image *image,
                               struct error *error)
{
    if (writer->images > 0 && !is_like_others(writer, image))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: a stack in NPY has planes of one size and kind, but image %lld of the "
                    "input has another; name the output .tif or .pam",
                    writer->name, (long long)(writer->images + 1));
    if (writer->stack && writer->planes == 0 && !writer->takes_bands)
        return fail(
            error, STATUS_UNSUPPORTED,
            "%s: a stack in NPY begins with the number of its planes, which this input does "
            "not tell; write to a file, or another format",
            writer->name);
    writer->bytes = raw_codec_bytes(image);
    return STATUS_OK;
}

static const struct encoder npy_encoder = {
    .writing_bytes = sizeof(struct raw_place),
    .one_image = true,
    .prepare = npy_prepare,
    .begin = npy_begin,
    .put = raw_codec_put,
    .end = npy_end,
};

const struct codec codec_npy = {
    .floats = true,
    .magics = {NPY_MAGIC},
    .magic_bytes = NPY_MAGIC_BYTES,
    .reading_bytes = sizeof(struct raw_raster),
    .open = open_npy,
    .read = raw_codec_read,
    .finish = raw_codec_finish,
    .more = more_npy,
    .encoder = &npy_encoder,
};
