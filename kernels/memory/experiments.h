/* SPDX-License-Identifier: MIT */
/* The list of the memory experiments, their data, and the comparison of their results. */
#ifndef SMOOTHIMG_EXPERIMENTS_H
#define SMOOTHIMG_EXPERIMENTS_H

#include "kernels/memory/experiment.h"

/* Returns experiment number `index` of all groups, or NULL after the last one. A group's
 * experiments are in the order of its files and their tables. A build without a GPU has only the
 * experiments on the CPU. */
const struct experiment *experiment_at(int index);

/* Returns the name of the group with this index among those whose experiments on a GPU this build
 * lacks. Returns NULL after the last one. */
const char *experiment_absent(int index);

size_t element_bytes(enum element_type type);

/* Fills array->memory, on the host, with the whole numbers that `want` asks for, which are the same
 * on every machine. Inputs with different seeds have different numbers. */
void array_fill(const struct array_spec *want, uint32_t seed, const struct array *array);

/* True if element i belongs to the array itself; false if it lies in an image's border. */
bool array_inside(const struct array_spec *want, const struct problem_size *size, int64_t i);

enum element_type experiment_reference_type(const struct experiment *row,
                                            const struct array_specs *shape);

/* How a result compares with the result of reference(). */
struct judgement {
    int64_t wrong;      /* number of wrong elements: those beyond the bound, or NaN */
    int64_t first;      /* index of the first wrong element */
    double wanted, got; /* values of that element: reference()'s and run()'s */
    double bound;       /* the greatest legal error; 0: the result must be exact */
    double worst;       /* greatest error seen */
};

/* Compares arrays on the host: job->out, which run() made, and `wanted`, which reference() made. */
struct judgement experiment_judge(const struct experiment_job *job, const struct array *wanted);

#endif
