/* SPDX-License-Identifier: MIT */
/* Compiled twice. If AT_ONCE is true, the emulated device is available from the start, else only
 * after gpu_take_emulated(). */
#include "src/lib/gpu/cuda.h"

const bool gpu_emulated_at_once = AT_ONCE;
