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

#ifdef __x86_64__
DEFINE_ISA(avx2);
DEFINE_ISA(avx512);
DEFINE_ISA(vnni);

/* An instruction set counts as supported only if the processor has every extension for which
 * kernels/meson.build compiles its loops. */
const struct isa *isa_find(const char *name)
{
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");
    const bool vnni = avx512 && __builtin_cpu_supports("avx512vnni");
    const struct {
        bool has;
        const struct isa *isa;
    } rows[] = {{vnni, &isa_vnni}, {avx512, &isa_avx512}, {avx2, &isa_avx2}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].has && (!name || strcmp(name, rows[i].isa->name) == 0))
            return rows[i].isa;
    return &isa_base;
}
#elif defined __aarch64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
DEFINE_ISA(neon); /* all 64-bit ARM processors have it */

const struct isa *isa_find(const char *name)
{
    return !name || strcmp(name, isa_neon.name) == 0 ? &isa_neon : &isa_base;
}
#else
const struct isa *isa_find(const char *name)
{
    (void)name;
    return &isa_base;
}
#endif

const struct isa *isa_of(const struct request *request)
{
    return request->isa ? request->isa : isa_find(NULL);
}
