/* SPDX-License-Identifier: MIT */
/* The plans of a context's last calls, so that each is made once. */
#ifndef SMOOTHIMG_API_PLANS_H
#define SMOOTHIMG_API_PLANS_H

#include "src/lib/api/call.h"

void plans_free(struct plans *plans);

/* Allocates what any plan takes: plans that are made later take no more. */
enum status plans_reserve(struct plans *plans, struct error *error);

/* Sets call->plan for what is asked: that of an earlier call which was alike, or a new one in the
 * place of the oldest. Valid until the next call of this function with the context. Fails as
 * plan_make does. */
enum status plans_find(struct call *call, const struct request *request, struct error *error);

#endif
