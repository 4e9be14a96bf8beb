/* SPDX-License-Identifier: MIT */
/* Decides which TIFF images are supported, and how messages name images that are not. */
#include "src/files/codec/tiff/tiff.h"
#include "kernels/common/numbers.h"

#include <math.h>
#include <string.h>

/* Names of unsupported colours, for messages. */
static const struct name {
    uint32_t number;
    const char *text;
} photometrics[] = {
    {PHOTOMETRIC_PALETTE, "a palette"}, {PHOTOMETRIC_MASK, "a transparency mask"},
    {PHOTOMETRIC_SEPARATED, "CMYK"},    {PHOTOMETRIC_YCBCR, "YCbCr"},
    {PHOTOMETRIC_CIELAB, "CIE L*a*b*"}, {PHOTOMETRIC_ICCLAB, "ICC L*a*b*"},
    {PHOTOMETRIC_ITULAB, "ITU L*a*b*"}, {PHOTOMETRIC_CFA, "a colour filter array"},
    {PHOTOMETRIC_LOGL, "LogL"},         {PHOTOMETRIC_LOGLUV, "LogLuv"},
};

/* The supported compressions. A compressed byte expands to at most max_ratio bytes. */
static const struct {
    uint16_t number;
    int max_ratio;
} taken[] = {
    {COMPRESSION_NONE, 1},
    {COMPRESSION_LZW, TIFF_MAX_RATIO},
    {COMPRESSION_ADOBE_DEFLATE, 1032},
    {COMPRESSION_DEFLATE, 1032},
    {COMPRESSION_PACKBITS, 64},
};

/* Returns the compression's max_ratio, or 0 if the compression is not supported. */
static int max_ratio_of(uint16_t compression)
{
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (taken[i].number == compression && TIFFIsCODECConfigured(compression))
            return taken[i].max_ratio;
    return 0;
}

static enum status unsupported(const struct tiff_handle *handle, const char *what, const char *tool,
                               struct error *error)
{
    return fail(error, STATUS_UNSUPPORTED,
                "%s: TIFF with %s is not supported; convert it first, for example with %s",
                handle->name, what, tool);
}

static uint16_t number_of(const struct tiff_handle *handle, uint32_t tag)
{
    uint16_t number = 0;

    TIFFGetFieldDefaulted(handle->tif, tag, &number);
    return number;
}

/* Refuses colours other than grey and RGB. */
static enum status take_photometric(struct tiff_handle *handle, struct tiff_kind *kind,
                                    int *colours, struct error *error)
{
    uint16_t photometric;
    char what[64];

    if (!TIFFGetField(handle->tif, TIFFTAG_PHOTOMETRIC, &photometric))
        return fail(error, STATUS_INPUT,
                    "%s: damaged: the tag PhotometricInterpretation is missing", handle->name);
    if (photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_MINISBLACK ||
        photometric == PHOTOMETRIC_MINISWHITE) {
        *colours = photometric == PHOTOMETRIC_RGB ? 3 : 1;
        kind->type = photometric == PHOTOMETRIC_RGB ? TUPLE_RGB : TUPLE_GREY;
        kind->inverted = photometric == PHOTOMETRIC_MINISWHITE;
        return STATUS_OK;
    }
    snprintf(what, sizeof what, "colours by number %u", photometric);
    for (size_t i = 0; i < sizeof photometrics / sizeof *photometrics; i++)
        if (photometrics[i].number == photometric)
            snprintf(what, sizeof what, "%s%s",
                     photometric > PHOTOMETRIC_YCBCR ? "colours by " : "", photometrics[i].text);
    return unsupported(handle, what, "tifftopnm", error);
}

/* Returns, for a message, a tool that converts samples of this format to a supported one, and what
 * that tool does to the samples' values. */
static const char *converter_of(uint16_t format, uint16_t bits)
{
    if (format == SAMPLEFORMAT_COMPLEXINT || format == SAMPLEFORMAT_COMPLEXIEEEFP)
        return "NumPy, the real and the imaginary parts by themselves";
    if (bits < 16 && format != SAMPLEFORMAT_INT)
        return "tifftopnm, which keeps their values";
    if (format == SAMPLEFORMAT_IEEEFP && bits == 32)
        return "gdal_translate -co PHOTOMETRIC=MINISBLACK, which keeps their values";
    return "gdal_translate -ot Float32, which keeps 24 significant bits of each";
}

/* Accepts unsigned samples of 8 and 16 bits, and floats of 32 bits. */
static enum status take_depth(const struct tiff_handle *handle, struct tiff_kind *kind,
                              struct error *error)
{
    static const char *const formats[] = {"",
                                          "unsigned",
                                          "signed",
                                          "floating-point",
                                          "unsigned",
                                          "complex signed",
                                          "complex floating-point"};
    const uint16_t bits = number_of(handle, TIFFTAG_BITSPERSAMPLE);
    const uint16_t format = number_of(handle, TIFFTAG_SAMPLEFORMAT);
    const bool is_unsigned = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID;
    char what[64];

