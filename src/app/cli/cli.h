/* SPDX-License-Identifier: MIT */
/* Parses the command line; prints --help, --version and --list-variants. */
#ifndef SMOOTHIMG_CLI_H
#define SMOOTHIMG_CLI_H

#include "src/app/cli/options/options.h"

#include <stdio.h>

/* Parses argv into *options, whose strings point into argv. getopt_long may reorder argv. If
 * cli_parse returns STATUS_USAGE, the message names the wrong word, or an option that can have no
 * effect or excludes another. */
enum status cli_parse(int argc, char **argv, struct options *options, struct error *error);

void cli_print_help(FILE *stream);
void cli_print_version(FILE *stream);
void cli_print_variants(FILE *stream);

#endif
