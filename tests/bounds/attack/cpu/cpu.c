/* SPDX-License-Identifier: MIT */
/* Searches for the largest errors of the paths (ways to estimate a result, attack.h) of the variant
 * smooth_cpu, compiled for one instruction set. The test is skipped if the processor lacks this
 * instruction set. */
#include "tests/variants/isa_check.h"
#include "tests/bounds/attack/cpu/cpu.h"

#define EVERY 11 /* without arguments, the program tries every 11th filter */

int main(int argc, char **argv)
{
    const struct attack_path *paths[] = {&attack_u8_one, &attack_u8_two, &attack_u8_repair};
    const int other = isa_check(TEXT(ISA)), count = sizeof paths / sizeof *paths;

    return other ? other : attack_main(paths, count, EVERY, argc, argv);
}
