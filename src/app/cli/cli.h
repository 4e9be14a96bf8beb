/* SPDX-License-Identifier: MIT */
/* The command line: argv to options, and the texts of --help, --version and --list-variants. */
#ifndef SMOOTHIMG_CLI_H
#define SMOOTHIMG_CLI_H

#include "options.h"

#include <stdio.h>

/* Reads argv (which getopt_long may reorder) into *options. STATUS_USAGE names the culprit. */
enum status cli_parse(int argc, char **argv, struct options *options, struct error *error);

void cli_print_help(FILE *stream);
void cli_print_version(FILE *stream);
void cli_print_variants(FILE *stream);

/* Whether to show progress, for a run of one file or of many. By default it is kept away from what
 * else is printed for people on the terminal, and from them if they want quiet. */
enum progress_mode cli_progress(const struct options *options, bool many);

#endif
