/* SPDX-License-Identifier: MIT */
#include "kernels/memory/experiments.h"

#include <math.h>

/* meson.build makes experiment_list.h. This header has a line EXPERIMENTS(stem) for each file of
 * experiments. In a build without a GPU, each .cu file has a line ABSENT(group) instead; other
 * experiments of that group may run on the CPU. */
#define ABSENT(GROUP)
#define EXPERIMENTS(STEM) extern const struct experiment experiments_##STEM[];
#include "experiment_list.h"
#undef EXPERIMENTS

static const struct experiment *const files[] = {
#define EXPERIMENTS(STEM) experiments_##STEM,
#include "experiment_list.h"
#undef EXPERIMENTS
#undef ABSENT
    NULL};

static const char *const absent_groups[] = {
#define EXPERIMENTS(STEM)
#define ABSENT(GROUP) #GROUP,
#include "experiment_list.h"
    NULL};

const struct experiment *experiment_at(int index)
{
    for (int file = 0; files[file]; file++)
        for (const struct experiment *row = files[file]; row->group; row++)
            if (index-- == 0)
                return row;
    return NULL;
}

const char *experiment_absent(int index)
{
    return (size_t)index < sizeof absent_groups / sizeof *absent_groups ? absent_groups[index]
                                                                        : NULL;
}

size_t element_bytes(enum element_type type)
{
    static const size_t bytes[] = {1, 4, 8, 4, 8};

    return bytes[type];
}

/* Returns an element as a double, which holds every generated number exactly. */
static double array_value(const struct array *array, int64_t index)
{
    switch (array->type) {
    case ELEMENT_U8:
        return ((const uint8_t *)array->memory)[index];
    case ELEMENT_I32:
        return ((const int32_t *)array->memory)[index];
    case ELEMENT_I64:
        return (double)((const int64_t *)array->memory)[index];
    case ELEMENT_F32:
        return (double)((const float *)array->memory)[index];
    default:
        return ((const double *)array->memory)[index];
    }
}

static void set_value(const struct array *array, int64_t index, int32_t value)
{
    switch (array->type) {
    case ELEMENT_U8:
        ((uint8_t *)array->memory)[index] = (uint8_t)value;
        break;
    case ELEMENT_I32:
        ((int32_t *)array->memory)[index] = value;
        break;
    case ELEMENT_I64:
        ((int64_t *)array->memory)[index] = value;
        break;
    case ELEMENT_F32:
        ((float *)array->memory)[index] = (float)value;
        break;
    default:
        ((double *)array->memory)[index] = value;
    }
}

/* Returns splitmix64's hash of the number (Steele and Vigna), so that adjacent elements differ at
 * random. */
static uint64_t mixed(uint64_t number)
{
    number += 0x9E3779B97F4A7C15U;
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9U;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EBU;
    return number ^ (number >> 31);
}

/* The product of 32 random bits and the length of the range low..high, shifted right by 32 bits, is
 * the distance from `low`. A modulo would take a division for each element. */
void array_fill(const struct array_spec *want, uint32_t seed, const struct array *array)
{
    const uint64_t span = (uint64_t)((int64_t)want->high - want->low + 1);

    for (int64_t i = 0; i < array->count; i++) {
        const uint64_t number = mixed((uint64_t)i ^ (uint64_t)seed << 48) >> 32;

        set_value(array, i, (int32_t)(want->low + (int64_t)(number * span >> 32)));
    }
}

enum element_type experiment_reference_type(const struct experiment *row,
                                            const struct array_specs *shape)
{
    return row->bound ? ELEMENT_F64 : shape->out.type;
}

/* 64-bit integers are compared as integers: a double would lose their last bits. */
static bool differs(const struct array *wanted, const struct array *got, int64_t i)
{
    if (wanted->type == ELEMENT_I64 && got->type == ELEMENT_I64)
        return ((const int64_t *)wanted->memory)[i] != ((const int64_t *)got->memory)[i];
    return array_value(wanted, i) != array_value(got, i);
}

bool array_inside(const struct array_spec *want, const struct problem_size *size, int64_t i)
{
    const int64_t pitch = size->width + 2 * want->border;
    const int64_t x = i % pitch - want->border, y = i / pitch - want->border;

    return !want->image || (x >= 0 && x < size->width && y >= 0 && y < size->height);
}

struct judgement experiment_judge(const struct experiment_job *job, const struct array *wanted)
{
    const double bound = job->row->bound ? job->row->bound(job) : 0;
    struct judgement verdict = {.bound = bound};
    struct array_specs shape = {0};

    job->row->shape(job->row, &job->size, &shape);
    for (int64_t i = 0; i < wanted->count; i++) {
        if (!array_inside(&shape.out, &job->size, i))
            continue;
        const double want = array_value(wanted, i), got = array_value(&job->out, i);
        const double error = fabs(want - got);

        verdict.worst = error > verdict.worst ? error : verdict.worst;
        /* A NaN is wrong too: error <= bound is false for it. */
        if (bound == 0 ? !differs(wanted, &job->out, i) : error <= bound)
            continue;
        if (verdict.wrong++ == 0) {
            verdict.first = i;
            verdict.wanted = want;
            verdict.got = got;
        }
    }
    return verdict;
}
