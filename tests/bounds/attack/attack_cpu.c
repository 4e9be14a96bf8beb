/* SPDX-License-Identifier: MIT */
/* The paths of smooth_cpu, at the level that they are compiled for: skipped where the processor has
 * another. */
#include "../level.h"
#include "attack_cpu.h"

#define EVERY 41 /* filters of the quick form */
#define TEXT_OF(NAME) #NAME
#define TEXT(NAME) TEXT_OF(NAME)

int main(int argc, char **argv)
{
    const struct attack_path *paths[] = {&attack_u8_one,           &attack_u8_two,
                                         &attack_doubles,          &attack_weighted_floats,
                                         &attack_weighted_doubles, &attack_u8_repair};
    const int other = level_check(TEXT(LEVEL));
    const int count = sizeof paths / sizeof *paths - !attack_u8_repair_exists();

    return other ? other : attack_main(paths, count, EVERY, argc, argv);
}
