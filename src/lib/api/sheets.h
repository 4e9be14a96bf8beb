/* SPDX-License-Identifier: MIT */
/* How images on a device that have no border are smoothed: what is computed in place, and what on
 * a sheet (kernels/border/sheet.h). */
#ifndef SMOOTHIMG_API_SHEETS_H
#define SMOOTHIMG_API_SHEETS_H

#include "kernels/border/sheet.h"
#include "src/lib/api/call.h"

/* The work on some images of a call. */
struct sheet_plan {
    int64_t images;
    int64_t left, top, right, bottom; /* pixels: the part of each image that is computed in place,
                                         whose border is in the image or around it; empty if
                                         right is 0 */
    bool bare;                        /* or is nowhere, and the variant does without */
    struct sheet sheet;               /* the rest; no tiles if sheet.count is 0 */
    bool scattered;                   /* else the sheet's only tile is an image, and its result goes
                                         there at once */
};

/* Plans the work on up to `images` images of the call. */
struct sheet_plan plan_sheet(const struct call *call, int64_t images);

/* Bytes of a sheet in memory, and of its result if it is scattered. */
int64_t sheet_bytes(const struct sheet_plan *plan);

/* The sheet in `memory`, inside the border of its outer tiles, and its result. */
struct view sheet_view(const struct call *call, const struct sheet_plan *plan, char *memory);
struct view result_view(const struct call *call, const struct sheet_plan *plan, char *memory);

#endif
