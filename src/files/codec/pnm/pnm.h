/* SPDX-License-Identifier: MIT */
/* Declarations of the codec of PBM, PGM, PPM and PAM, for this folder only. */
#ifndef SMOOTHIMG_CODEC_PNM_H
#define SMOOTHIMG_CODEC_PNM_H

#include "src/files/codec/raw.h"

/* Checks that no sample of row y exceeds the maxval, else returns STATUS_INPUT. For the member
 * `check` of a struct raw_raster. */
enum status pnm_check_row(const struct raw_raster *raster, int64_t y, const void *samples,
                          struct error *error);

/* Read row y of raw PBM, of plain PBM, and of other plain files. For the member `read_row` of a
 * struct raw_raster. 1 is black in a PBM file and white in memory. Return STATUS_INPUT if the file
 * ends or a sample is not a number up to the maxval. */
enum status pnm_read_packed(const struct raw_raster *raster, int64_t y, void *samples,
                            struct error *error);
enum status pnm_read_plain_bits(const struct raw_raster *raster, int64_t y, void *samples,
                                struct error *error);
enum status pnm_read_plain(const struct raw_raster *raster, int64_t y, void *samples,
                           struct error *error);

#endif
