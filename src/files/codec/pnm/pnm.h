/* SPDX-License-Identifier: MIT */
/* Declarations of the codec of PBM, PGM, PPM and PAM, for this folder only. */
#ifndef SMOOTHIMG_CODEC_PNM_H
#define SMOOTHIMG_CODEC_PNM_H

#include "src/files/codec/raw.h"

/* The member `check` of a struct raw_raster: checks that no sample of row y exceeds the maxval. */
enum status pnm_check_row(const struct raw_raster *raster, int64_t y, const void *samples,
                          struct error *error);

/* Members `read_row` of a struct raw_raster: for raw PBM, plain PBM and other plain files. Samples
 * of PBM are inverted: 1 is black in the file and white in memory. They return STATUS_INPUT if the
 * file ends or a sample is not a number up to the maxval. */
enum status pnm_read_packed(const struct raw_raster *raster, int64_t y, void *samples,
                            struct error *error);
enum status pnm_read_plain_bits(const struct raw_raster *raster, int64_t y, void *samples,
                                struct error *error);
enum status pnm_read_plain(const struct raw_raster *raster, int64_t y, void *samples,
                           struct error *error);

#endif
