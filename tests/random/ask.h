/* SPDX-License-Identifier: MIT */
/* Calls the library as a request says ("asks" the request), and compares its result with the result
 * of the oracle (oracle.h), which computes the definition exactly. */
#ifndef SMOOTHIMG_RANDOM_ASK_H
#define SMOOTHIMG_RANDOM_ASK_H

#include "tests/random/request.h"

enum verdict { RIGHT, REFUSED, WRONG };

/* Calls the library, and prints what is wrong on standard output. On the host, an access to the
 * inaccessible pages beside the arrays (room.h), or a write to the source, raises SIGSEGV. *engine
 * becomes the name of the engine that computed, or "" if the call failed. */
enum verdict ask(const struct test_request *request, const char **engine);

/* Returns the message of the last REFUSED request, or the fault of the last WRONG one: "samples" (a
 * result is wrong), "write" (a byte outside of the result was written), "failure" (the call
 * failed), "memory" (the call took more than was reserved), "engine" (another engine than the named
 * one computed), "environment" (the floating-point environment has changed). */
const char *ask_fault(void);

/* Closes what ask() has opened. */
void ask_end(void);

#endif
