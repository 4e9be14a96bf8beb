/* SPDX-License-Identifier: MIT */
/* Hints before the work begins: of what may have been meant otherwise. */
#ifndef SMOOTHIMG_HINTS_H
#define SMOOTHIMG_HINTS_H

#include "src/app/cli/options/options.h"

/* Prints them on standard error, unless --quiet is given. */
void hints_print(const struct options *options);

#endif
