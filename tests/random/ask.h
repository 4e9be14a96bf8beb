/* SPDX-License-Identifier: MIT */
/* Asks the library, and compares its answer with the oracle's. */
#ifndef SMOOTHIMG_RANDOM_ASK_H
#define SMOOTHIMG_RANDOM_ASK_H

#include "tests/random/request.h"

enum verdict { RIGHT, REFUSED, WRONG };

/* Returns WRONG after printing what is wrong on standard output. An access beside the arrays, or a
 * write to the source, is a SIGSEGV. *engine is what computed, or "". */
enum verdict ask(const struct test_request *request, const char **engine);

/* Returns the fault of the last request that was WRONG: "samples", "write" (beside the result),
 * "failure", "environment" (the caller's was changed); or the message of one that was REFUSED. */
const char *ask_fault(void);

/* Closes what was opened for requests. */
void ask_end(void);

#endif
