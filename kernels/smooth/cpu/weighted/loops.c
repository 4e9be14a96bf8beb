/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name. The same loops serve floats
 * and doubles. */
#include "kernels/smooth/cpu/weighted/loops.h"

#include "kernels/common/isa.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

#define MAX_PLANES 4 /* of pixels that are vectors' lanes */

#define CHUNK FLOAT_CHUNK
#define REAL float
#define REAL_BYTES 4
#define WHOLE int32_t
#define LANE uint32_t
#define FRACTION 16
#define OF_REALS(STEM) STEM##_floats
#include "kernels/smooth/cpu/weighted/reals.h"
#undef CHUNK
#undef REAL
#undef REAL_BYTES
#undef WHOLE
#undef LANE
#undef FRACTION
#undef OF_REALS

#define CHUNK MAX_HALO
#define REAL double
#define REAL_BYTES 8
#define WHOLE int64_t
#define LANE uint64_t
#define FRACTION 32
#define OF_REALS(STEM) STEM##_doubles
#include "kernels/smooth/cpu/weighted/reals.h"

extern const struct weighted_precisions FOR_ISA(weighted_loops);
const struct weighted_precisions FOR_ISA(weighted_loops) = {&loops_floats, &loops_doubles};
