/* SPDX-License-Identifier: MIT */
/* Rasters: samples that are stored in the file as they are in memory, without padding; only the
 * byte order may differ. Raw (binary) PGM, PPM and PAM, NPY, and most TIFF without compression have
 * rasters. In a regular file any thread reads and writes any rows at their offsets, by preadv and
 * pwritev, which do not move the FILE's position. PBM and plain (text) files use the same structs,
 * with a function that reads or writes one row after another. */
#ifndef SMOOTHIMG_CODEC_RAW_H
#define SMOOTHIMG_CODEC_RAW_H

#include "src/files/codec/codec.h"

/* Instead of an offset: rows are read or written in order, through the FILE. */
#define RAW_IN_ORDER INT64_MIN

/* An image's samples in a file: where they are, and how they are read. A codec that uses the
 * functions raw_codec_* has it as its state `reading`, or as the first member of that state. */
struct raw_raster {
    const struct image_reader *reader;
    struct shape shape; /* the shape of the whole image */
    int64_t offset;     /* offset of row 0 in bytes from the file's start; or RAW_IN_ORDER */
    bool big_endian;
    /* Checks row y, which has been read and is in this machine's byte order. NULL: all rows are
     * valid. */
    enum status (*check)(const struct raw_raster *raster, int64_t y, const void *samples,
                         struct error *error);
    /* Reads row y, the next in the stream, and checks it. NULL: the samples are stored as in
     * memory, except for their byte order. */
    enum status (*read_row)(const struct raw_raster *raster, int64_t y, void *samples,
                            struct error *error);
};

/* Completes the raster reader->reading, which begins at the stream's position; its shape,
 * big_endian, check and read_row are set. Sets reader->order to ROWS_IN_ANY_ORDER if the input is a
 * regular file and read_row is NULL, else to ROWS_IN_ORDER. */
void raw_codec_open(struct image_reader *reader);

/* Reads rows first..first+count-1 of the raster into *image from row `to` on. If raster->offset is
 * RAW_IN_ORDER, these must be the next rows of the stream. Returns STATUS_INPUT if the file ends or
 * cannot be read, or the check fails. */
enum status raw_codec_read(const struct image_reader *reader, int64_t first, int64_t count,
                           const struct image *image, int64_t to, struct error *error);

/* Moves the stream to the raster's end; sets reader->at_end. */
enum status raw_codec_finish(struct image_reader *reader, struct error *error);

/* Returns STATUS_INPUT: the file ends in row y, or this row cannot be read. */
enum status raw_truncated(const struct raw_raster *raster, int64_t y, struct error *error);

/* Where the current image's samples go in the output. It is the state `writing` of an encoder that
 * uses the functions raw_codec_*. */
struct raw_place {
    int64_t offset; /* of row 0 in the file; or RAW_IN_ORDER */
    int64_t row_bytes;
    bool big_endian;
    /* Writes row y of *image to the stream. NULL: the samples are stored as in memory, except for
     * their byte order. */
    enum status (*write_row)(const struct image_writer *writer, const struct image *image,
                             int64_t y, struct error *error);
};

/* Returns about how many bytes of memory raw_codec_put takes for an image like *image. */
int64_t raw_codec_bytes(const struct image *image);

/* Completes the struct raw_place writer->writing, whose big_endian and write_row are set, for the
 * samples of writer->written, which begin at the stream's position. Sets `offset` to this position,
 * or to RAW_IN_ORDER if writer->takes_bands is not set. */
enum status raw_codec_begin(struct image_writer *writer, struct error *error);

/* The member `put` of an encoder. Makes no copy of the samples, unless their byte order changes. */
enum status raw_codec_put(struct image_writer *writer, int64_t first, int64_t count,
                          const struct image *image, int64_t from, struct error *error);

/* Moves the stream to the raster's end. */
enum status raw_codec_end(struct image_writer *writer, struct error *error);

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
