/* SPDX-License-Identifier: MIT */
/* Reads TIFF: each directory of the file is an image. libtiff reads the directories. raw.c reads
 * the rows of images that are stored as in memory (is_raster); rows.c reads all other rows through
 * libtiff, such as those of compressed images, of tiles and of separate planes. */
#include "src/files/codec/tiff/tiff.h"
#include "src/files/codec/raw.h"
#include "kernels/common/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct raw_raster raster; /* used if is_raster; raw.c needs it as the first member */
    bool is_raster;
    struct tiff_rows rows; /* used if not is_raster */
};

/* True if the samples are uncompressed, contiguous and stored as in memory, except for their byte
 * order, so that threads can read any rows at their offsets. Call it after tiff_parts_check. */
static bool is_raster(const struct tiff_handle *handle, const struct tiff_kind *kind)
{
    const uint64_t first = TIFFGetStrileOffset(handle->tif, 0);
    const uint64_t strip_bytes =
        (uint64_t)(kind->block_rows * kind->shape.width * pixel_bytes(&kind->shape));
    uint16_t fill_order = FILLORDER_MSB2LSB;
    bool together = kind->compression == COMPRESSION_NONE && !kind->tiled && !kind->planar;

    TIFFGetFieldDefaulted(handle->tif, TIFFTAG_FILLORDER, &fill_order);
    for (uint32_t i = 1; together && i < TIFFNumberOfStrips(handle->tif); i++)
        together = TIFFGetStrileOffset(handle->tif, i) - first == i * strip_bytes;
    return together && fill_order == FILLORDER_MSB2LSB && !kind->inverted;
}

static enum status open_file(struct image_reader *reader, struct error *error)
{
    if (reader->kept)
        return STATUS_OK;
    if (reader->file_bytes < 0)
        return fail(
            error, STATUS_UNSUPPORTED,
            "%s: TIFF cannot be read from a pipe, since its parts are in any order; save it "
            "as a file first",
            reader->name);
    /* r: read. c: do not split strips. m: do not map the file into memory, since a mapped file that
     * becomes shorter raises a signal. */
    reader->kept = tiff_handle_open(reader->name, reader->file, reader->file_bytes, "rcm", error);
    return reader->kept ? STATUS_OK : error->status;
}

/* True if the image is a smaller copy or the mask of another image. Such images are skipped, since
 * a filtered copy or mask would no longer match the other image. */
static bool is_derived(const struct tiff_handle *handle)
{
    uint32_t kind = 0;

    TIFFGetFieldDefaulted(handle->tif, TIFFTAG_SUBFILETYPE, &kind);
    return kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK);
}

/* Refuses ImageJ's stacks of 4 GiB and more: only the first image has a directory, and the samples
 * of the other images follow the first image's samples. */
static enum status check_stack(const struct tiff_handle *handle, struct error *error)
{
    const char *text = NULL, *images;

    if (!TIFFLastDirectory(handle->tif) ||
        !TIFFGetField(handle->tif, TIFFTAG_IMAGEDESCRIPTION, &text) ||
        strncmp(text, "ImageJ=", 7) != 0)
        return STATUS_OK;
    images = strstr(text, "\nimages=");
    if (!images || strtol(images + 8, NULL, 10) <= 1)
        return STATUS_OK;
    return fail(error, STATUS_UNSUPPORTED,
                "%s: an ImageJ stack with a directory for its first image only is not supported; "
                "convert it first, for example with bfconvert",
                handle->name);
}

/* Checks a file once, when its first image is read. */
static enum status check_file(const struct tiff_handle *handle, struct error *error)
{
    if (is_derived(handle))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: TIFF that begins with a smaller copy, as camera raw files do, is not "
                    "supported; convert it first, for example with dcraw -T",
                    handle->name);
    return check_stack(handle, error);
}

static enum status open_rows(struct image_reader *reader, struct tiff_handle *handle,
                             const struct tiff_kind *kind, struct error *error)
{
    struct reading *reading = reader->reading;

    reading->is_raster = is_raster(handle, kind);
    reader->order = reading->is_raster ? ROWS_IN_ANY_ORDER : ROWS_IN_ORDER;
    reader->bytes = 0;
    reading->raster = (struct raw_raster){.reader = reader,
                                          .shape = kind->shape,
                                          .offset = (int64_t)TIFFGetStrileOffset(handle->tif, 0),
                                          .big_endian = TIFFIsBigEndian(handle->tif) != 0};
    return reading->is_raster ? STATUS_OK
                              : tiff_rows_open(&reading->rows, handle, kind, &reader->bytes, error);
}

/* Estimates the bytes of all images, as if each were like the first one. Counting the images reads
 * all directories. So if there is one image, or if all images surely take less than 4 GiB even as
 * floats, the function returns the bytes of the first image only: that is enough to choose between
 * TIFF and BigTIFF. */
