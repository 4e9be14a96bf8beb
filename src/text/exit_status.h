/* SPDX-License-Identifier: MIT */
/* Returns the exit status of smoothimg and smoothimg-bench for a status of the program. The manuals
 * list the exit statuses. */
#ifndef SMOOTHIMG_EXIT_STATUS_H
#define SMOOTHIMG_EXIT_STATUS_H

#include "src/lib/base/error.h"

/* The exit status of each enum status. */
extern const int exit_statuses[];

#endif
