/* SPDX-License-Identifier: MIT */
/* What the files of the Netpbm codec share. */
#ifndef SMOOTHIMG_CODEC_PNM_H
#define SMOOTHIMG_CODEC_PNM_H

#include "src/files/codec/codec.h"

/* The samples of an image in the file, and the image that they are read into. */
struct raster {
    const struct image_reader *reader;
    struct shape shape;
    bool plain;
    bool bits;      /* PBM; 1 is black in the file and white in memory */
    int64_t offset; /* in the file: rows can be read in any order; -1: only from the stream */
    const struct image *image;
    int64_t shift;  /* row y of the raster is row y + shift of the image */
    int64_t column; /* the raster's column that is the image's first; only with an offset */
};

/* Reads rows first..first+count-1 and checks them against the maxval. Without an offset they are
 * the rows at the stream's position. STATUS_INPUT if the file ends or holds anything else. */
enum status pnm_read_rows(const struct raster *raster, int64_t first, int64_t count,
                          struct error *error);

/* The functions of struct codec that write. */
struct write_requirements pnm_requirements(const struct image_writer *writer,
                                           const struct image *header);
enum status pnm_begin(struct image_writer *writer, const struct image *header, struct error *error);
enum status pnm_put(struct image_writer *writer, int64_t first, int64_t count,
                    const struct image *image, int64_t from, struct error *error);
enum status pnm_end(struct image_writer *writer, struct error *error);
void pnm_discard(struct image_writer *writer);
enum status pnm_supports(const struct image_writer *writer, const struct image *image,
                         struct error *error);

/* Positioned writing, for a writer that takes bands. Begin: the raster starts at the stream's
 * position. Rows are then written at their offsets, by any thread. End: moves the stream to the end
 * of the raster. */
enum status pnm_begin_positioned(struct image_writer *writer, const struct image *header,
                                 struct error *error);
enum status pnm_put_columns(struct image_writer *writer, int64_t first, int64_t count,
                            int64_t column, const struct image *image, int64_t from,
                            struct error *error);
enum status pnm_end_positioned(const struct image_writer *writer, struct error *error);

/* Converts samples to the file's byte order, big-endian. */
void pnm_swap_row(const uint16_t *samples, int64_t count, uint16_t *swapped);

#endif
