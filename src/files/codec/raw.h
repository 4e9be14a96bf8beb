/* SPDX-License-Identifier: MIT */
/* Rasters: samples that are stored in the file as they are in memory, without padding; only the
 * byte order may differ. PGM, PPM, PAM, NPY, and TIFF without compression have rasters. In a
 * regular file any thread reads and writes any rows at their offsets, by preadv and pwritev, which
 * do not move the FILE's position. */
#ifndef SMOOTHIMG_CODEC_RAW_H
#define SMOOTHIMG_CODEC_RAW_H

#include "src/files/codec/codec.h"

/* Instead of an offset: rows are read or written in order, through the FILE. */
#define RAW_IN_ORDER INT64_MIN

/* An image's samples in a file: where they are, and how they are read. */
struct raw_raster {
    const struct image_reader *reader;
    struct shape shape; /* the shape of the whole image */
    int64_t offset;     /* offset of row 0 in bytes from the file's start; or RAW_IN_ORDER */
    bool big_endian;
    /* Checks row y, which has been read and is in this machine's byte order. NULL: all rows are
     * valid. */
    enum status (*check)(const struct raw_raster *raster, int64_t y, const void *samples,
                         struct error *error);
};

/* Returns the offset for a raster that begins at the stream's position: the stream's position, or
 * RAW_IN_ORDER if the input is not a regular file. */
int64_t raw_offset(const struct image_reader *reader);

/* Reads rows first..first+count-1 of the raster into *image from row `to` on. If raster->offset is
 * RAW_IN_ORDER, these must be the next rows of the stream. Returns STATUS_INPUT if the file ends or
 * cannot be read, or the check fails. */
enum status raw_read(const struct raw_raster *raster, int64_t first, int64_t count,
                     const struct image *image, int64_t to, struct error *error);

/* Returns STATUS_INPUT: the file ends in row y. */
enum status raw_truncated(const struct raw_raster *raster, int64_t y, struct error *error);

/* Where the current image's samples go in the output. It is the state `writing` of an encoder that
 * uses the functions raw_codec_*. */
struct raw_place {
    int64_t offset; /* of row 0 in the file; or RAW_IN_ORDER */
    int64_t row_bytes;
    bool big_endian;
};

/* Begins the raster of writer->written at the stream's position, for an encoder whose writing state
 * is a struct raw_place. big_endian is the byte order of samples in the file. If
 * image_writer_takes_bands(), sets writer->order to ROWS_IN_ANY_ORDER, and raw_place.offset to the
 * raster's offset in the file; else sets them to ROWS_IN_ORDER and RAW_IN_ORDER. */
enum status raw_codec_begin(struct image_writer *writer, bool big_endian, struct error *error);

/* raw_codec_finish is for a struct codec whose reading state begins with a struct raw_raster; the
 * other functions are for an encoder whose writing state is a struct raw_place. Rows are written
 * without a copy, unless their byte order changes. raw_codec_finish and raw_codec_end move the
 * stream to the raster's end; raw_codec_finish also sets reader->at_end. */
enum status raw_codec_finish(struct image_reader *reader, struct error *error);
struct write_requirements raw_codec_requirements(const struct image_writer *writer,
                                                 const struct image *header);
enum status raw_codec_end(struct image_writer *writer, struct error *error);
enum status raw_codec_put(struct image_writer *writer, int64_t first, int64_t count,
                          const struct image *image, int64_t from, struct error *error);

/* True if the file's byte order is not this machine's. */
static inline bool raw_is_swapped(bool big_endian)
{
    return big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* Copies `count` samples of 2 or 4 bytes with their bytes in the other order. `swapped` may be
 * `samples`. Does nothing for samples of 1 byte. */
static inline void raw_swap(const void *samples, int64_t count, int sample_bytes, void *swapped)
{
    const uint16_t *from16 = samples;
    const uint32_t *from32 = samples;
    uint16_t *to16 = swapped;
    uint32_t *to32 = swapped;

    if (sample_bytes == 2)
        for (int64_t i = 0; i < count; i++)
            to16[i] = __builtin_bswap16(from16[i]);
    else if (sample_bytes == 4)
        for (int64_t i = 0; i < count; i++)
            to32[i] = __builtin_bswap32(from32[i]);
}

#endif
