/* SPDX-License-Identifier: MIT */
#include "kernels/common/isa.h"

#include <string.h>

#define DEFINE_ISA(NAME)                                                                           \
    extern const struct smooth_u8_loops smooth_u8_loops_##NAME;                                    \
    extern const struct smooth_cosines_loops smooth_cosines_loops_##NAME;                          \
    extern const struct transpose_loops transpose_loops_##NAME;                                    \
    extern const struct reverse_loops reverse_loops_##NAME;                                        \
    extern const struct array_loops array_loops_##NAME;                                            \
    static const struct isa isa_##NAME = {#NAME,                                                   \
                                          &smooth_u8_loops_##NAME,                                 \
                                          &smooth_cosines_loops_##NAME,                            \
                                          &transpose_loops_##NAME,                                 \
                                          &reverse_loops_##NAME,                                   \
                                          &array_loops_##NAME}

DEFINE_ISA(base);

static inline bool may_use(const struct isa *isa, const char *name)
{
    return !name || strcmp(name, isa->name) == 0;
}

#ifdef __x86_64__
DEFINE_ISA(avx2);
DEFINE_ISA(avx512);
DEFINE_ISA(vnni);

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* True if the processor has all instruction set extensions for which kernels/meson.build compiles
 * the avx512 loops. */
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static bool has_vnni(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512vnni");
}

const struct isa *isa_find(const char *name)
{
    if (has_vnni() && may_use(&isa_vnni, name))
        return &isa_vnni;
    if (has_avx512() && may_use(&isa_avx512, name))
        return &isa_avx512;
    if (has_avx2() && may_use(&isa_avx2, name))
        return &isa_avx2;
    return &isa_base;
}
#elif defined __aarch64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
DEFINE_ISA(neon); /* all 64-bit ARM processors have it */

const struct isa *isa_find(const char *name)
{
    return may_use(&isa_neon, name) ? &isa_neon : &isa_base;
}
#else
const struct isa *isa_find(const char *name)
{
    (void)name;
    return &isa_base;
}
#endif
