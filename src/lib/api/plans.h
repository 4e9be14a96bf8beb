/* SPDX-License-Identifier: MIT */
/* The plans of a context's last calls. A plan is the engine (implementation) chosen for a call,
 * with its prepared data; a later call of the same kind reuses it. */
#ifndef SMOOTHIMG_API_PLANS_H
#define SMOOTHIMG_API_PLANS_H

#include "src/lib/api/call.h"

void plans_free(struct plans *plans);

/* Allocates the memory of all plans, enough for any engine: later plans allocate nothing. */
enum status plans_reserve(struct plans *plans, struct error *error);

/* Sets call->plan to an earlier request's plan that can be used for this request too. If there is
 * none, makes a new plan, which replaces the oldest. The plan is valid until the next call of this
 * function with the context. Fails as plan_make does. */
enum status plans_find(struct call *call, const struct request *request, struct error *error);

#endif
