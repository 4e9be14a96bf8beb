/* SPDX-License-Identifier: MIT */
/* Parses the command line; prints --help, --version and --list-variants. */
#ifndef SMOOTHIMG_CLI_H
#define SMOOTHIMG_CLI_H

#include "src/app/cli/options/options.h"

#include <stdio.h>

/* Parses argv into *options, whose strings point into argv. getopt_long may reorder argv. If it
 * returns STATUS_USAGE, the message names the wrong word. */
enum status cli_parse(int argc, char **argv, struct options *options, struct error *error);

void cli_print_help(FILE *stream);
void cli_print_version(FILE *stream);
void cli_print_variants(FILE *stream);

/* Refuses options that can have no effect, or that exclude each other, with STATUS_USAGE. */
enum status hints_check(const struct options *options, struct error *error);

#endif
