/* SPDX-License-Identifier: MIT */
/* Reads the mask of a run: one bit for each pixel, which all its images share. */
#ifndef SMOOTHIMG_MASK_FILE_H
#define SMOOTHIMG_MASK_FILE_H

#include "src/app/stream/budget.h"
#include "src/app/stream/context.h"
#include "src/files/mask/mask.h"

/* Reads the mask from path, some rows at a time where its format allows, and keeps its bits' bytes
 * of the budget; the caller frees it (mask_free). STATUS_UNSUPPORTED if it has several channels,
 * floats, or several images; STATUS_INPUT also if the budget is too small. *mask is empty after a
 * failure. */
enum status mask_file_read(const char *path, const struct stream_options *options,
                           struct budget *budget, struct mask *mask, struct error *error);

#endif
