/* SPDX-License-Identifier: MIT */
/* Which of the inner loops this machine can run. */
#include "smooth_loops.h"

#include <stdlib.h>
#include <string.h>

extern const struct smooth_loops smooth_loops_base;

#ifdef __x86_64__
extern const struct smooth_loops smooth_loops_avx2, smooth_loops_avx512, smooth_loops_vnni;

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* All that the level is compiled with: see kernels/meson.build. */
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static bool has_vnni(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512vnni");
}

static bool may_use(const struct smooth_loops *loops)
{
    const char *wanted = getenv("SMOOTHIMG_CPU");

    return !wanted || strcmp(wanted, loops->level) == 0;
}

const struct smooth_loops *smooth_loops(void)
{
    if (has_vnni() && may_use(&smooth_loops_vnni))
        return &smooth_loops_vnni;
    if (has_avx512() && may_use(&smooth_loops_avx512))
        return &smooth_loops_avx512;
    if (has_avx2() && may_use(&smooth_loops_avx2))
        return &smooth_loops_avx2;
    return &smooth_loops_base;
}
#else
const struct smooth_loops *smooth_loops(void)
{
    return &smooth_loops_base;
}
#endif
