/* SPDX-License-Identifier: MIT */
/* Declarations of the codec of PBM, PGM, PPM and PAM, for this folder only. */
#ifndef SMOOTHIMG_CODEC_PNM_H
#define SMOOTHIMG_CODEC_PNM_H

#include "src/files/codec/raw.h"

struct raster {
    struct raw_raster raw; /* first member; samples are raw bytes, unless a member below is true */
    bool plain;            /* samples are decimal numbers */
    bool bits;             /* PBM: 1 is black in the file and white in memory */
};

/* Checks that no sample of row y exceeds the maxval. For the member `check` of a struct raw_raster.
 * */
enum status pnm_check_row(const struct raw_raster *raster, int64_t y, const void *samples,
                          struct error *error);

/* Reads the next rows, first..first+count-1, of a raster that has `plain` or `bits` set, into
 * *image from row `to` on. Returns STATUS_INPUT if the file ends or a sample is not a number up to
 * the maxval. */
enum status pnm_read_rows(const struct raster *raster, int64_t first, int64_t count,
                          const struct image *image, int64_t to, struct error *error);

#endif
