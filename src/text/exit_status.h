/* SPDX-License-Identifier: MIT */
/* The exit statuses of smoothimg and smoothimg-bench, as their manuals list them. */
#ifndef SMOOTHIMG_EXIT_STATUS_H
#define SMOOTHIMG_EXIT_STATUS_H

#include "src/lib/base/error.h"

int exit_status(enum status status);

#endif
