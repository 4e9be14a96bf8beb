/* SPDX-License-Identifier: MIT */
/* Writes TIFF, little-endian. libtiff writes the directories. Uncompressed rows are written at
 * their offsets, where libtiff has left space. Threads compress strips in any order, but the strips
 * are written in their order, so the file's bytes do not depend on the number of threads. */
#include "src/files/codec/raw.h"
#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"
#include "src/files/codec/tiff/tiff.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define TIFF_DEFLATE_LEVEL 6 /* zlib's and libtiff's default */

/* Returns libtiff's number of the predictor. */
static int predictor_of(uint32_t maxval)
{
    return maxval == FLOAT_SAMPLES ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL;
}

static void subtract(const void *from, int64_t count, int64_t channels, int32_t bytes, void *to)
{
    memcpy(to, from, (size_t)(min(count, channels) * bytes));
    for (int64_t i = channels; i < count; i++)
        row_set(to, bytes, i, row_get(from, bytes, i) - row_get(from, bytes, i - channels));
    if (raw_is_swapped(false))
        raw_swap(to, count, bytes, to);
}

/* Applies TIFF's predictor for floats: puts the highest bytes of all samples first, then the next
 * bytes, and so on; then takes differences of these bytes. */
static void subtract_floats(const uint32_t *from, int64_t count, int64_t channels, uint8_t *to)
{
    for (int64_t i = 0; i < count; i++)
        for (int byte = 0; byte < 4; byte++)
            to[byte * count + i] = (uint8_t)(from[i] >> (24 - 8 * byte));
    for (int64_t i = 4 * count - 1; i >= channels; i--)
        to[i] = (uint8_t)(to[i] - to[i - channels]);
}

static void predict(const struct image *image, int64_t y, uint8_t *to)
{
    const int64_t channels = image->view.channels, count = image->view.width * channels;

    if (image->view.sample_bytes == 4)
        subtract_floats(image_row(image, y), count, channels, to);
    else
        subtract(image_row(image, y), count, channels, image->view.sample_bytes, to);
}

/* Encodes rows from..from+count-1 of *image as a strip: replaces each sample by its difference from
 * the pixel to the left (TIFF's predictor), in little-endian order, and deflates the result. Floats
 * have a predictor of their own, subtract_floats. */
static enum status make_strip(const struct image_writer *writer, int64_t first, int64_t count,
                              const struct image *image, int64_t from, struct turn_part *strip,
                              struct error *error)
{
    const size_t row_bytes = image_row_bytes(image), raw_bytes = (size_t)count * row_bytes;
    uLongf used = compressBound(raw_bytes);
    uint8_t *raw = malloc(raw_bytes), *deflated = malloc(used);
    bool good = raw && deflated;

    (void)first;
    for (int64_t i = 0; i < count && good; i++)
        predict(image, from + i, raw + (size_t)i * row_bytes);
    good = good && compress2(deflated, &used, raw, raw_bytes, TIFF_DEFLATE_LEVEL) == Z_OK;
    free(raw);
    if (!good) {
        free(deflated);
        return image_writer_no_memory(writer, error);
    }
    *strip = (struct turn_part){.bytes = deflated, .count = used};
    return STATUS_OK;
}

/* Approximate bytes of samples in a strip: enough to compress well, but few enough that several
 * threads have strips to compress. */
#define STRIP_BYTES (1 << 18)

static int64_t strip_rows(const struct image *header)
{
    const int64_t fitting = STRIP_BYTES / (int64_t)image_row_bytes(header);

    return max(min(fitting, header->view.height), 1);
}

/* Sets the tags for the colours, RGB or grey, and for extra samples such as alpha. */
static bool set_colours(TIFF *tif, const struct image *header)
{
    static const uint16_t alphas[] = {[NO_ALPHA] = EXTRASAMPLE_UNSPECIFIED,
                                      [STRAIGHT_ALPHA] = EXTRASAMPLE_UNASSALPHA,
                                      [ASSOCIATED_ALPHA] = EXTRASAMPLE_ASSOCALPHA};
    const char *type = header->tuple_type;
    const int32_t channels = header->view.channels;
    const bool from_tiff = header->format == FORMAT_TIFF;
    const bool rgb = from_tiff ? strncmp(type, TUPLE_RGB, 3) == 0 : channels == 3 || channels == 4;
    const int32_t extra = channels - (rgb ? 3 : 1);
    uint16_t *kinds = calloc((size_t)max(extra, 1), sizeof *kinds);
    bool good = kinds != NULL;

    if (good)
        kinds[0] = alphas[image_alpha(header)];
    good = good &&
           TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    if (extra > 0)
        good = good && TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, (uint16_t)extra, kinds);
    free(kinds);
    return good;
}

static bool set_shape(TIFF *tif, const struct image *header, bool compressed)
{
    const struct view *view = &header->view;

    return TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)view->width) &&
           TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)view->height) &&
           TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, (uint16_t)(8 * view->sample_bytes)) &&
           TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, (uint16_t)view->channels) &&
           (header->maxval != FLOAT_SAMPLES ||
            TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP)) &&
           TIFFSetField(tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
           TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, (uint32_t)strip_rows(header)) &&
           TIFFSetField(tif, TIFFTAG_COMPRESSION,
                        compressed ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE) &&
           (!compressed || TIFFSetField(tif, TIFFTAG_PREDICTOR, predictor_of(header->maxval)));
}

static enum status set_tags(struct tiff_handle *handle, const struct image *header, bool compressed,
                            struct error *error)
{
    if (!set_shape(handle->tif, header, compressed) || !set_colours(handle->tif, header))
        return tiff_fault(handle, NULL, error);
    return tiff_tags_write(handle, header, error);
}

