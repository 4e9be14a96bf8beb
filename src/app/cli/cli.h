/* SPDX-License-Identifier: MIT */
/* The command line, and the texts of --help, --version and --list-variants. */
#ifndef SMOOTHIMG_CLI_H
#define SMOOTHIMG_CLI_H

#include "src/app/cli/options/options.h"

#include <stdio.h>

/* Reads argv, which getopt_long may reorder, into *options, which borrow its strings. STATUS_USAGE:
 * the message names the wrong word. */
enum status cli_parse(int argc, char **argv, struct options *options, struct error *error);

void cli_print_help(FILE *stream);
void cli_print_version(FILE *stream);
void cli_print_variants(FILE *stream);

/* STATUS_USAGE if an option was given that cannot have an effect on what was asked for, or that is
 * refused beside the others: the message says why. */
enum status hints_check(const struct options *options, struct error *error);

#endif
