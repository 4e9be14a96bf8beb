/* SPDX-License-Identifier: MIT */
/* Searches for the largest errors of the paths (ways to estimate a result, attack.h) of the variant
 * smooth_fused, whose device functions are compiled for the host. */
#include "tests/bounds/attack/gpu/gpu.h"

#include <stddef.h>

#define EVERY 13 /* without arguments, the program tries every 13th filter */

int main(int argc, char **argv)
{
    const struct attack_path *const *const lists[] = {attack_forms, attack_int8, attack_arrays};
    const struct attack_path *paths[64];
    int count = 0;

    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
        for (size_t i = 0; lists[list][i]; i++)
            paths[count++] = lists[list][i];
    return attack_main(paths, count, EVERY, argc, argv);
}
