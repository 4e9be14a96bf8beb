/* SPDX-License-Identifier: MIT */
/* Filters of arrays, drawn: arrays that are large enough for vectors, blocks and rings; every pair
 * of types; values that are random, flat, of every exponent, or of few in patches. And their
 * results by the definition's exact sums. */
#ifndef TESTS_ARRAYS_TRIAL_H
#define TESTS_ARRAYS_TRIAL_H

#include "kernels/common/arrays.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "src/lib/filter/gauss.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_AXES 4
#define MOST_SAMPLES 20000
#define MOST_TERMS 3
#define BANDS 3
#define RESULT_BYTES (8 * MOST_SAMPLES)

static uint64_t state;

/* Steele, Lea and Flood's splitmix64. */
static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int64_t below(int64_t n)
{
    return (int64_t)(draw() % (uint64_t)n);
}

static double uniform(double least, double most)
{
    return least + (most - least) * (double)(draw() >> 11) * 0x1p-53;
}

/* The bits of a sample that stands for a value of middle size. */
static uint64_t float_bits(enum sample_type type, int mood)
{
    const struct sample_format format = sample_format(type);
    const int fraction_bits = format.significant_bits - 1;
    const uint64_t sign = (draw() & 1) << (8 * format.bytes - 1);
    const int middle = (1 << (format.exponent_bits - 1)) - 1;
    const int field =
        mood == 2 ? (int)below((1 << format.exponent_bits) - 1) : middle + (int)below(3);
    const uint64_t fraction = mood == 1 ? 0 : draw() & (((uint64_t)1 << fraction_bits) - 1);

    if (mood == 3 && below(50) == 0)
        return sign | (uint64_t)((1 << format.exponent_bits) - 1) << fraction_bits | (draw() & 1);
    return (mood == 1 ? 0 : sign) | (uint64_t)(mood == 1 ? middle : field) << fraction_bits |
           fraction;
}

/* The exponent of moods 4 and 5: about 1, or near the greatest. */
static int draw_exponent(enum sample_type type)
{
    const int fields = 1 << sample_format(type).exponent_bits;

    return below(2) == 0 ? fields / 2 - 1 : (int)max(fields - 2 - below(60), 1);
}

/* The bits of a mood 4: neighbours differ in their last bits. */
static uint64_t flat_bits(enum sample_type type, int exponent)
{
    return ((uint64_t)exponent << (sample_format(type).significant_bits - 1)) + (draw() & 3);
}

/* And of a mood 5: zeros, or numbers that are smaller by some bits than others, or by twice as
 * many.
 */
static uint64_t patch_bits(enum sample_type type, int exponent, int patch, int step, bool has_signs)
{
    const struct sample_format format = sample_format(type);
    const int fraction_bits = format.significant_bits - 1;
    const uint64_t field = (uint64_t)max(exponent - step * (patch - 1), 0);
    const uint64_t fraction = draw() & (((uint64_t)1 << fraction_bits) - 1);
    const uint64_t sign = has_signs ? (draw() & 1) << (8 * format.bytes - 1) : 0;

    return patch == 0 ? 0 : sign | field << fraction_bits | fraction;
}

/* mood 0: random; 1: flat but for a few; 2: every exponent; 3: infinities and NaN too; 4 and 5: as
 * above. */
