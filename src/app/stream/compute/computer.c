/* SPDX-License-Identifier: MIT */
#include "src/app/stream/compute/computer.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Useful sessions for one file: while one thread reads or writes, the other copies and
 * computes. More threads would wait for each other to write (kernels/NOTES.md). Threads that
 * compress spend most of their time on that, so that more of them can share the GPU. */
#define SESSIONS 2
#define COMPRESSION_FACTOR 4

/* A context with the device; NULL: not opened yet. */
struct session {
    struct smoothimg_context *context;
    bool lent;
};

enum kind { SMOOTHS, SMOOTHS_WEIGHTED, GRADIENT, LAPLACE, KINDS };

struct computer {
    const struct work_options *options;
    const char *variants[MAX_OPS];
    bool on_gpu;                     /* all of them: one word chose them */
    struct smoothimg_context *maker; /* of the filters; it also keeps the threads of all contexts */

    pthread_mutex_t mutex;                   /* over what follows */
    struct smoothimg_filter *filters[KINDS]; /* made when they are needed */
    struct session *sessions;                /* one for each thread */
    struct gpu_device device;                /* once it is opened; without a name before */
    double seconds;                          /* to open it the first time */
};

enum status computer_status(const struct computer *computer,
                            const struct smoothimg_context *context, enum smoothimg_status status,
                            struct error *error)
{
    const bool on_gpu = computer_uses_gpu(computer);

    if (status == SMOOTHIMG_OK)
        return STATUS_OK;
    return fail(error,
                status == SMOOTHIMG_INVALID       ? STATUS_INVALID
                : status == SMOOTHIMG_UNSUPPORTED ? STATUS_UNSUPPORTED
                : on_gpu                          ? STATUS_DEVICE
                                                  : STATUS_NO_MEMORY,
                "%s", context ? smoothimg_message(context) : "no memory");
}

/* --- Filters. */

static struct smoothimg_axis axis_of(const struct filter_axis *axis, enum edge edge)
{
    return (struct smoothimg_axis){.sigma = axis->halo > 0 ? axis->sigma : 0,
                                   .radius = axis->halo,
                                   .edge = (enum smoothimg_edge)edge};
}

/* The axes of the terms: of a gradient each has the first derivative along one axis, of a Laplacian
 * the second. Returns the number of terms. */
static int fill_axes(const struct work_options *options, int order, struct smoothimg_axis *axis)
{
    const struct filter *filter = &options->filter;
    const struct filter_axis *const from[] = {&filter->z, &filter->y, &filter->x};
    int terms = 0;

    for (int along = 0; along < (order > 0 ? (VOLUME_AXES - 1) : 1); along++) {
        if (order > 0 && from[along]->halo == 0)
            continue;
        for (int a = 0; a < (VOLUME_AXES - 1); a++)
            axis[terms * VOLUME_AXES + a] = axis_of(from[a], filter->edge);
        axis[terms * VOLUME_AXES + along].order = order;
        axis[terms * VOLUME_AXES + along].scale =
            order > 0 ? (double)options->amount / AMOUNT_UNIT : 0;
        terms++;
    }
    return terms;
}

static enum smoothimg_status make_filter(struct computer *computer, enum kind kind)
{
    const struct work_options *options = computer->options;
    struct smoothimg_axis axis[(VOLUME_AXES - 1) * VOLUME_AXES] = {{0}};
    const int order = kind == GRADIENT ? 1 : kind == LAPLACE ? 2 : 0;
    const struct smoothimg_filter_options wanted = {
        .axes = VOLUME_AXES,
        .terms = fill_axes(options, order, axis),
        .axis = axis,
        .combination = kind == GRADIENT ? SMOOTHIMG_MAGNITUDE : SMOOTHIMG_ADD,
        .norm = (enum smoothimg_norm)options->filter.norm,
        .missing = kind == SMOOTHS_WEIGHTED          ? SMOOTHIMG_ALPHA
                   : options->filter.nan == NAN_SKIP ? SMOOTHIMG_NAN
                                                     : SMOOTHIMG_ALL,
    };

