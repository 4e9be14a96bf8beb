/* SPDX-License-Identifier: MIT */
/* Options that cannot have an effect on what was asked for. */
#ifndef SMOOTHIMG_EFFECTS_H
#define SMOOTHIMG_EFFECTS_H

#include "src/app/cli/options/options.h"

/* STATUS_USAGE if one was given: the message names it, and why it has none. What depends on the
 * images is not checked, since one command line serves many files. */
enum status effects_check(const struct options *options, struct error *error);

#endif
