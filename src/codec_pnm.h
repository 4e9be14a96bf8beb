/* SPDX-License-Identifier: MIT */
/* Between the parts of the Netpbm codec. */
#ifndef SMOOTHIMG_CODEC_PNM_H
#define SMOOTHIMG_CODEC_PNM_H

#include "codec.h"

/* What a raster is made of. */
struct raster {
    struct source *source;
    struct image *image;
    bool plain;
    bool bits; /* PBM: packed, or digits that may touch; 1 is black, in memory it is white */
};

/* Reads the samples of row y of raster->image from the stream's position, and checks them against
 * its maxval. STATUS_INPUT where the stream ends or holds anything else. */
enum status pnm_read_row(const struct raster *raster, int64_t y, struct error *error);

/* codec.write and codec.fits of the Netpbm formats. */
enum status pnm_write(struct sink *sink, const struct image *image, struct error *error);
enum status pnm_fits(const struct sink *sink, const struct image *image, struct error *error);

#endif