/* Writes the directory before the samples; end() completes the directory's lists of strips. If the
 * directories followed the samples, Python's tifffile would wrongly read the images of an ImageJ
 * file as contiguous. On a big-endian machine libtiff swaps the bytes of the tags' arrays in place
 * when it writes them, so the tags are set again for end(). */
static enum status begin_directory(struct tiff_handle *handle, const struct image *header,
                                   bool compressed, struct error *error)
{
    const enum status status = set_tags(handle, header, compressed, error);

    if (status != STATUS_OK)
        return status;
    return TIFFCheckpointDirectory(handle->tif) ? set_tags(handle, header, compressed, error)
                                                : tiff_fault(handle, NULL, error);
}

/* How much of the 4 GiB of a TIFF file is set aside for its directories: more than they need. */
#define DIRECTORY_BYTES (1 << 26)

static enum status prepare(struct image_writer *writer, const struct image *image,
                           struct error *error)
{
    const enum tiff_compression compression = writer->options.tiff_compression;

    if (!writer->own_file)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: TIFF is written to a file only, since its parts are not in their order; "
                    "name a file, or give another --format",
                    writer->name);
    if (image->view.channels > UINT16_MAX)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: TIFF holds up to %d channels, but the image has %d; name the output .pam",
                    writer->name, UINT16_MAX, (int)image->view.channels);
    writer->encodes = compression == TIFF_COMPRESSION_AS_INPUT
                          ? writer->input_compressed
                          : compression == TIFF_COMPRESSION_DEFLATE;
    writer->bytes = raw_codec_bytes(image);
    if (writer->encodes) {
        writer->block_rows = strip_rows(image);
        writer->bytes = 3 * writer->block_rows * (int64_t)image_row_bytes(image) + ZLIB_BYTES;
    }
    return STATUS_OK;
}

/* Opens libtiff before the first image. The file is BigTIFF if the first image may take 4 GiB, or
 * if the size of all images together is known in advance and may exceed 4 GiB. */
static enum status open_file(struct image_writer *writer, const struct image *header,
                             struct error *error)
{
    const int64_t bytes = max(image_bytes(header), writer->expected_bytes);
    const bool big = bytes > (int64_t)UINT32_MAX - DIRECTORY_BYTES;

    if (!writer->kept)
        writer->kept = tiff_handle_open(writer->name, writer->file, 0, big ? "wl8" : "wl", error);
    return writer->kept ? STATUS_OK : STATUS_OUTPUT;
}

/* Makes libtiff list the strips and leave space for their samples, which are written later, in any
 * order. */
static bool keep_free(struct tiff_handle *handle, const struct image *header,
                      struct raw_place *place)
{
    const int64_t rows = strip_rows(header), height = header->view.height;
    bool good = true;

    place->row_bytes = (int64_t)image_row_bytes(header);
    place->offset = handle->bytes;
    handle->keeps_free = true;
    for (int64_t y = 0; y < height && good; y += rows) {
        const tmsize_t bytes = (tmsize_t)(min(rows, height - y) * place->row_bytes);

        good = TIFFWriteRawStrip(handle->tif, (uint32_t)(y / rows), place, bytes) == bytes;
    }
    handle->keeps_free = false;
    return good && handle->bytes - place->offset == height * place->row_bytes;
}

/* Checks that a file that is not BigTIFF has space for the image. Compressed images are not
 * checked, since their size is not known in advance. */
static enum status check_room(const struct image_writer *writer, const struct image *header,
                              struct error *error)
{
    const struct tiff_handle *handle = writer->kept;

    if (TIFFIsBigTIFF(handle->tif) || writer->encodes ||
        handle->bytes + image_bytes(header) < (int64_t)UINT32_MAX - (1 << 20))
        return STATUS_OK;
    return fail(error, STATUS_OUTPUT,
                "%s: the images take more than 4 GiB, which was not known when the first was "
                "written; read them from a file instead of a pipe",
                writer->name);
}

static enum status begin(struct image_writer *writer, const struct image *header,
                         struct error *error)
{
    enum status status = open_file(writer, header, error);

    if (status == STATUS_OK)
        status = check_room(writer, header, error);
    if (status == STATUS_OK)
        status = begin_directory(writer->kept, header, writer->encodes, error);
    if (status != STATUS_OK)
        return status;
    return writer->encodes || keep_free(writer->kept, header, writer->writing)
               ? STATUS_OK
               : tiff_fault(writer->kept, NULL, error);
}

static enum status write_strip(struct image_writer *writer, int64_t index,
                               const struct turn_part *strip, struct error *error)
{
    struct tiff_handle *handle = writer->kept;

    return TIFFWriteRawStrip(handle->tif, (uint32_t)index, strip->bytes, (tmsize_t)strip->count) ==
                   (tmsize_t)strip->count
               ? STATUS_OK
               : tiff_fault(handle, NULL, error);
}

/* Writes the complete directory over the one that begin_directory() wrote. */
static enum status end(struct image_writer *writer, struct error *error)
{
    struct tiff_handle *handle = writer->kept;

    return TIFFWriteDirectory(handle->tif) ? STATUS_OK : tiff_fault(handle, NULL, error);
}

const struct encoder tiff_encoder = {
    .writing_bytes = sizeof(struct raw_place),
    .prepare = prepare,
    .begin = begin,
    .put = raw_codec_put,
    .make_part = make_strip,
    .write_part = write_strip,
    .end = end,
};
