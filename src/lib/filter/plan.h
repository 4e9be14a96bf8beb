/* SPDX-License-Identifier: MIT */
/* Making plans (kernels/common/engine.h): the engine that takes least, and its state. */
#ifndef SMOOTHIMG_PLAN_H
#define SMOOTHIMG_PLAN_H

#include "kernels/common/engine.h"
#include "src/lib/base/error.h"

/* Makes *memory, of *room bytes, hold at least so many, aligned to 64; what was in it is lost. Both
 * are 0 at first. STATUS_NO_MEMORY leaves them as they are. purpose: for the message. The caller
 * frees it. */
enum status memory_need(void **memory, size_t *room, size_t bytes, const char *purpose,
                        struct error *error);

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

/* What plan_run() returned, as a status: STATUS_DEVICE for a failure in words. */
enum status run_outcome(enum op op, enum backend backend, const struct plan *plan,
                        const char *failure, struct error *error);

/* How many threads, up to `threads`, shorten `count` such pieces of the operation: at least one.
 * Reads the shape and the halos only. awake: whether workers are, so that less work is worth one;
 * else the number is the same in each run. */
int useful_threads(enum op op, const struct request *request, int64_t count, int threads,
                   bool awake);

#endif
