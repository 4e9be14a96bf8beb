/* SPDX-License-Identifier: MIT */
/* Hints on the command line: options that there are not, that make no sense beside the others, or
 * that may have been meant otherwise. */
#ifndef SMOOTHIMG_HINTS_H
#define SMOOTHIMG_HINTS_H

#include "src/app/cli/options/options.h"

/* For the table of options; ends with a row whose name is NULL. */
extern const struct option_hint hints[];

/* STATUS_USAGE if an option was given that cannot have an effect on what was asked for, or that is
 * refused beside the others: the message says why. */
enum status hints_check(const struct options *options, struct error *error);

/* Before the work begins: prints on standard error what may have been meant otherwise, unless
 * --quiet is given. */
void hints_print(const struct options *options);

#endif
