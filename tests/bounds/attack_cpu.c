/* SPDX-License-Identifier: MIT */
/* The paths of smooth_cpu, at the level that they are compiled for: skipped where the processor has
 * another. */
#include "attack_cpu.h"
#include "levels.h"

#include <stdio.h>

#define EVERY 41 /* filters of the quick form */
#define TEXT_OF(NAME) #NAME
#define TEXT(NAME) TEXT_OF(NAME)

int main(int argc, char **argv)
{
    const struct attack_path *paths[] = {&attack_u8_one,           &attack_u8_two,
                                         &attack_doubles,          &attack_weighted_floats,
                                         &attack_weighted_doubles, &attack_u8_repair};
    const int count = sizeof paths / sizeof *paths - !attack_u8_repair_exists();

    if (strcmp(level_in_use()->name, TEXT(LEVEL)) != 0) {
        fprintf(stderr, "not on this processor: level %s\n", TEXT(LEVEL));
        return 77;
    }
    return attack_main(paths, count, EVERY, argc, argv);
}
