/* SPDX-License-Identifier: MIT */
#include "src/bench/run/run.h"

#include "src/lib/filter/registry.h"
#include "src/bench/run/on_device.h"

#include <stdlib.h>

struct shape run_result_shape(enum op op, const struct shape *src)
{
    struct shape shape = *src;

    if (op == OP_TRANSPOSE) {
        shape.width = src->height;
        shape.height = src->width;
    }
    return shape;
}

static enum status run_plan(enum op op, const struct plan *plan, struct error *error)
{
    struct piece piece = plan_piece(plan);
    enum status status = STATUS_OK;

    if (plan->scratch_bytes > 0)
        piece.scratch = aligned_alloc(64, (plan->scratch_bytes + 63) / 64 * 64);
    if (plan->scratch_bytes > 0 && !piece.scratch)
        return fail(error, STATUS_NO_MEMORY, "no memory: %s %s needs %zu bytes to work in",
                    op_words[op], plan->engine->name, plan->scratch_bytes);
    status = run_outcome(op, ON_CPU, plan, plan_run(plan, &piece), error);
    free(piece.scratch);
    return status;
}

enum status run_request(const struct variant *variant, const struct request *request,
                        struct gpu *gpu, struct error *error)
{
    struct plan plan = {.state = NULL};
    enum status status;

    if (variant->backend == ON_GPU)
        return on_device_once(variant, request, gpu, 0, error);
    status = plan_make(variant, request, &plan, error);
    if (status == STATUS_OK)
        status = run_plan(variant->op, &plan, error);
    plan_free(&plan);
    return status;
}
