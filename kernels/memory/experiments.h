/* SPDX-License-Identifier: MIT */
/* The list of the memory experiments, made data for them, and the judge of their results. */
#ifndef SMOOTHIMG_EXPERIMENTS_H
#define SMOOTHIMG_EXPERIMENTS_H

#include "kernels/memory/experiment.h"

/* Row number `index` of all groups in the list's order, within a group from plain to good; NULL
 * after the last. A build without a GPU has only the CPU's rows. */
const struct experiment *experiment_at(int index);

/* Group number `index` of those that have rows in builds with a GPU, real or emulated, alone; NULL
 * after the last. */
const char *experiment_absent(int index);

/* Bytes of an element. */
size_t element_bytes(enum element_type type);

/* Fills array->memory, on the host, with the whole numbers that `want` asks for: the same on every
 * machine. `seed` tells the inputs of a job apart. */
void array_fill(const struct array_spec *want, uint32_t seed, const struct array *array);

/* Is element i one of the array's own, or does it lie in the border of an image? */
bool array_inside(const struct array_spec *want, const struct problem_size *size, int64_t i);

/* The type of reference()'s output. */
enum element_type experiment_reference_type(const struct experiment *row,
                                            const struct array_specs *shape);

/* A result beside the reference's. */
struct judgement {
    int64_t wrong;      /* elements out of bounds, or that are not numbers */
    int64_t first;      /* the first of them */
    double wanted, got; /* there */
    double bound;       /* 0: exact */
    double worst;       /* greatest error seen */
};

/* Both on the host: job->out is what run() made, `wanted` what reference() made. */
struct judgement experiment_judge(const struct experiment_job *job, const struct array *wanted);

#endif