static int64_t expected_bytes(const struct image_reader *reader, const struct tiff_handle *handle,
                              const struct image *header)
{
    const int64_t surely_small = UINT32_MAX / TIFF_MAX_RATIO / (int64_t)sizeof(float);
    const bool one = reader->file_bytes < surely_small || TIFFLastDirectory(handle->tif);
    const double images = one ? 1 : TIFFNumberOfDirectories(handle->tif);

    return (int64_t)fmin((double)image_bytes(header) * images, 0x1p62);
}

static void describe(struct image_reader *reader, const struct tiff_handle *handle,
                     const struct tiff_kind *kind, struct image *header)
{
    uint32_t count;
    const void *profile;

    image_lay_out(header, &kind->shape);
    header->format = FORMAT_TIFF;
    snprintf(header->tuple_type, sizeof header->tuple_type, "%s", kind->type);
    reader->curve.has_profile =
        TIFFGetField(handle->tif, TIFFTAG_ICCPROFILE, &count, &profile) != 0;
    reader->compressed = kind->compression != COMPRESSION_NONE;
    if (reader->images == 0)
        reader->expected_bytes = expected_bytes(reader, handle, header);
    if (reader->images == 0 && reader->stack)
        reader->most_images = TIFFNumberOfDirectories(handle->tif);
}

/* Sets the file's faults to the warnings that libtiff has given so far. */
static void note_warnings(struct image_reader *reader)
{
    const struct tiff_handle *handle = reader->kept;

    reader->metadata.faults = handle->warnings;
}

static enum status open_tiff(struct image_reader *reader, struct image *header, struct error *error)
{
    enum status status = open_file(reader, error);
    struct tiff_handle *handle = reader->kept;
    struct tiff_kind kind;

    /* The compression is checked first: for old-style JPEG libtiff has already reported other
     * errors, which would hide that the compression is not supported. */
    if (status == STATUS_OK)
        status = tiff_kind_check_compression(handle, error);
    if (status == STATUS_OK)
        status = tiff_handle_check(handle, error);
    if (status == STATUS_OK && reader->images == 0)
        status = check_file(handle, error);
    if (status == STATUS_OK)
        status = tiff_kind_find(handle, &kind, error);
    if (status == STATUS_OK)
        status = image_reader_check_header(reader, &kind.shape, tiff_kind_min_bits(handle, &kind),
                                           error);
    if (status == STATUS_OK)
        status = tiff_handle_allow(handle, tiff_kind_row_bytes(handle, &kind), error);
    if (status == STATUS_OK)
        status = tiff_tags_read(handle, reader, error);
    if (status == STATUS_OK)
        status = tiff_parts_check(handle, &kind, error);
    if (status == STATUS_OK)
        status = open_rows(reader, handle, &kind, error);
    if (status != STATUS_OK)
        return status;
    describe(reader, handle, &kind, header);
    note_warnings(reader);
    return STATUS_OK;
}

static enum status read_tiff(const struct image_reader *reader, int64_t first, int64_t count,
                             const struct image *image, int64_t to, struct error *error)
{
    struct reading *reading = reader->reading;

    return reading->is_raster ? raw_codec_read(reader, first, count, image, to, error)
                              : tiff_rows_read(&reading->rows, first, count, image, to, error);
}

static enum status finish_tiff(struct image_reader *reader, struct error *error)
{
    (void)error;
    note_warnings(reader);
    return STATUS_OK;
}

static void drop_tiff(void *state)
{
    tiff_rows_close(&((struct reading *)state)->rows);
}

static enum status more_tiff(struct image_reader *reader, bool *more, struct error *error)
{
    struct tiff_handle *handle = reader->kept;

    while (!*more && !TIFFLastDirectory(handle->tif)) {
        if (TIFFReadDirectory(handle->tif) != 1)
            return tiff_kind_fault(handle, error);
        *more = !is_derived(handle);
        if (!*more)
            metadata_note(&reader->metadata.left_out, NULL, "smaller copies and masks");
    }
    if (!*more)
        note_warnings(reader);
    return tiff_handle_check(handle, error);
}

/* Returns libtiff's version, such as "4.5.0", followed by further lines of text. */
static const char *version(void)
{
    const char *number = strpbrk(TIFFGetVersion(), "0123456789");

    return number ? number : "";
}

const struct codec codec_tiff = {
    .floats = true,
    .magics = {"II*\0", "MM\0*", "II+\0", "MM\0+"},
    .magic_bytes = 4,
    .version = version,
    .reading_bytes = sizeof(struct reading),
    .open = open_tiff,
    .read = read_tiff,
    .finish = finish_tiff,
    .drop = drop_tiff,
    .more = more_tiff,
    .close = tiff_handle_close,
    .encoder = &tiff_encoder,
};
