/* SPDX-License-Identifier: MIT */
/* Makes plans (kernels/common/engine.h): chooses, among the engines (implementations) of a variant,
 * the one that predicts the shortest time, and makes its state. */
#ifndef SMOOTHIMG_PLAN_H
#define SMOOTHIMG_PLAN_H

#include "kernels/common/engine.h"
#include "src/lib/base/error.h"

#define MEMORY_UNIT 64 /* bytes: memory_need() allocates multiples of it, at multiples of it */

/* Makes *memory at least `bytes` large, aligned to MEMORY_UNIT. *room is its size; both start as 0.
 * Growing discards the contents. After STATUS_NO_MEMORY both are unchanged. The message contains
 * `purpose`. The caller frees *memory. */
enum status memory_need(void **memory, size_t *room, size_t bytes, const char *purpose,
                        struct error *error);

/* Plans the request with an engine of the variant. *plan is all zeros, or a plan that is replaced.
 * For a GPU, call it while the device is current. Returns STATUS_UNSUPPORTED, with the reason, if
 * no engine can compute the request, or STATUS_NO_MEMORY. plan_free frees the contents of *plan,
 * after a failure too. */
enum status plan_make(const struct variant *variant, const struct request *request,
                      struct plan *plan, struct error *error);

/* Frees the contents of *plan, and leaves it empty. Harmless on an empty plan. */
void plan_free(struct plan *plan);

/* Returns the status for `failure`, the result of plan_run(): STATUS_OK if it is NULL, else
 * STATUS_DEVICE. */
enum status run_outcome(enum op op, enum backend backend, const struct plan *plan,
                        const char *failure, struct error *error);

/* Returns how many threads, 1 to `threads`, are worth using for `count` images like the request's.
 * Of the request, only the images' shape, the bytes of a sample and the halos matter. If `awake`,
 * the worker threads still spin and begin at once, so a thread is worth using for less work. */
int useful_threads(enum op op, const struct request *request, int64_t count, int threads,
                   bool awake);

#endif