static void fill(char *samples, enum sample_type type, int64_t count, int mood)
{
    const struct sample_format format = sample_format(type);
    const bool has_signs = draw() & 1;
    const int step = below(3) == 0 ? 511 : 30;
    const int64_t rare = below(2) == 0 ? 100 : 5000;
    const int exponent = format.is_float ? draw_exponent(type) : 0;
    int patch = 1;

    for (int64_t i = 0; i < count; i++) {
        const int here = mood == 1 && below(rare) == 0 ? 0 : mood;
        uint64_t bits;
        uint8_t one;
        uint16_t two;
        uint32_t four;

        if (below(40) == 0)
            patch = (int)below(4);
        if (!format.is_float)
            bits = here == 1 || (here == 5 && patch == 0) ? 1 : draw();
        else if (here < 4)
            bits = float_bits(type, here);
        else
            bits = here == 4 ? flat_bits(type, exponent)
                             : patch_bits(type, exponent, patch, step, has_signs);
        if (here == 1 && i >= count / 2) /* two halves */
            bits += format.is_float ? (uint64_t)1 << (format.significant_bits - 2) : 101;
        if (type == SAMPLE_BOOL)
            bits &= 1;
        one = (uint8_t)bits;
        two = (uint16_t)bits;
        four = (uint32_t)bits;
        memcpy(samples + i * format.bytes,
               format.bytes == 1   ? (void *)&one
               : format.bytes == 2 ? (void *)&two
               : format.bytes == 4 ? (void *)&four
                                   : (void *)&bits,
               (size_t)format.bytes);
    }
}

struct trial {
    struct array_job job;
    struct array_taps taps[MOST_TERMS * MOST_AXES];
    struct array_weight weights[MOST_TERMS * MOST_AXES][MAX_HALO + 1];
    char src[RESULT_BYTES], dst[RESULT_BYTES], expected[RESULT_BYTES];
    int64_t samples;
    int mood;
    bool derives; /* a Laplacian or a gradient, of what is constant outside in each term */
};

/* Without gaps. */
static void set_strides(struct trial *trial, const int64_t *shape, struct array *array)
{
    int64_t step = sample_format(array->type).bytes;

    for (int i = trial->job.axes - 1; i >= 0; i--) {
        array->strides[i] = step;
        step *= shape[i];
    }
}

static void draw_shape(struct trial *trial)
{
    struct array_job *job = &trial->job;
    static const int64_t extents[] = {1, 2, 3, 5, 9, 16, 33, 40, 65, 130, 300, 1500};

    do {
        job->axes = 1 + (int)below(MOST_AXES);
        trial->samples = 1;
        for (int i = 0; i < job->axes; i++)
            trial->samples *= job->shape[i] = extents[below(12)];
    } while (trial->samples > MOST_SAMPLES || trial->samples < 50);
}

/* All of the result, or a part of it. */
static void draw_part(struct trial *trial)
{
    struct array_job *job = &trial->job;
    const bool all = below(3) > 0;

    for (int i = 0; i < job->axes; i++) {
        job->extent[i] = all ? job->shape[i] : 1 + below(job->shape[i]);
        job->first[i] = below(job->shape[i] - job->extent[i] + 1);
    }
}

/* Windows of at most `most` samples: the definition sums each of them. */
static bool draw_filter(struct trial *trial, int64_t most)
{
    struct array_job *job = &trial->job;
    int64_t window = 1;
    struct error error;

    job->filtered = 0;
    for (int i = 0; i < job->axes; i++) {
        const bool is_long = below(4) == 0, left_out = below(4) == 0;
        const int64_t halo = trial->derives ? 1 + below(3) : below(is_long ? 40 : 6);

        if ((left_out && !trial->derives) || window * (2 * halo + 1) > most)
            continue;
        window *= 2 * halo + 1;
        job->axis[job->filtered] = i;
        job->halo[job->filtered++] = halo;
    }
    for (int i = 0; i < job->terms * job->filtered; i++) {
        const struct filter_axis axis = {job->halo[i % job->filtered], uniform(0.4, 6)};
        const int drawn = below(2) == 0 ? 0 : (int)below(4);
        const int derived = job->combination == ARRAY_MAGNITUDE ? 1 : 2;
        const bool along = i % job->filtered == i / job->filtered;
        const int order = !trial->derives ? drawn : along ? derived : 0;
        const double factor = order > 0 && below(2) == 0 ? uniform(0.001, 16) : 1;

        trial->taps[i] = (struct array_taps){trial->weights[i], order % 2 == 1,
                                             trial->derives ? EDGE_ZERO : (enum edge)below(5)};
        if (gauss_weights(&axis, order, factor, NORM_SUM, job->bits, trial->weights[i], &error) !=
            STATUS_OK)
            return false;
    }
    return true;
}

