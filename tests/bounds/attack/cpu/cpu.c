/* SPDX-License-Identifier: MIT */
/* The paths of smooth_cpu for the instruction set that they are compiled for. Skipped if the
 * processor lacks it. */
#include "tests/variants/isa_check.h"
#include "tests/bounds/attack/cpu/cpu.h"

#define EVERY 41 /* filters of the quick form */

int main(int argc, char **argv)
{
    const struct attack_path *paths[] = {&attack_u8_one, &attack_u8_two, &attack_u8_repair};
    const int other = isa_check(TEXT(ISA)), count = sizeof paths / sizeof *paths;

    return other ? other : attack_main(paths, count, EVERY, argc, argv);
}