    if (is_unsigned && (bits == 8 || bits == 16)) {
        kind->shape.maxval = (1u << bits) - 1;
        return STATUS_OK;
    }
    if (format == SAMPLEFORMAT_IEEEFP && bits == 32 && !kind->inverted) {
        kind->shape.maxval = FLOAT_SAMPLES;
        return STATUS_OK;
    }
    snprintf(what, sizeof what, "%s samples of %d bit%s%s",
             format < sizeof formats / sizeof *formats ? formats[format] : "unknown", bits,
             bits == 1 ? "" : "s", kind->inverted ? ", and 0 for white" : "");
    return unsupported(handle, what, converter_of(format, bits), error);
}

/* Accepts extra samples besides the colours: a single one, which may be alpha, or several of which
 * none is alpha. */
static enum status take_extra(const struct tiff_handle *handle, struct tiff_kind *kind, int colours,
                              struct error *error)
{
    const int extra = kind->shape.channels - colours;
    const bool rgb = colours == 3;
    uint16_t count = 0, *types = NULL;
    bool alpha = false;

    if (extra < 0)
        return fail(error, STATUS_INPUT, "%s: damaged: RGB with %d samples a pixel", handle->name,
                    (int)kind->shape.channels);
    TIFFGetFieldDefaulted(handle->tif, TIFFTAG_EXTRASAMPLES, &count, &types);
    for (int i = 0; i < count && i < extra; i++)
        alpha = alpha || types[i] != EXTRASAMPLE_UNSPECIFIED;
    if (!alpha)
        return STATUS_OK;
    if (extra > 1)
        return unsupported(handle, "alpha beside other extra samples", "gdal_translate -b", error);
    if (types[0] == EXTRASAMPLE_ASSOCALPHA)
        kind->type = rgb ? TUPLE_RGB_ASSOCIATED : TUPLE_GREY_ASSOCIATED;
    else
        kind->type = rgb ? TUPLE_RGB_ALPHA : TUPLE_GREY_ALPHA;
    return STATUS_OK;
}

static enum status refuse_compression(const struct tiff_handle *handle, uint16_t compression,
                                      struct error *error)
{
    const TIFFCodec *codec = TIFFFindCODEC(compression);
    char what[64];

    if (codec)
        snprintf(what, sizeof what, "compression by %.32s", codec->name);
    else
        snprintf(what, sizeof what, "compression by number %u", compression);
    return unsupported(handle, what, "tiffcp -c none", error);
}

enum status tiff_kind_check_compression(const struct tiff_handle *handle, struct error *error)
{
    const uint16_t compression = number_of(handle, TIFFTAG_COMPRESSION);

    return max_ratio_of(compression) > 0 ? STATUS_OK
                                         : refuse_compression(handle, compression, error);
}

enum status tiff_kind_fault(struct tiff_handle *handle, struct error *error)
{
    const enum status status = tiff_fault(handle, NULL, error);

    return number_of(handle, TIFFTAG_COMPRESSION) == COMPRESSION_OJPEG
               ? refuse_compression(handle, COMPRESSION_OJPEG, error)
               : status;
}

static enum status take_layout(const struct tiff_handle *handle, struct tiff_kind *kind,
                               struct error *error)
{
    uint32_t rows = UINT32_MAX, depth = 1;

    TIFFGetFieldDefaulted(handle->tif, TIFFTAG_IMAGEDEPTH, &depth);
    if (depth != 1)
        return unsupported(handle, "volumes", "tiffcp", error);
    kind->compression = number_of(handle, TIFFTAG_COMPRESSION);
    kind->tiled = TIFFIsTiled(handle->tif);
    TIFFGetFieldDefaulted(handle->tif, kind->tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP,
                          &rows);
    kind->planar = kind->shape.channels > 1 &&
                   number_of(handle, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
    kind->block_rows = rows > kind->shape.height ? kind->shape.height : rows;
    if (kind->block_rows > 0)
        return STATUS_OK;
    return fail(error, STATUS_INPUT, "%s: damaged: strips or tiles of 0 rows", handle->name);
}

enum status tiff_kind_find(struct tiff_handle *handle, struct tiff_kind *kind, struct error *error)
{
    uint32_t width = 0, height = 0;
    int colours = 1;
    enum status status;

