/* SPDX-License-Identifier: MIT */
/* Runs a variant on images whose rows lie between pages without access, so that an access beside a
 * row is found in any build, without a sanitizer; or so far apart that 32 bits do not hold what
 * lies between them: the address space is reserved, and memory is taken for the rows alone. The
 * memory of a GPU that is not the emulated device has no such pages. */
#ifndef SMOOTHIMG_TEST_GUARDED_H
#define SMOOTHIMG_TEST_GUARDED_H

#include "kernels/variant.h"

/* Which side of a row, its border included, touches a page without access; or rows that are 4 GiB
 * and some bytes apart: of y times that, 32 bits hold the few bytes alone. */
enum guarded_side { GUARDED_BEFORE, GUARDED_BEHIND, GUARDED_APART };

struct guarded_way {
    enum guarded_side side;
    bool bare;     /* without a border, in quarters: two bands of two parts each */
    bool in_units; /* rows and quarters begin at multiples of 16 bytes, as far as they are so large
                    */
    struct gpu *gpu; /* whose memory the images are in; NULL: the host's */
};

/* What the program prints, and exits with, at an access beside a row. */
struct guarded_fault {
    const char *text;
    int status;
};

/* Runs the variant on a read-only copy of request->src, into fresh memory. True if the result is
 * the same as *wanted; quarters that a GPU's variant refuses count as right. An access beside a
 * row, or a write to the source, ends the program as *fault says. */
bool guarded_run(const struct variant *variant, const struct request *request,
                 const struct view *wanted, const struct guarded_way *way,
                 const struct guarded_fault *fault);

#endif
