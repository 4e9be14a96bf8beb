/* SPDX-License-Identifier: MIT */
/* Lets tests of one instruction set (kernels/common/isa.h) skip processors that lack it. */
#ifndef SMOOTHIMG_TEST_ISA_H
#define SMOOTHIMG_TEST_ISA_H

#define ISA_MISSING 77 /* the exit status of a skipped test */

/* Returns 0 if `name` is NULL, or if isa_find() finds this instruction set; ISA_MISSING if the
 * processor lacks it; 1 if isa_find() finds another instruction set although the processor has this
 * one. Prints why if the result is not 0. */
int isa_check(const char *name);

#endif
