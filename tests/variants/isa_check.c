/* SPDX-License-Identifier: MIT */
#include "tests/variants/isa_check.h"

#include "kernels/common/isa.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Asks the compiler's library which instructions the processor has, and not kernels/common/isa.c,
 * which is tested and may be wrong. */
static bool processor_lacks(const char *name)
{
#ifdef __x86_64__
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");

    return strcmp(name, "neon") == 0 || (strcmp(name, "avx2") == 0 && !avx2) ||
           (strcmp(name, "avx512") == 0 && !avx512) ||
           (strcmp(name, "vnni") == 0 && !(avx512 && __builtin_cpu_supports("avx512vnni")));
#elif defined __aarch64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return strcmp(name, "base") != 0 && strcmp(name, "neon") != 0;
#else
    return strcmp(name, "base") != 0;
#endif
}

int isa_check(const char *name)
{
    const char *found = isa_find(name)->name;

    if (!name || strcmp(found, name) == 0)
        return 0;
    if (processor_lacks(name)) {
        fprintf(stderr, "%s: this processor lacks it\n", name);
        return ISA_MISSING;
    }
    fprintf(stderr, "%s: isa_find() gives %s\n", name, found);
    return 1;
}
