/* SPDX-License-Identifier: MIT */
/* What is decided once for calls on a device that are alike: what is computed where it lies, what
 * on sheets (kernels/border/sheet.h), by which engines and in how much memory. */
#ifndef SMOOTHIMG_API_DEVICE_PLAN_H
#define SMOOTHIMG_API_DEVICE_PLAN_H

#include "kernels/border/sheet.h"
#include "src/lib/api/call.h"

/* Jobs that are alike: of interiors, or of sheets. */
struct part {
    struct engine_plan engine;
    int64_t scratch; /* where theirs begins, in the call's working memory */
};

struct device_plan {
    int64_t images, rows; /* that are computed at a time: all rows, or a band of a sheet */
    int64_t left, top, right, bottom; /* pixels: the part of each image that is computed in place,
                                         whose border is in the image or around it; empty if
                                         right is 0 */
    bool bare;                        /* or is nowhere, and the engine does without */
    struct sheet sheet;               /* the rest; no tiles if sheet.count is 0 */
    bool scattered;                   /* else the sheet's only tile is an image, or a band, and its
                                         result goes there at once */
    struct part inner, outer;         /* in place, on sheets */
    int64_t sheet_at, result_at;      /* in the working memory */
    int64_t bytes;                    /* of it */
};

/* Some images of a call, and some rows of them. */
struct piece {
    int64_t image, images, top, rows;
};

/* The device is current. Fails as engine_plan_make does. */
enum status device_plan_make(const struct call *call, struct device_plan *plan,
                             struct error *error);

/* The piece's sheet. */
struct sheet sheet_of(const struct device_plan *plan, const struct piece *piece);

/* The piece's jobs, by the plan: of what is computed in place, and of the sheet. Without scratch.
 */
struct job inner_job(const struct call *call, const struct device_plan *plan,
                     const struct piece *piece);
struct job outer_job(const struct call *call, const struct device_plan *plan,
                     const struct piece *piece, char *memory);

#endif