/* 0, as flat samples are, of the size of others, of any size, or an integer that two doubles hold.
 */
static void draw_outside(struct array_job *job)
{
    const struct sample_format format = sample_format(job->src.type);
    const int64_t kind = below(8);

    if (kind == 3)
        job->outside = 1;
    else if (kind == 4) {
        job->outside = 0x1p62 + 1024 * (double)below(1 << 20);
        job->outside_rest = (double)(below(1023) - 511);
    } else if (kind == 5)
        job->outside = ldexp(uniform(0.5, 1), (int)(below(2) == 0 ? 1024 : below(2098) - 1073));
    else if (kind > 5)
        job->outside = ldexp(uniform(-3, 3), format.is_float ? 0 : format.significant_bits - 2);
    if (below(2) == 0) {
        job->outside = -job->outside;
        job->outside_rest = -job->outside_rest;
    }
}

static bool draw_trial(struct trial *trial, uint64_t number)
{
    struct array_job *job = &trial->job;

    state = number;
    *job = (struct array_job){.threads = BANDS, .taps = trial->taps};
    draw_shape(trial);
    job->src = (struct array){.origin = trial->src, .type = (enum sample_type)below(SAMPLE_TYPES)};
    job->dst = (struct array){.origin = trial->dst, .type = (enum sample_type)below(SAMPLE_TYPES)};
    if (below(3) == 0)
        job->dst.type = job->src.type;
    trial->mood = (int)below(6);
    trial->derives = below(4) == 0;
    if (trial->mood >= 4 && below(2) == 0) /* where two doubles have to be right */
        job->src.type = job->dst.type = SAMPLE_F64;
    draw_part(trial);
    set_strides(trial, job->shape, &job->src);
    set_strides(trial, job->extent, &job->dst);
    job->bits = array_weight_bits(job->src.type, job->dst.type);
    job->terms = below(3) == 0 ? 1 + (int)below(MOST_TERMS) : 1;
    job->combination = job->terms > 1 && below(2) == 0 ? ARRAY_MAGNITUDE : ARRAY_SUM;
    draw_outside(job);
    if (trial->derives) {
        job->terms = 1 + (int)min(job->axes - 1, MOST_TERMS - 1);
        job->outside = job->outside == 0 ? 7 : job->outside;
    }
    fill(trial->src, job->src.type, trial->samples, trial->mood);
    return draw_filter(trial, max(2000000 / trial->samples, 30));
}

/* On the host. */
static void run(struct trial *trial, bool exact_only, char *dst)
{
    void *scratch[BANDS];
    size_t bytes;

    trial->job.exact_only = exact_only;
    trial->job.dst.origin = dst;
    bytes = (array_scratch_bytes(&trial->job) + 63) / 64 * 64;
    for (int i = 0; i < BANDS; i++) {
        scratch[i] = aligned_alloc(64, bytes);
        memset(scratch[i], 0xa5, bytes);
    }
    memset(dst, 0x5a, RESULT_BYTES);
    array_run(&trial->job, scratch);
    for (int i = 0; i < BANDS; i++)
        free(scratch[i]);
}

/* Tells what was wrong; returns whether it is. */
static bool is_wrong(const struct trial *trial, uint64_t number)
{
    if (memcmp(trial->expected, trial->dst, RESULT_BYTES) == 0)
        return false;
    printf("case %llu differs: types %d, %d, mood %d\n", (unsigned long long)number,
           (int)trial->job.src.type, (int)trial->job.dst.type, trial->mood);
    return true;
}

static int conclude(const char *what, uint64_t cases, uint64_t samples, uint64_t wrong)
{
    printf("%s: %llu cases, %llu samples, %llu cases wrong\n", what, (unsigned long long)cases,
           (unsigned long long)samples, (unsigned long long)wrong);
    return wrong > 0;
}

#endif
