/* SPDX-License-Identifier: MIT */
/* What the files of this folder, the codec of PBM, PGM, PPM and PAM, share. */
#ifndef SMOOTHIMG_CODEC_PNM_H
#define SMOOTHIMG_CODEC_PNM_H

#include "src/files/codec/codec.h"

/* The samples of an image in a file. */
struct raster {
    const struct image_reader *reader;
    struct shape shape; /* of the whole image */
    bool plain;         /* decimal numbers instead of bytes */
    bool bits;          /* PBM: 1 is black in the file and white in memory */
    int64_t offset;     /* bytes from the start of the file; -1: rows must be read in order */

    /* Set for each call of pnm_read_rows: */
    const struct image *image; /* takes the samples; may be a part of the whole image */
    int64_t shift;             /* row y of the raster is row y + shift of *image */
    int64_t column;            /* of the raster: the first column of *image; 0 without an offset */
};

/* Reads rows first..first+count-1 of the raster into raster->image, and checks samples against the
 * maxval. Without an offset they must be the next rows of the stream. STATUS_INPUT if the file ends
 * or a sample is not a number up to the maxval. */
enum status pnm_read_rows(const struct raster *raster, int64_t first, int64_t count,
                          struct error *error);

/* The functions of struct codec that write, in write.c and positioned.c. */
struct write_requirements pnm_requirements(const struct image_writer *writer,
                                           const struct image *header);
enum status pnm_begin(struct image_writer *writer, const struct image *header, struct error *error);
enum status pnm_put(struct image_writer *writer, int64_t first, int64_t count,
                    const struct image *image, int64_t from, struct error *error);
enum status pnm_end(struct image_writer *writer, struct error *error);
void pnm_discard(struct image_writer *writer);
enum status pnm_supports(const struct image_writer *writer, const struct image *image,
                         struct error *error);

/* Positioned writing, if image_writer_takes_bands. Begin: the raster starts at the stream's
 * position. Put: writes rows at their offsets, by any thread. End: moves the stream to the raster's
 * end. */
enum status pnm_begin_positioned(struct image_writer *writer, const struct image *header,
                                 struct error *error);
enum status pnm_put_columns(struct image_writer *writer, int64_t first, int64_t count,
                            int64_t column, const struct image *image, int64_t from,
                            struct error *error);
enum status pnm_end_positioned(const struct image_writer *writer, struct error *error);

/* Copies `count` samples in big-endian order, as files have them. */
void pnm_swap_row(const uint16_t *samples, int64_t count, uint16_t *swapped);

#endif
