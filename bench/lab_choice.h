/* SPDX-License-Identifier: MIT */
/* Which rows of lab/ the options ask for. */
#ifndef SMOOTHIMG_LAB_CHOICE_H
#define SMOOTHIMG_LAB_CHOICE_H

#include "bench_options.h"
#include "lab.h"
#include "machine.h"

#include <stdio.h>

/* Are the names of --experiment known, and can what was asked for run here? STATUS_USAGE or
 * STATUS_DEVICE. */
enum status lab_choice_check(const struct bench_options *options, const struct machine *machine,
                             struct error *error);

/* Does --experiment ask for the row, by its group, by GROUP/ROW, or by naming none? And --place? */
bool lab_choice_wants(const struct bench_options *options, const struct experiment *experiment);

/* The table of --list. */
void lab_choice_print(FILE *stream);

#endif
