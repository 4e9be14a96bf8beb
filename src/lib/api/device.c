/* SPDX-License-Identifier: MIT */
#include "src/lib/api/device.h"

#include "kernels/common/numbers.h"
#include "kernels/common/engine.h"
#include "src/lib/api/sheets.h"
#include "src/lib/run/run.h"
#include "src/lib/gpu/arrays.h"
#include "src/lib/gpu/enqueue.h"

#define MEMORY_UNIT 256                    /* bytes: alignment of each part of the memory */
#define REHEARSED_BYTES ((int64_t)4 << 20) /* of the image that reserve_on_device runs on */

/* The jobs of a plan: one for what is computed in place, and one for the sheet. Without scratch. */
static struct job inner_job(const struct call *call, const struct sheet_plan *plan, int64_t i)
{
    struct job job = call_stack(call, plan->images, plan->bare);
    const int64_t left = plan->left * job.src.channels * job.src.sample_bytes;

    job.src = image_view(&call->src, i, plan->top, plan->bottom);
    job.dst = image_view(&call->dst, i, plan->top, plan->bottom);
    if (call->op != OP_SMOOTH) {
        job.dst.height = call->dst.height;
        return job;
    }
    job.src.origin = (char *)job.src.origin + left;
    job.dst.origin = (char *)job.dst.origin + left;
    job.src.width = job.dst.width = plan->right - plan->left;
    return job;
}

static struct job sheet_job(const struct call *call, const struct sheet_plan *plan, int64_t i,
                            char *sheet, char *result)
{
    struct job job = call_job(call, i, 0, call->src.height);

    job.src = sheet_view(call, plan, sheet);
    if (plan->scattered)
        job.dst = result_view(call, plan, result);
    return job;
}

/* The working memory of a plan: what each part of it begins at, and all of it. */
struct layout {
    int64_t inner_scratch, sheet, result, sheet_scratch, bytes;
};

static int64_t scratch_of(const struct call *call, const struct job *job)
{
    return (int64_t)scratch_bytes_of(call_variant(call, job), job);
}

static struct layout lay_out(const struct call *call, const struct sheet_plan *plan)
{
    const struct job inner = inner_job(call, plan, 0);
    const int64_t sheet = round_up(sheet_bytes(plan) + 1, MEMORY_UNIT);
    struct layout layout = {0};

    layout.sheet = plan->right > 0 ? round_up(scratch_of(call, &inner) + 1, MEMORY_UNIT) : 0;
    layout.result = layout.sheet + sheet;
    layout.sheet_scratch = layout.result + (plan->scattered ? sheet : 0);
    layout.bytes = layout.sheet_scratch;
    if (plan->sheet.count > 0) {
        const struct job job = sheet_job(call, plan, 0, NULL, NULL);

        layout.bytes += round_up(scratch_of(call, &job) + 1, MEMORY_UNIT);
    }
    return layout;
}

static enum status launch(const struct call *call, struct job *job, void *scratch, void *stream,
                          struct error *error)
{
    const struct variant *variant = call_variant(call, job);
    const enum status status = check_job(variant, job, error);

    job->scratch = scratch;
    job->stream = stream;
    return status == STATUS_OK ? run_outcome(variant, run_stack(variant, job), error) : status;
}

static enum status check_copy(const char *failure, struct error *error)
{
    return failure ? fail(error, STATUS_DEVICE, "the GPU failed: copying a border: %s", failure)
                   : STATUS_OK;
}

/* The plan's images begin with number i. */
static enum status run_sheet(const struct call *call, const struct sheet_plan *plan, int64_t i,
                             const struct layout *layout, char *memory, void *stream,
                             struct error *error)
{
    const struct view src = image_view(&call->src, i, 0, call->src.height);
    const struct view dst = image_view(&call->dst, i, 0, call->dst.height);
    char *const sheet = memory + layout->sheet, *const result = memory + layout->result;
    struct job job = sheet_job(call, plan, i, sheet, result);
    enum status status = check_copy(sheet_gather(&plan->sheet, &src, call->src.stride,
                                                 call->request.filter->edge, sheet, stream),
                                    error);

    if (status == STATUS_OK)
        status = launch(call, &job, memory + layout->sheet_scratch, stream, error);
    if (status == STATUS_OK && plan->scattered)
        status =
            check_copy(sheet_scatter(&plan->sheet, &dst, call->dst.stride, result, stream), error);
    return status;
}

/* What is computed in place. */
static enum status run_inner(const struct call *call, const struct sheet_plan *plan, int64_t i,
                             const struct gpu_call *run, struct error *error)
{
    struct job job = inner_job(call, plan, i);

    return launch(call, &job, run->memory, run->stream, error);
}

