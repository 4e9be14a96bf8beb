/* SPDX-License-Identifier: MIT */
/* What a run over folders did not do, and why. */
#ifndef SMOOTHIMG_UI_PASSED_OVER_H
#define SMOOTHIMG_UI_PASSED_OVER_H

#include "src/app/batch/plan/list.h"
#include "src/app/cli/options/options.h"

/* "photos/a.jpg: skipped, not a supported image": for --verbose. */
void passed_over_print(FILE *stream, const struct plan *plan);

/* Of a plan without any image says that, and what was there instead: "no supported images in
 * photos; 12 JPEG, 3 TIFF skipped". Returns STATUS_PARTIAL unless nothing was there. */
enum status passed_over_check(const struct options *options, const struct plan *plan);

#endif
