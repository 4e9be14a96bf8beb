/* SPDX-License-Identifier: MIT */
/* Filters of arrays with the loops of one instruction set, by estimates, against the definition's
 * exact sums, and every fourth time what lies between two samples: check_levels LEVEL CASES
 * [FIRST].
 */
#include "tests/arrays/ties.h"

int main(int argc, char **argv)
{
    static struct trial trial;
    const struct isa *isa = isa_find(argv[1]);
    const uint64_t cases = strtoull(argv[2], NULL, 10);
    const uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    uint64_t wrong = 0, samples = 0;

    if (strcmp(isa->name, argv[1]) != 0) {
        printf("this processor has no %s\n", argv[1]);
        return 77;
    }
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