    return smoothimg_filter_create(computer->maker, &wanted, &computer->filters[kind]);
}

static enum kind kind_of(int operation, bool weighted)
{
    return operation == OPERATION_GRADIENT  ? GRADIENT
           : operation == OPERATION_LAPLACE ? LAPLACE
           : weighted                       ? SMOOTHS_WEIGHTED
                                            : SMOOTHS;
}

const struct smoothimg_filter *computer_filter(struct computer *computer, int i, bool weighted)
{
    const enum kind kind = kind_of(computer->options->ops[i], weighted);

    pthread_mutex_lock(&computer->mutex);
    if (!computer->filters[kind])
        make_filter(computer, kind);
    pthread_mutex_unlock(&computer->mutex);
    return computer->filters[kind];
}

static enum status make_filters(struct computer *computer, struct error *error)
{
    const struct work_options *options = computer->options;
    enum smoothimg_status status = smoothimg_open(1, &computer->maker);

    for (int i = 0; i < options->op_count && status == SMOOTHIMG_OK; i++) {
        const enum kind kind = kind_of(options->ops[i], false);

        if (operation_smooths(options->ops[i]) && !computer->filters[kind])
            status = make_filter(computer, kind);
    }
    if (computer_status(computer, computer->maker, status, error) == STATUS_INVALID &&
        options->filter.norm == NORM_ANALYTIC)
        return fail_with_remedy(error, "; use a larger --sigma, or --norm sum");
    return status == SMOOTHIMG_OK ? STATUS_OK : error->status;
}

/* --- The computer. */

enum status computer_open(const struct work_options *options, struct computer **computer,
                          struct error *error)
{
    struct computer *made = calloc(1, sizeof *made);
    enum status status;

    *computer = made;
    if (!made)
        return fail(error, STATUS_INPUT, "no memory to choose variants in");
    made->options = options;
    pthread_mutex_init(&made->mutex, NULL);
    made->sessions = calloc((size_t)options->threads, sizeof *made->sessions);
    if (!made->sessions)
        return fail(error, STATUS_INPUT, "no memory for %d threads", (int)options->threads);
    status = computer_variants(options, made->variants, &made->on_gpu, error);
    return status == STATUS_OK ? make_filters(made, error) : status;
}

void computer_close(struct computer *computer)
{
    if (!computer)
        return;
    for (int64_t i = 0; i < computer->options->threads && computer->sessions; i++)
        smoothimg_close(computer->sessions[i].context);
    free(computer->sessions);
    for (int i = 0; i < KINDS; i++)
        smoothimg_filter_free(computer->filters[i]);
    smoothimg_close(computer->maker);
    pthread_mutex_destroy(&computer->mutex);
    free(computer);
}

const char *computer_variant(const struct computer *computer, int i)
{
    return computer->variants[i];
}

bool computer_uses_gpu(const struct computer *computer)
{
    return computer->on_gpu;
}

int computer_threads(const struct computer *computer, int threads, bool compresses)
{
    const int useful = SESSIONS * (compresses ? COMPRESSION_FACTOR : 1);

    return computer_uses_gpu(computer) ? (int)min(threads, useful) : threads;
}

/* --- Sessions of the GPU. */

static int device_of(const struct computer *computer)
{
    return (int)max(computer->options->device, 0); /* the emulated one is the first */
}

/* As SMOOTHIMG_GPU_COPY asks. */
static void choose_copies(struct smoothimg_context *context)
{
    const char *word = getenv("SMOOTHIMG_GPU_COPY");

    if (word && strcmp(word, "pageable") == 0)
        study_pageable(context);
}

static enum status open_context(const struct computer *computer, int threads,
                                struct smoothimg_context **context, struct error *error)
{
    const enum smoothimg_status status = smoothimg_open(threads, context);

