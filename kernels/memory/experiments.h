/* SPDX-License-Identifier: MIT */
/* The list of the memory lab's experiments, made data for them, and the judge of their results. */
#ifndef SMOOTHIMG_LAB_H
#define SMOOTHIMG_LAB_H

#include "experiment.h"

/* Row number `index` of all groups in the list's order, within a group from plain to good; NULL
 * behind the last. A build without a GPU has the CPU's rows alone. */
const struct experiment *lab_row(int index);

/* Group number `index` of those that have rows in builds with a GPU, real or emulated, alone; NULL
 * behind the last. */
const char *lab_absent(int index);

/* Bytes of an element. */
size_t lab_type_bytes(enum lab_type type);

/* An element as a double: exact for all made data. */
double lab_value(const struct lab_array *array, int64_t index);

/* Fills array->memory, on the host, with the whole numbers that `want` asks for: the same on every
 * machine. `seed` tells the inputs of a job apart. */
void lab_fill(const struct lab_want *want, uint32_t seed, const struct lab_array *array);

/* Is element i one of the array's own, or does it lie in the border of an image? */
bool lab_inside(const struct lab_want *want, const struct lab_size *size, int64_t i);

/* The type of reference()'s output. */
enum lab_type lab_reference_type(const struct experiment *row, const struct lab_shape *shape);

/* A result beside the reference's. */
struct lab_verdict {
    int64_t wrong;      /* elements out of bounds, or that are not numbers */
    int64_t first;      /* the first of them */
    double wanted, got; /* there */
    double bound;       /* 0: exact */
    double worst;       /* greatest error seen */
};

/* Both on the host: job->out is what run() made, `wanted` what reference() made. */
struct lab_verdict lab_judge(const struct lab_job *job, const struct lab_array *wanted);

#endif
