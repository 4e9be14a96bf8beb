/* SPDX-License-Identifier: MIT */
#include "src/bench/memory/stage.h"

#include "src/bench/run/on_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 256 /* alignment of arrays, in bytes (experiment.h) */
/* The value of every byte of the result before a run, so that the check finds bytes that the run
 * does not write. */
#define POISON 0xA5

static int64_t array_bytes(const struct array *array)
{
    return array->count * (int64_t)element_bytes(array->type);
}

static enum status make_on_host(struct array *array, enum element_type type, int64_t count,
                                struct error *error)
{
    *array = (struct array){.count = count, .type = type};
    if (posix_memalign(&array->memory, ALIGNMENT, (size_t)array_bytes(array) + 1) == 0)
        return STATUS_OK;
    array->memory = NULL;
    return fail(error, STATUS_INPUT, "no memory for an array of %lld bytes; use a smaller --size",
                (long long)array_bytes(array));
}

static enum status make_on_device(struct gpu *gpu, const struct array *host, struct array *array,
                                  const char *purpose, struct error *error)
{
    *array = *host;
    array->memory = NULL;
    return gpu_array_make(gpu, array_bytes(host), purpose, &array->memory, error);
}

static enum status make_data(struct memory_stage *stage, struct error *error)
{
    const struct array_spec *scratch = &stage->shape.scratch;
    enum status status =
        make_on_host(&stage->host.out, stage->shape.out.type, stage->shape.out.count, error);

    if (status == STATUS_OK && scratch->count > 0)
        status = make_on_host(&stage->host.scratch, scratch->type, scratch->count, error);
    for (int i = 0; i < MAX_INPUTS && status == STATUS_OK; i++) {
        const struct array_spec *want = &stage->shape.in[i];

        if (want->count == 0)
            continue;
        status = make_on_host(&stage->host.in[i], want->type, want->count, error);
        if (status == STATUS_OK)
            array_fill(want, (uint32_t)i, &stage->host.in[i]);
    }
    return status;
}

static enum status bring_data(struct memory_stage *stage, struct error *error)
{
    enum status status =
        make_on_device(stage->gpu, &stage->host.out, &stage->device.out, "the results", error);

    if (status == STATUS_OK && stage->host.scratch.memory)
        status = make_on_device(stage->gpu, &stage->host.scratch, &stage->device.scratch,
                                "the work between", error);
    stage->device.stream = gpu_stream(stage->gpu);
    for (int i = 0; i < MAX_INPUTS && status == STATUS_OK; i++) {
        const struct array *host = &stage->host.in[i];
        struct array *device = &stage->device.in[i];

        if (!host->memory)
            continue;
        status = make_on_device(stage->gpu, host, device, "the data", error);
        if (status == STATUS_OK)
            status =
                gpu_array_put(stage->gpu, device->memory, host->memory, array_bytes(host), error);
    }
    return status;
}

static bool wants_alike(const struct array_spec *a, const struct array_spec *b)
{
    return a->type == b->type && a->count == b->count && a->image == b->image &&
           a->border == b->border && a->low == b->low && a->high == b->high;
}

/* Returns true if both stages have the same right result, because it is the same function of the
 * same data. */
static bool results_alike(const struct memory_stage *a, const struct memory_stage *b)
{
    const struct problem_size *x = &a->host.size, *y = &b->host.size;

    for (int i = 0; i < MAX_INPUTS; i++)
        if (!wants_alike(&a->shape.in[i], &b->shape.in[i]))
            return false;
    return a->experiment->reference == b->experiment->reference &&
           a->experiment->parameter == b->experiment->parameter &&
           a->experiment->profile == b->experiment->profile &&
           !a->experiment->bound == !b->experiment->bound &&
           wants_alike(&a->shape.out, &b->shape.out) && x->width == y->width &&
           x->height == y->height && x->halo == y->halo && x->block == y->block;
}

static enum status make_wanted(struct memory_stage *stage, struct memory_stage *earlier,
                               struct error *error)
{
    struct experiment_job job = stage->host;
    enum status status;

    if (earlier && earlier->wanted.memory && results_alike(stage, earlier)) {
        stage->wanted = earlier->wanted;
        earlier->wanted.memory = NULL;
        return STATUS_OK;
    }
    status =
        make_on_host(&stage->wanted, experiment_reference_type(stage->experiment, &stage->shape),
                     stage->shape.out.count, error);
    if (status != STATUS_OK)
        return status;
    job.out = stage->wanted;
    stage->experiment->reference(&job);
    return STATUS_OK;
}

