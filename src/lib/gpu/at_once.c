/* SPDX-License-Identifier: MIT */
/* Is the emulated device there at once, or for those who take it? Compiled for both. */
#include "src/lib/gpu/cuda.h"

const bool gpu_emulated_at_once = AT_ONCE;
