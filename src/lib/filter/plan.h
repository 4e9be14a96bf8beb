/* SPDX-License-Identifier: MIT */
/* Making plans (kernels/common/engine.h): the engine that takes least, and its state. */
#ifndef SMOOTHIMG_PLAN_H
#define SMOOTHIMG_PLAN_H

#include "kernels/common/engine.h"
#include "src/lib/base/error.h"

/* Makes *memory hold at least so many bytes, aligned to 64. *room: its size. Both are 0 at first.
 * If it grows, its contents are lost. After STATUS_NO_MEMORY both are unchanged. purpose: for the
 * message. The caller frees *memory. */
enum status memory_need(void **memory, size_t *room, size_t bytes, const char *purpose,
                        struct error *error);

/* Plans the request with an engine of the variant. *plan: all 0, or a plan that is replaced. On a
 * GPU call it while the device is current. STATUS_UNSUPPORTED, with the reason, if no engine can do
 * it; STATUS_NO_MEMORY. plan_free frees what *plan has, after a failure too. */
enum status plan_make(const struct variant *variant, const struct request *request,
                      struct plan *plan, struct error *error);

/* Leaves *plan empty, which is harmless to free. */
void plan_free(struct plan *plan);

/* Turns what plan_run() returned into a status: STATUS_DEVICE if it is a failure. */
enum status run_outcome(enum op op, enum backend backend, const struct plan *plan,
                        const char *failure, struct error *error);

/* Returns how many threads, 1 to `threads`, shorten `count` such pieces of the operation. Depends
 * on the shape and the halos only, and on awake: true if workers still spin, so that less work is
 * worth a thread. */
int useful_threads(enum op op, const struct request *request, int64_t count, int threads,
                   bool awake);

#endif
