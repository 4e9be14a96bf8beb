/* SPDX-License-Identifier: MIT */
/* The exit statuses of smoothimg and smoothimg-bench, which their manuals list. */
#ifndef SMOOTHIMG_EXIT_STATUS_H
#define SMOOTHIMG_EXIT_STATUS_H

#include "src/lib/base/error.h"

/* The exit statuses, indexed by enum status. */
extern const int exit_statuses[];

#endif
