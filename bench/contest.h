/* SPDX-License-Identifier: MIT */
/* The subjects of one stage: its variants, and a plain copy for each place. */
#ifndef SMOOTHIMG_CONTEST_H
#define SMOOTHIMG_CONTEST_H

#include "bench_options.h"
#include "results.h"
#include "stage.h"

/* Fills the group's rows for the stage: validates, then measures. GPU rows are left out of the
 * group if gpu_rows is false. Fails without memory only. */
enum status contest_hold(const struct bench_options *options, struct stage *stage, bool gpu_rows,
                         struct group *group, struct error *error);

#endif
