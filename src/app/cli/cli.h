/* SPDX-License-Identifier: MIT */
/* The command line, and the texts of --help, --version and --list-variants. */
#ifndef SMOOTHIMG_CLI_H
#define SMOOTHIMG_CLI_H

#include "src/app/cli/options/options.h"

#include <stdio.h>

/* Parses argv into *options, whose strings remain argv's. getopt_long may reorder argv. After
 * STATUS_USAGE the message names the wrong word. */
enum status cli_parse(int argc, char **argv, struct options *options, struct error *error);

void cli_print_help(FILE *stream);
void cli_print_version(FILE *stream);
void cli_print_variants(FILE *stream);

/* Returns STATUS_USAGE if an option can have no effect on what was asked for, or cannot be combined
 * with the others; the message says why. */
enum status hints_check(const struct options *options, struct error *error);

#endif
