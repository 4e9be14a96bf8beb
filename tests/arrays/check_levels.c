/* SPDX-License-Identifier: MIT */
/* Filters of arrays with the loops of one instruction set, by estimates, against the definition's
 * exact sums, and every fourth time what lies between two samples: check_levels LEVEL CASES
 * [FIRST]. Before them, numbers in the middle between two samples, with bounds that no double's
 * last place has room for.
 */
#include "tests/arrays/ties.h"

#include "kernels/smooth/arrays/loops.h"

#define NUMBERS 17 /* whole vectors, and one by one */
#define BOUND 0x1p-300

/* How many samples of the middle between two are taken as sure, by vectors or one by one. */
static uint64_t sure_middles(const struct array_loops *loops, double value, double rest,
                             enum sample_type type)
{
    const struct array_bound bound = {0, BOUND};
    double values[NUMBERS], rests[NUMBERS];
    const struct reals from = {.value = values, .rest = rest != 0 ? rests : NULL};
    char samples[NUMBERS * sizeof(double)];
    uint8_t open[NUMBERS];
    uint64_t sure = 0;

    for (int i = 0; i < NUMBERS; i++) {
        values[i] = value;
        rests[i] = rest;
    }
    loops->store(&from, &bound, type, NUMBERS, samples, sample_format(type).bytes, open);
    for (int i = 0; i < NUMBERS; i++)
        sure += !open[i];
    if (sure > 0)
        printf("%a + %a, in the middle of type %d, is sure\n", value, rest, (int)type);
    return sure;
}

/* Of the middles, the bound widens both ends to the doubles beside them: half of it would do but
 * for powers of two. */
static uint64_t all_sure_middles(const struct array_loops *loops)
{
    return sure_middles(loops, 1 + 0x1p-24, 0, SAMPLE_F32) +
           sure_middles(loops, 0x1p-150, 0, SAMPLE_F32) +
           sure_middles(loops, -0x1p-150, 0, SAMPLE_F32) +
           sure_middles(loops, 1 + 0x1p-11, 0, SAMPLE_F16) +
           sure_middles(loops, 0x1p-25, 0, SAMPLE_F16) +
           sure_middles(loops, 1, 0x1p-53, SAMPLE_F64) +
           sure_middles(loops, -1, -0x1p-53, SAMPLE_F64);
}

int main(int argc, char **argv)
{
    static struct trial trial;
    const struct isa *isa = isa_find(argv[1]);
    const uint64_t cases = strtoull(argv[2], NULL, 10);
    const uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1 + unit_turn() * cases;
    uint64_t wrong = 0, samples = 0;

    if (strcmp(isa->name, argv[1]) != 0) {
        printf("this processor has no %s\n", argv[1]);
        return 77;
    }
    wrong += all_sure_middles(isa->arrays);
    for (uint64_t i = first; i < first + cases; i++) {
        if (i % 4 == 0 ? !draw_ties(&trial, i) : !draw_trial(&trial, i))
            continue;
        trial.job.isa = isa;
        run(&trial, true, trial.expected);
        run(&trial, false, trial.dst);
        samples += (uint64_t)trial.samples;
        wrong += is_wrong(&trial, i);
    }
    return conclude(isa->name, cases, samples, wrong);
}
