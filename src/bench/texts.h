/* SPDX-License-Identifier: MIT */
/* The texts of --help and --version. */
#ifndef SMOOTHIMG_BENCH_TEXTS_H
#define SMOOTHIMG_BENCH_TEXTS_H

#include <stdio.h>

void bench_print_help(FILE *stream);
void bench_print_version(FILE *stream);

#endif
