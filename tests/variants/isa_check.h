/* SPDX-License-Identifier: MIT */
/* For tests of one level of the processor (kernels/levels.h). */
#ifndef SMOOTHIMG_TEST_LEVEL_H
#define SMOOTHIMG_TEST_LEVEL_H

#define LEVEL_MISSING 77 /* Meson: skipped */

/* 0: the level of that name is in use, or name is NULL. LEVEL_MISSING: this processor lacks it.
 * 1: another level is in use. Where it is not 0, it says so on standard error. */
int level_check(const char *name);

#endif
