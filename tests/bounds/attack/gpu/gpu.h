/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_ATTACK_GPU_H
#define SMOOTHIMG_ATTACK_GPU_H

#include "tests/bounds/attack/attack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The paths (ways to estimate a result, attack.h) that the files of this folder define. Each list
 * ends with NULL. */
extern const struct attack_path *const attack_forms[], *const attack_int8[], *const attack_arrays[];

#ifdef __cplusplus
}
#endif

#endif
