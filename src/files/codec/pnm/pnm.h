/* SPDX-License-Identifier: MIT */
/* Between the parts of the Netpbm codec. */
#ifndef SMOOTHIMG_CODEC_PNM_H
#define SMOOTHIMG_CODEC_PNM_H

#include "codec.h"

/* What a raster is made of, and where its rows go. */
struct raster {
    const struct source *source;
    struct shape shape;
    bool plain;
    bool bits;      /* PBM: packed, or digits that may touch; 1 is black, in memory it is white */
    int64_t offset; /* in the file; raw rows can be read in any order. -1: from the stream alone */
    const struct image *image;
    int64_t shift;  /* row y of the raster is row y + shift of the image */
    int64_t column; /* and this one the image's first: raw rows alone can be read in part */
};

/* Reads the samples of rows first..first+count-1, and checks them against the maxval. Without an
 * offset, they are those at the stream's position. STATUS_INPUT where the file ends or holds
 * anything else. */
enum status pnm_read_rows(const struct raster *raster, int64_t first, int64_t count,
                          struct error *error);

/* The codec's writing half. */
struct sink_wants pnm_wants(const struct sink *sink, const struct image *about);
enum status pnm_begin(struct sink *sink, const struct image *about, struct error *error);
enum status pnm_put(struct sink *sink, int64_t first, int64_t count, const struct image *image,
                    int64_t from, struct error *error);
enum status pnm_end(struct sink *sink, struct error *error);
void pnm_discard(struct sink *sink);
enum status pnm_fits(const struct sink *sink, const struct image *image, struct error *error);

/* For a sink that takes bands: the raster begins where the stream is; rows go to their places; the
 * stream goes on behind them. */
enum status pnm_place(struct sink *sink, const struct image *about, struct error *error);
enum status pnm_put_columns(struct sink *sink, int64_t first, int64_t count, int64_t column,
                            const struct image *image, int64_t from, struct error *error);
enum status pnm_end_placed(const struct sink *sink, struct error *error);

/* Files hold the high byte first. */
void pnm_swap_row(const uint16_t *samples, int64_t count, uint16_t *swapped);

#endif
