/* SPDX-License-Identifier: MIT */
/* The build compiles this file twice. With AT_ONCE=true the emulated device is available from the
 * start, with AT_ONCE=false only after gpu_take_emulated(). */
#include "src/lib/gpu/cuda.h"

const bool gpu_emulated_at_once = AT_ONCE;