    if (status != SMOOTHIMG_OK)
        return fail(error, STATUS_NO_MEMORY, "no memory for %d threads", threads);
    study_instructions(*context, computer->options->instructions);
    study_block(*context, (int)computer->options->block);
    return STATUS_OK;
}

/* A session that is free, an open one if there is one; marks it as lent. */
static struct session *find_session(struct computer *computer)
{
    struct session *found = NULL;

    pthread_mutex_lock(&computer->mutex);
    for (int64_t i = 0; i < computer->options->threads; i++) {
        struct session *session = &computer->sessions[i];

        if (!session->lent && (!found || (session->context && !found->context)))
            found = session;
    }
    found->lent = true; /* there is one for each thread */
    pthread_mutex_unlock(&computer->mutex);
    return found;
}

/* Notes what the first session says of the device. */
static enum status describe(struct computer *computer, double start, struct error *error)
{
    struct gpu_device device;
    const enum status status = gpu_describe(device_of(computer), &device, error);

    pthread_mutex_lock(&computer->mutex);
    if (status == STATUS_OK && !*computer->device.name) {
        computer->device = device;
        computer->seconds = clock_seconds() - start;
    }
    pthread_mutex_unlock(&computer->mutex);
    return status;
}

static enum status open_session(struct computer *computer, struct smoothimg_context **context,
                                struct error *error)
{
    const double start = clock_seconds();
    struct smoothimg_context *made;
    enum status status = open_context(computer, (int)computer->options->threads, &made, error);

    if (status != STATUS_OK)
        return status;
    status =
        computer_status(computer, made, smoothimg_use_device(made, device_of(computer)), error);
    if (status == STATUS_OK)
        status = describe(computer, start, error);
    if (status == STATUS_OK) {
        choose_copies(made);
        *context = made;
    } else {
        smoothimg_close(made);
    }
    return status;
}

enum status computer_lend(struct computer *computer, int threads,
                          struct smoothimg_context **context, struct error *error)
{
    struct session *session;
    enum status status = STATUS_OK;

    *context = NULL;
    if (!computer->on_gpu)
        return open_context(computer, threads, context, error);
    session = find_session(computer);
    *context = session->context;
    if (!*context)
        status = open_session(computer, context, error);
    pthread_mutex_lock(&computer->mutex);
    session->context = *context;
    session->lent = *context;
    pthread_mutex_unlock(&computer->mutex);
    return status;
}

void computer_give(struct computer *computer, struct smoothimg_context *context)
{
    struct session *session = computer->sessions;

    if (!context || !computer->on_gpu) {
        smoothimg_close(context);
        return;
    }
    pthread_mutex_lock(&computer->mutex);
    while (session->context != context)
        session++;
    session->lent = false;
    pthread_mutex_unlock(&computer->mutex);
}

enum status computer_check(struct computer *computer, struct error *error)
{
    struct smoothimg_context *context = NULL;
    const enum status status =
        computer->on_gpu ? computer_lend(computer, 1, &context, error) : STATUS_OK;

    computer_give(computer, context);
    return status;
}

bool computer_is_lost(struct computer *computer)
{
    bool works = false;

    for (int64_t i = 0; i < computer->options->threads && computer->on_gpu && !works; i++) {
        const struct smoothimg_context *context;

        pthread_mutex_lock(&computer->mutex);
        context = computer->sessions[i].context;
        pthread_mutex_unlock(&computer->mutex);
        works = context && study_works(context);
    }
    return computer->on_gpu && !works;
}

struct phrase computer_gpu(const struct computer *computer)
{
    struct phrase phrase = {""};

    if (*computer->device.name)
        phrase_add(&phrase, "%d: %s", device_of(computer), computer->device.name);
    return phrase;
}

bool computer_print_opening(FILE *stream, const struct computer *computer)
{
    if (*computer->device.name)
        fprintf(stream, "GPU: %s, opened in %.0f ms\n", computer->device.name,
                1e3 * computer->seconds);
    return *computer->device.name;
}
