/* SPDX-License-Identifier: MIT */
/* Lets tests of one instruction set (kernels/common/isa.h) skip processors that lack it. */
#ifndef SMOOTHIMG_TEST_ISA_H
#define SMOOTHIMG_TEST_ISA_H

#define ISA_MISSING 77 /* the exit status of a skipped test */

/* Returns 0 if isa_find() finds an instruction set of this name, or if `name` is NULL; ISA_MISSING
 * if the processor lacks it; 1 if isa_find() finds another one. If the result is not 0, prints why
 * on standard error. */
int isa_check(const char *name);

#endif
