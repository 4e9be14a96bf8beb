/* SPDX-License-Identifier: MIT */
/* What a run over folders did not do, and why. */
#ifndef SMOOTHIMG_UI_PASSED_OVER_H
#define SMOOTHIMG_UI_PASSED_OVER_H

#include "src/app/batch/plan/plan.h"
#include "src/app/cli/options/options.h"
#include "src/text/string_list.h"

/* The format that its extension stands for, such as "JPEG"; or "other". */
const char *passed_over_kind(const char *path);

/* "photos/a.jpg: skipped, not a supported image": for --verbose. */
void passed_over_print(FILE *stream, const struct plan *plan);

/* ", 3 files skipped (not supported images: 2 JPEG, 1 GIF; a.jpg, b.jpg, c.gif)"; "" of none. */
struct phrase passed_over_summary(const struct plan *plan);

/* Of a plan without any image says that, and what was there instead: "no supported images in
 * photos; 12 JPEG, 3 TIFF skipped". Returns STATUS_PARTIAL unless nothing was there. */
enum status passed_over_check(const struct options *options, const struct plan *plan);

#endif