    memset(kind, 0, sizeof *kind);
    TIFFGetField(handle->tif, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(handle->tif, TIFFTAG_IMAGELENGTH, &height);
    kind->shape.width = width;
    kind->shape.height = height;
    kind->shape.channels = number_of(handle, TIFFTAG_SAMPLESPERPIXEL);
    status = take_photometric(handle, kind, &colours, error);
    if (status == STATUS_OK)
        status = take_depth(handle, kind, error);
    if (status == STATUS_OK)
        status = take_extra(handle, kind, colours, error);
    return status == STATUS_OK ? take_layout(handle, kind, error) : status;
}

double tiff_kind_min_bits(const struct tiff_handle *handle, const struct tiff_kind *kind)
{
    double width = (double)kind->shape.width, height = (double)kind->shape.height;
    uint32_t tile_width = 1, tile_height = 1;

    if (kind->tiled) {
        TIFFGetField(handle->tif, TIFFTAG_TILEWIDTH, &tile_width);
        TIFFGetField(handle->tif, TIFFTAG_TILELENGTH, &tile_height);
        width = ceil(width / tile_width) * tile_width;
        height = ceil(height / tile_height) * tile_height;
    }
    return 8 * width * (double)pixel_bytes(&kind->shape) / max_ratio_of(kind->compression) *
           (height / (double)kind->shape.height);
}

int64_t tiff_kind_row_bytes(const struct tiff_handle *handle, const struct tiff_kind *kind)
{
    if (kind->compression == COMPRESSION_NONE || kind->shape.maxval != FLOAT_SAMPLES)
        return 0;
    return kind->tiled ? TIFFTileRowSize(handle->tif) : TIFFScanlineSize(handle->tif);
}

/* Returns the number of parts (strips or tiles) that one plane has, or that the whole image has if
 * its channels are interleaved. */
static int64_t parts_of_plane(const struct tiff_handle *handle, const struct tiff_kind *kind)
{
    const int64_t count =
        kind->tiled ? TIFFNumberOfTiles(handle->tif) : TIFFNumberOfStrips(handle->tif);

    return kind->planar ? count / kind->shape.channels : count;
}

/* Returns the minimum number of bytes that part `i` (a strip or tile) of a plane takes in the
 * file. */
static int64_t bytes_of(const struct tiff_handle *handle, const struct tiff_kind *kind, int64_t i)
{
    const int64_t rows = min(kind->shape.height - i * kind->block_rows, kind->block_rows);

    if (kind->compression != COMPRESSION_NONE)
        return 1;
    return kind->tiled ? TIFFTileSize(handle->tif) : TIFFVStripSize(handle->tif, (uint32_t)rows);
}

/* Returns an error whose message names the part: "tile 6 of 16 in plane 2 of 3". */
static enum status refuse(const struct tiff_handle *handle, const struct tiff_kind *kind,
                          int64_t plane, int64_t i, const char *why, struct error *error)
{
    char in_plane[48] = "";

    if (kind->planar)
        snprintf(in_plane, sizeof in_plane, " in plane %lld of %d", (long long)plane + 1,
                 (int)kind->shape.channels);
    return fail(error, STATUS_INPUT, "%s: damaged: %s %lld of %lld%s is not in the file%s",
                handle->name, kind->tiled ? "tile" : "strip", (long long)i + 1,
                (long long)parts_of_plane(handle, kind), in_plane, why);
}

static enum status check_part(const struct tiff_handle *handle, const struct tiff_kind *kind,
                              int64_t plane, int64_t i, struct error *error)
{
    const uint32_t index = (uint32_t)(plane * parts_of_plane(handle, kind) + i);
    const uint64_t offset = TIFFGetStrileOffset(handle->tif, index);
    const uint64_t length = TIFFGetStrileByteCount(handle->tif, index);
    const uint64_t head = TIFFIsBigTIFF(handle->tif) ? 16 : 8, end = (uint64_t)handle->bytes;
    const int64_t bytes = bytes_of(handle, kind, i);
    char why[64];

    if (offset == 0 && length == 0)
        return refuse(handle, kind, plane, i, "; gdal_translate completes a sparse file", error);
    if (offset < head || offset > end || bytes > (int64_t)(end - offset))
        return refuse(handle, kind, plane, i, "", error);
    if (length >= (uint64_t)bytes)
        return STATUS_OK;
    snprintf(why, sizeof why, ": it has %llu bytes instead of %lld", (unsigned long long)length,
             (long long)bytes);
    return refuse(handle, kind, plane, i, why, error);
}

enum status tiff_parts_check(const struct tiff_handle *handle, const struct tiff_kind *kind,
                             struct error *error)
{
    const int64_t count = parts_of_plane(handle, kind);
    const int64_t planes = kind->planar ? kind->shape.channels : 1;
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < planes * count && status == STATUS_OK; i++)
        status = check_part(handle, kind, i / count, i % count, error);
    return status;
}
