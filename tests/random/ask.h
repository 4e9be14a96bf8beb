/* SPDX-License-Identifier: MIT */
/* Asks the library, and holds what it answers to the oracle. */
#ifndef SMOOTHIMG_RANDOM_ASK_H
#define SMOOTHIMG_RANDOM_ASK_H

#include "tests/random/request.h"

enum verdict { RIGHT, REFUSED, WRONG };

/* WRONG after a text on standard output that says what is wrong. An access beside the arrays, or a
 * write to the source, is a SIGSEGV. *engine: what computed, "" if nothing did. */
enum verdict ask(const struct test_request *request, const char **engine);

/* The fault of the last one that was WRONG: "samples", "write" (beside the result), "failure",
 * "environment" (the caller's was changed); the message of one that was REFUSED. */
const char *ask_fault(void);

/* Closes what was opened for requests. */
void ask_end(void);

#endif
