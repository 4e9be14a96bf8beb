/* SPDX-License-Identifier: MIT */
/* For tests of one instruction set (kernels/common/isa.h). */
#ifndef SMOOTHIMG_TEST_ISA_H
#define SMOOTHIMG_TEST_ISA_H

#define ISA_MISSING 77 /* Meson: skipped */

/* 0: isa_find() finds that name, or name is NULL. ISA_MISSING: this processor lacks it.
 * 1: isa_find() finds another. Where it is not 0, it says so on standard error. */
int isa_check(const char *name);

#endif
