/* SPDX-License-Identifier: MIT */
/* Where the parts of an image, its strips or tiles, are in the file. */
#include "src/files/codec/tiff/tiff.h"

#include "kernels/common/numbers.h"

/* The parts of one plane: of all channels, if they are interleaved. */
static int64_t parts_of_plane(const struct tiff_handle *handle, const struct tiff_kind *kind)
{
    const int64_t count =
        kind->tiled ? TIFFNumberOfTiles(handle->tif) : TIFFNumberOfStrips(handle->tif);

    return kind->planar ? count / kind->shape.channels : count;
}

/* The bytes that part `i` of its plane takes, at the least. */
static int64_t bytes_of(const struct tiff_handle *handle, const struct tiff_kind *kind, int64_t i)
{
    const int64_t rows = min(kind->shape.height - i * kind->block_rows, kind->block_rows);

    if (kind->compression != COMPRESSION_NONE)
        return 1;
    return kind->tiled ? TIFFTileSize(handle->tif) : TIFFVStripSize(handle->tif, (uint32_t)rows);
}

/* The part, for messages: "tile 6 of 16 in plane 2 of 3". */
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
