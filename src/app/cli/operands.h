/* SPDX-License-Identifier: MIT */
/* The operands: which are inputs, and where the outputs go. */
#ifndef SMOOTHIMG_OPERANDS_H
#define SMOOTHIMG_OPERANDS_H

#include "src/app/cli/options/options.h"

/* Sets inputs, input_count, output and output_dir from the words that are no options; the options
 * are complete. STATUS_USAGE: they name no input, no output or too many; STATUS_OUTPUT: the folder
 * for the outputs does not exist. */
enum status operands_take(int count, char **operands, struct options *options, struct error *error);

#endif
