/* SPDX-License-Identifier: MIT */
/* Compiled twice: with the emulated device available from the start, and only after
 * gpu_take_emulated(). */
#include "src/lib/gpu/cuda.h"

const bool gpu_emulated_at_once = AT_ONCE;
