/* SPDX-License-Identifier: MIT */
/* The filter by axis: --halo and --sigma take one number, or one for each axis, --truncate one. */
#ifndef SMOOTHIMG_CLI_AXES_H
#define SMOOTHIMG_CLI_AXES_H

#include "src/app/cli/options/options.h"

/* Stores the argument of --halo or --sigma: "6", or "6,2", x and y. STATUS_USAGE, as for other
 * options. */
enum status axes_take_halo(const struct option_row *row, const char *argument,
                           struct options *options, struct error *error);
enum status axes_take_sigma(const struct option_row *row, const char *argument,
                            struct options *options, struct error *error);

/* Stores the argument of --truncate: one number, for both axes. */
enum status axes_take_truncate(const struct option_row *row, const char *argument,
                               struct options *options, struct error *error);

/* Sets both axes of options->filter. STATUS_USAGE if a sigma implies too large a halo. */
enum status axes_complete(struct options *options, struct error *error);

/* Whether --sigma looks like one number with a decimal comma, such as 2,5. That is x and y, but in
 * much of the world it is also two and a half. */
bool axes_look_like_one(const struct options *options);

/* Writes one number if both axes have the same, else "x,y". */
void axes_print_halo(FILE *stream, const struct filter *filter);
void axes_print_sigma(FILE *stream, const struct filter *filter);

#endif