/* A frame beside its interior: its kernels are small, and would leave most of the device idle. */
static enum status run_both(const struct call *call, const struct sheet_plan *plan, int64_t i,
                            const struct layout *layout, const struct gpu_call *run,
                            struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    void *beside;
    enum status status = gpu_fork(gpu, run, &beside, error);

    if (status == STATUS_OK)
        status = run_inner(call, plan, i, run, error);
    if (status == STATUS_OK)
        status = run_sheet(call, plan, i, layout, run->memory, beside, error);
    return status == STATUS_OK ? gpu_join(gpu, run, error) : status;
}

static enum status run_plan(const struct call *call, const struct sheet_plan *plan, int64_t i,
                            const struct layout *layout, const struct gpu_call *run,
                            struct error *error)
{
    if (plan->sheet.count == 0)
        return run_inner(call, plan, i, run, error);
    return plan->right > 0 ? run_both(call, plan, i, layout, run, error)
                           : run_sheet(call, plan, i, layout, run->memory, run->stream, error);
}

enum status run_on_device(const struct call *call, struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    struct sheet_plan plan = plan_sheet(call, call->src.count);
    struct layout layout = lay_out(call, &plan);
    struct gpu_call run;
    struct error unused;
    enum status status = gpu_begin(gpu, call->stream, layout.bytes, &run, error);

    if (status != STATUS_OK)
        return status;
    for (int64_t i = 0; i < call->src.count && status == STATUS_OK; i += plan.images) {
        if (call->src.count - i < plan.images) { /* the last ones are fewer, and need less */
            plan = plan_sheet(call, call->src.count - i);
            layout = lay_out(call, &plan);
        }
        status = run_plan(call, &plan, i, &layout, &run, error);
    }
    if (status == STATUS_OK)
        return gpu_end(gpu, &run, error);
    gpu_end(gpu, &run, &unused); /* *error has the first failure */
    return status;
}

/* The call on an image of limited height in `memory`, which is source and result. Inside of a
 * border it takes the way of an interior, else that of a sheet. */
static struct call rehearsal_of(const struct call *call, int64_t border, void *memory)
{
    struct call small = *call;
    const int64_t beside = round_up(border * pixel_bytes_of(call), MEMORY_UNIT);
    const int64_t row = small.src.width * pixel_bytes_of(call);
    const struct job whole = call_job(call, 0, 0, call->src.height);

    small.src.count = 1;
    small.src.height = min(small.src.height, max(REHEARSED_BYTES / row, 1));
    if (small.src.height < call->src.height)
        small.engine = engine_for(call_variant(call, &whole), &whole);
    small.src.pitch = round_up(row, MEMORY_UNIT) + 2 * beside;
    small.src.data = (char *)memory + border * small.src.pitch + beside;
    small.src.border = border;
    small.dst = small.src;
    if (call->op == OP_TRANSPOSE) {
        small.dst.width = small.src.height;
        small.dst.height = small.src.width;
        small.dst.pitch = round_up(small.src.height * pixel_bytes_of(call), MEMORY_UNIT);
    }
    return small;
}

static int64_t rehearsal_bytes(const struct call *small)
{
    return max((small->src.height + 2 * small->src.border) * small->src.pitch,
               small->dst.height * small->dst.pitch);
}

static enum status rehearse(const struct call *call, int64_t border, void *stream,
                            struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    struct call small = rehearsal_of(call, border, NULL);
    void *memory;
    enum status status =
        gpu_array_make(gpu, rehearsal_bytes(&small), "a rehearsal", &memory, error);

    if (status != STATUS_OK)
        return gpu_lacked_memory(gpu) ? (error->status = STATUS_NO_MEMORY) : status;
    small = rehearsal_of(call, border, memory);
    small.stream = stream;
    status = run_on_device(&small, error);
    if (status == STATUS_OK)
        status = gpu_wait(gpu, error);
    gpu_array_free(gpu, memory);
    return status;
}

enum status reserve_on_device(const struct call *call, struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    const struct sheet_plan plan = plan_sheet(call, call->src.count);
    const struct layout layout = lay_out(call, &plan);
    const int64_t halo = call_halo(call);
    struct gpu_call run;
    struct error unused;
    enum status status = gpu_begin(gpu, gpu_stream(gpu), layout.bytes, &run, error);

    if (status != STATUS_OK)
        return status;
    status = rehearse(call, 0, run.stream, error);
    if (status == STATUS_OK && halo > 0)
        status = rehearse(call, halo, run.stream, error);
    gpu_end(gpu, &run, &unused); /* *error has the first failure */
    return status;
}
