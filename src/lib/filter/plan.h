/* SPDX-License-Identifier: MIT */
/* Making plans (kernels/common/engine.h): the engine that takes least, and its state. */
#ifndef SMOOTHIMG_PLAN_H
#define SMOOTHIMG_PLAN_H

#include "kernels/common/engine.h"
#include "src/lib/base/error.h"

/* Makes room for the state of an engine of any variant, and for `least` bytes, so that plan_make
 * allocates nothing. STATUS_NO_MEMORY. */
enum status plan_reserve(struct plan *plan, size_t least, struct error *error);

/* Plans what is asked, by an engine of the variant. *plan: all 0, or another plan, in whose place
 * it comes. On a GPU call it while the device is current. STATUS_UNSUPPORTED, with the reason, if
 * no engine can do it; STATUS_NO_MEMORY. plan_free frees what *plan has, after a failure too. */
enum status plan_make(const struct variant *variant, const struct request *request,
                      struct plan *plan, struct error *error);

/* Leaves *plan empty, which is harmless to free. */
void plan_free(struct plan *plan);

#endif
