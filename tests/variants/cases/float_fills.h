/* SPDX-License-Identifier: MIT */
/* Pictures of floats for the test cases, many of them hostile. */
#ifndef SMOOTHIMG_FLOAT_FILLS_H
#define SMOOTHIMG_FLOAT_FILLS_H

#include <stdbool.h>
#include <stdint.h>

#define FLOAT_FILL_COUNT 15

/* Of fill 0..FLOAT_FILL_COUNT-1; a name is always the same pointer. */
const char *float_fill_name(int fill);

/* Whether wide filters make it hostile: a chequer's. */
bool float_fill_is_chequer(int fill);

/* The bits of one sample. of_case, of_sample: random numbers, the same for all samples of a
 * picture, and another for each sample; odd: the sample is on a dark square of a chequer. */
uint32_t float_fill(int fill, uint64_t of_case, uint64_t of_sample, bool odd);

#endif
