/* SPDX-License-Identifier: MIT */
/* Instruction sets. kernels/meson.build compiles the inner loops of the CPU variants once for each
 * instruction set, with the macro ISA defined as the instruction set's name. At run time the
 * program chooses one instruction set; a struct isa points to its loops. */
#ifndef SMOOTHIMG_ISA_H
#define SMOOTHIMG_ISA_H

#include "kernels/variant.h"

struct isa {
    const char *name; /* "base", "avx2", "avx512", "vnni", "neon" */
    const struct smooth_u8_loops *smooth_u8;
    const struct smooth_cosines_loops *smooth_cosines;
    const struct transpose_loops *transpose;
    const struct reverse_loops *reverse;
    const struct array_loops *arrays;
};

/* Returns the instruction set called `name`. If the processor lacks this instruction set, or the
 * name is unknown, returns base, which every processor has. NULL asks for the highest instruction
 * set that the processor has. */
const struct isa *isa_find(const char *name);

/* Returns the instruction set that the request names, or, if it names none, the highest that the
 * processor has. */
const struct isa *isa_of(const struct request *request);

/* FOR_ISA(array_loops) expands to array_loops_avx2 in files that are compiled for AVX2. */
#define FOR_ISA(STEM) FOR_ISA_OF(STEM, ISA)
#define FOR_ISA_OF(STEM, NAME) FOR_ISA_JOINED(STEM, NAME)
#define FOR_ISA_JOINED(STEM, NAME) STEM##_##NAME

#endif
