/* SPDX-License-Identifier: MIT */
/* The parameters of the rooms below, from the options, whose strings they borrow. */
#ifndef SMOOTHIMG_PARAMETERS_H
#define SMOOTHIMG_PARAMETERS_H

#include "src/app/batch/batch.h"
#include "src/app/cli/options/options.h"

struct plan_options plan_options_of(const struct options *options);
struct batch_options batch_options_of(const struct options *options);

#endif
