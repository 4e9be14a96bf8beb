/* SPDX-License-Identifier: MIT */
/* For tests of one instruction set (kernels/common/isa.h). */
#ifndef SMOOTHIMG_TEST_ISA_H
#define SMOOTHIMG_TEST_ISA_H

#define ISA_MISSING 77 /* Meson: skipped */

/* Returns 0 if isa_find() finds that name, or if name is NULL; ISA_MISSING if this processor lacks
 * it; 1 if isa_find() finds another. If the result is not 0, prints the reason on standard error.
 */
int isa_check(const char *name);

#endif
