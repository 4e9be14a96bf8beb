/* SPDX-License-Identifier: MIT */
#include "src/files/codec/tiff/directory.h"
#include "src/files/codec/tiff/strip.h"
#include "kernels/common/numbers.h"

#include <stdlib.h>
#include <string.h>

#define STRIP_BYTES                                                                                \
    (1 << 18)          /* of samples, about: enough to compress, and to divide among threads */
#define SAMPLE_TAGS 13 /* that describe the samples, at the most */

int64_t tiff_strip_rows(const struct image *header)
{
    const int64_t fitting = STRIP_BYTES / (int64_t)image_row_bytes(header);

    return max(min(fitting, header->view.height), 1);
}

/* RGB and what else has three colours, or grey; and alpha, if the image has it. */
static bool set_colours(TIFF *tif, const struct image *header)
{
    const char *type = header->tuple_type;
    const int32_t channels = header->view.channels;
    const bool from_tiff = header->format == FORMAT_TIFF;
    const bool rgb = from_tiff ? strncmp(type, TUPLE_RGB, 3) == 0 : channels == 3 || channels == 4;
    const int32_t extra = channels - (rgb ? 3 : 1);
    const uint16_t kind = image_has_alpha(header)              ? EXTRASAMPLE_UNASSALPHA
                          : image_has_associated_alpha(header) ? EXTRASAMPLE_ASSOCALPHA
                                                               : EXTRASAMPLE_UNSPECIFIED;
    uint16_t *kinds = calloc((size_t)max(extra, 1), sizeof *kinds);
    bool good = kinds != NULL;

    if (good)
        kinds[0] = kind;
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
           TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, (uint32_t)tiff_strip_rows(header)) &&
           TIFFSetField(tif, TIFFTAG_COMPRESSION,
                        compressed ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE) &&
           (!compressed ||
            TIFFSetField(tif, TIFFTAG_PREDICTOR, tiff_strip_predictor(header->maxval)));
}

/* Bytes of the values of the tags that are kept: a number of TIFF may take twice as many as
 * libtiff's, and begins at an even offset. */
static int64_t metadata_bytes(const struct metadata *metadata)
{
    int64_t bytes = 0;

    for (size_t i = 0; metadata && i < metadata->count; i++)
        bytes += (int64_t)metadata->items[i].count + 9;
    return bytes;
}

/* Bytes that the directory takes, at the most and nearly: of each tag; for each channel the bits,
 * the format and the meaning of its samples; for each strip an offset and a length. */
static int64_t directory_bytes(const struct tiff_handle *handle, const struct image *header)
{
    const struct metadata *metadata = header->metadata;
    const int64_t strips = (header->view.height - 1) / tiff_strip_rows(header) + 1;
    const int64_t tags = SAMPLE_TAGS + (metadata ? (int64_t)metadata->count : 0);
    const bool big = TIFFIsBigTIFF(handle->tif) != 0;

    return (big ? 16 : 6) + (big ? 20 : 12) * tags + 6 * header->view.channels +
           (big ? 16 : 8) * strips + metadata_bytes(metadata);
}

void tiff_directory_keep_room(struct tiff_handle *handle, const struct image *header)
{
    handle->directory_at = handle->bytes + handle->bytes % 2;
    handle->directory_end = handle->directory_at + directory_bytes(handle, header);
    handle->directory_end += handle->directory_end % 2;
    handle->bytes = handle->directory_end;
}

enum status tiff_directory_begin(struct tiff_handle *handle, const struct image *header,
                                 bool compressed, struct error *error)
{
    if (!set_shape(handle->tif, header, compressed) || !set_colours(handle->tif, header))
        return tiff_fault(handle, STATUS_OUTPUT, NULL, error);
    return tiff_tags_write(handle, header, error);
}
