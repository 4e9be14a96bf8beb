/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_ATTACK_GPU_H
#define SMOOTHIMG_ATTACK_GPU_H

#include "attack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The paths of a file; each list ends with NULL. */
extern const struct attack_path *const attack_forms[], *const attack_digits[],
                                                           *const attack_tensor[];

#ifdef __cplusplus
}
#endif

#endif