static enum status make(struct memory_stage *stage, struct memory_stage *earlier,
                        const struct experiment *experiment, const struct memory_setting *setting,
                        struct error *error)
{
    enum status status;

    *stage = (struct memory_stage){.experiment = experiment,
                                   .gpu = experiment->place == ON_GPU ? setting->gpu : NULL};
    stage->host.row = stage->device.row = experiment;
    stage->host.size = stage->device.size = setting->size;
    experiment->shape(experiment, &setting->size, &stage->shape);
    status = make_data(stage, error);
    if (status == STATUS_OK)
        status = make_wanted(stage, earlier, error);
    if (status == STATUS_OK && stage->gpu)
        status = bring_data(stage, error);
    return status;
}

void memory_stage_free(struct memory_stage *stage)
{
    free(stage->wanted.memory);
    free(stage->host.out.memory);
    free(stage->host.scratch.memory);
    for (int i = 0; i < MAX_INPUTS; i++)
        free(stage->host.in[i].memory);
    if (stage->gpu) {
        gpu_array_free(stage->gpu, stage->device.out.memory);
        gpu_array_free(stage->gpu, stage->device.scratch.memory);
        for (int i = 0; i < MAX_INPUTS; i++)
            gpu_array_free(stage->gpu, stage->device.in[i].memory);
    }
    *stage = (struct memory_stage){.gpu = NULL};
}

static const char *launch(void *context)
{
    const struct experiment_job *job = context;

    return job->row->run(job);
}

static enum status run(struct memory_stage *stage, int64_t runs, double *seconds,
                       struct error *error)
{
    if (!stage->gpu)
        return time_calls(launch, &stage->host, runs, seconds, error);
    return time_launches(stage->gpu, launch, &stage->device, stage->experiment->row, runs, seconds,
                         error);
}

static enum status run_subject(struct subject *subject, int64_t runs, double *seconds,
                               struct error *error)
{
    return run(subject->context, runs, seconds, error);
}

/* Fills the result with POISON, runs the experiment once, and copies the result to the host. */
static enum status run_once(struct memory_stage *stage, struct error *error)
{
    const struct array *out = &stage->host.out;
    const int64_t bytes = array_bytes(out);
    enum status status = STATUS_OK;
    double seconds;

    memset(out->memory, POISON, (size_t)bytes);
    if (stage->gpu)
        status = gpu_array_put(stage->gpu, stage->device.out.memory, out->memory, bytes, error);
    if (status == STATUS_OK)
        status = run(stage, 1, &seconds, error);
    if (status == STATUS_OK && stage->gpu)
        status = gpu_array_get(stage->gpu, out->memory, stage->device.out.memory, bytes, error);
    return status;
}

/* Runs the experiment once, compares every element of its result, and sets row->outcome and
 * row->worst. Times on the emulated device mean nothing, so experiments are only checked there. */
static void validate(struct memory_stage *stage, struct row *row)
{
    struct judgement verdict;
    struct error error;
    char bound[48] = "", why[256];

    if (run_once(stage, &error) != STATUS_OK) {
        row_reject(row, ROW_FAILED, error.status, error.text);
        return;
    }
    verdict = experiment_judge(&stage->host, &stage->wanted);
    row->worst = verdict.bound > 0 ? verdict.worst / verdict.bound : 0;
    if (verdict.wrong == 0) {
        row->outcome = stage->gpu && gpu_is_emulated() ? ROW_CHECKED : ROW_TIMED;
        return;
    }
    if (verdict.bound > 0)
        snprintf(bound, sizeof bound, " by more than %.3g", verdict.bound);
    snprintf(why, sizeof why,
             "%lld of %lld elements differ from the CPU's%s; the first is number %lld: wanted "
             "%.9g, got %.9g",
             (long long)verdict.wrong, (long long)stage->wanted.count, bound,
             (long long)verdict.first, verdict.wanted, verdict.got);
    row_reject(row, ROW_DIFFERENT, STATUS_DIFFERENT, why);
}

enum status memory_stage_measure(struct memory_stage *stage, struct memory_stage *earlier,
                                 const struct experiment *experiment,
                                 const struct memory_setting *setting, const struct effort *effort,
                                 struct row *row, struct error *error)
{
    struct subject subject = {.row = row, .context = stage, .run = run_subject};
    struct error why;

    if (make(stage, earlier, experiment, setting, &why) == STATUS_OK)
        validate(stage, row);
    else
        row_reject(row, ROW_FAILED, why.status, why.text);
    return measure(&subject, 1, effort, error);
}
