/* SPDX-License-Identifier: MIT */
/* Which of the inner loops this machine can run. */
#include "levels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEFINE_LEVEL(NAME)                                                                         \
    extern const struct smooth_loops smooth_loops_##NAME;                                          \
    extern const struct smooth_u8_loops smooth_u8_loops_##NAME;                                    \
    extern const struct weighted_levels weighted_loops_##NAME;                                     \
    extern const struct transpose_loops transpose_loops_##NAME;                                    \
    extern const struct reverse_loops reverse_loops_##NAME;                                        \
    static const struct level level_##NAME = {#NAME,                                               \
                                              &smooth_loops_##NAME,                                \
                                              &smooth_u8_loops_##NAME,                             \
                                              &weighted_loops_##NAME,                              \
                                              &transpose_loops_##NAME,                             \
                                              &reverse_loops_##NAME}

DEFINE_LEVEL(base);

#ifdef __x86_64__
DEFINE_LEVEL(avx2);
DEFINE_LEVEL(avx512);
DEFINE_LEVEL(vnni);

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

static bool may_use(const struct level *level)
{
    const char *wanted = getenv("SMOOTHIMG_CPU");

    return !wanted || strcmp(wanted, level->name) == 0;
}

const struct level *level_in_use(void)
{
    if (has_vnni() && may_use(&level_vnni))
        return &level_vnni;
    if (has_avx512() && may_use(&level_avx512))
        return &level_avx512;
    if (has_avx2() && may_use(&level_avx2))
        return &level_avx2;
    return &level_base;
}
#else
const struct level *level_in_use(void)
{
    return &level_base;
}
#endif
