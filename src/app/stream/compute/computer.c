/* SPDX-License-Identifier: MIT */
#include "src/app/stream/compute/computer.h"

#include "kernels/common/numbers.h"
#include "src/lib/filter/registry.h"

#include <string.h>

enum status computer_status(struct computer *computer, const struct smoothimg_context *context,
                            enum smoothimg_status status, struct error *error)
{
    static const enum status statuses[] = {[SMOOTHIMG_INVALID] = STATUS_INVALID,
                                           [SMOOTHIMG_NO_MEMORY] = STATUS_NO_MEMORY,
                                           [SMOOTHIMG_UNSUPPORTED] = STATUS_UNSUPPORTED,
                                           [SMOOTHIMG_NO_DEVICE] = STATUS_DEVICE,
                                           [SMOOTHIMG_FAILED] = STATUS_DEVICE};

    if (status == SMOOTHIMG_OK)
        return STATUS_OK;
    computer->lost |= statuses[status] == STATUS_DEVICE;
    return fail(
        error, status == SMOOTHIMG_NO_MEMORY && computer->on_gpu ? STATUS_DEVICE : statuses[status],
        "%s", context ? smoothimg_message(context) : "no memory");
}

/* A filter is a combination of terms, and each term filters along all axes. Fills `axis` with the
 * axes of all terms, and returns the number of terms. To smooth (order 0), a filter has one term. A
 * gradient (order 1) or Laplacian (order 2) has one term for each axis with a halo: the derivative
 * of that order along this axis. */
static int fill_axes(const struct work_options *options, int order, struct smoothimg_axis *axis)
{
    const struct smooth_options *filter = &options->filter;
    const struct filter_axis *const from[] = {&filter->z, &filter->y, &filter->x};
    int terms = 0;

    for (int along = 0; along < (order > 0 ? (VOLUME_AXES - 1) : 1); along++) {
        if (order > 0 && from[along]->halo == 0)
            continue;
        for (int a = 0; a < (VOLUME_AXES - 1); a++)
            axis[terms * VOLUME_AXES + a] =
                (struct smoothimg_axis){.sigma = from[a]->halo > 0 ? from[a]->sigma : 0,
                                        .radius = from[a]->halo,
                                        .edge = (enum smoothimg_edge)filter->edge};
        axis[terms * VOLUME_AXES + along].order = order;
        axis[terms * VOLUME_AXES + along].scale =
            order > 0 ? (double)options->amount / AMOUNT_UNIT : 0;
        terms++;
    }
    return terms;
}

/* Makes a filter for each operation that filters, unless the filter exists already. `weighted`: the
 * last channel is the weight of the others. */
static enum status make_filters(struct computer *computer, bool weighted, struct error *error)
{
    const struct work_options *options = computer->options;
    enum smoothimg_status status = SMOOTHIMG_OK;

    for (int i = 0; i < options->op_count && status == SMOOTHIMG_OK; i++) {
        if (!operation_smooths(options->ops[i]) || computer->filters[i][weighted])
            continue;

        struct smoothimg_axis axis[(VOLUME_AXES - 1) * VOLUME_AXES] = {{0}};
        const bool gradient = options->ops[i] == OPERATION_GRADIENT;
        const int order = gradient ? 1 : options->ops[i] == OPERATION_LAPLACE ? 2 : 0;
        const struct smoothimg_filter_options wanted = {
            .axes = VOLUME_AXES,
            .terms = fill_axes(options, order, axis),
            .axis = axis,
            .combination = gradient ? SMOOTHIMG_MAGNITUDE : SMOOTHIMG_ADD,
            .norm = (enum smoothimg_norm)options->filter.norm,
            .missing = weighted                          ? SMOOTHIMG_ALPHA
                       : options->filter.nan == NAN_SKIP ? SMOOTHIMG_NAN
                                                         : SMOOTHIMG_ALL,
        };

        status = smoothimg_filter_create(computer->maker, &wanted, &computer->filters[i][weighted]);
    }
    if (computer_status(computer, computer->maker, status, error) == STATUS_INVALID &&
        options->filter.norm == NORM_ANALYTIC)
        return fail_with_remedy(error, "; use --norm sum, or a larger --sigma");
    return status == SMOOTHIMG_OK ? STATUS_OK : error->status;
}

enum status computer_make_weighted(struct computer *computer, struct error *error)
{
    enum status status;

    pthread_mutex_lock(&computer->mutex);
    status = make_filters(computer, true, error);
    pthread_mutex_unlock(&computer->mutex);
    return status;
}

static enum status without_cuda(const char *word, const char *remedy, struct error *error)
{
    return fail(error, STATUS_DEVICE, "--variant %s: this smoothimg was built without CUDA; %s",
                word, remedy);
}

/* Refuses a word of --variant. *found is the variant whose engine (implementation) the word may
 * have been meant to name; if there is none, its name is NULL. */
static enum status refuse_variant(enum smoothimg_op op, const char *word,
                                  const struct study_variant *found, struct error *error)
{
    struct string_list known = {.words = {"auto", "cpu", "gpu"}, .count = 3};
    const bool has_engines = found->name && study_engine(found, 0);
    struct study_variant row;
    const char *engine;

    if (has_engines)
        known.count = 0;
    for (int i = 0; has_engines && (engine = study_engine(found, i)); i++)
        string_list_add(&known, engine);
    for (int i = 0; !has_engines && study_variant(i, &row); i++)
        if (row.op == op)
            string_list_add(&known, row.name);
    return fail(error, STATUS_USAGE, "--variant '%s': unknown variant of %s; use %s%s", word,
                op_words[op], string_list_join(&known, "or").text,
                string_list_nearest(&known, word).text);
}

/* Finds what a word of --variant names. The list of variants (study_variant) has those of the CPU,
 * and those of the GPU, from the simplest to the fastest. So "gpu" names the last GPU variant that
 * this build has, and "auto" and "cpu" the last CPU variant. Other words name a variant, such as
 * "fused", or one of the implementations that it consists of, "fused:int8". */
static enum status choose_variant(enum smoothimg_op op, const char *word, const char **variant,
                                  bool *on_gpu, struct error *error)
{
    const bool gpu = strcmp(word, "gpu") == 0;
    const bool best = gpu || strcmp(word, "auto") == 0 || strcmp(word, "cpu") == 0;
    struct study_variant row, found = {.name = NULL};
    const char *engine;

    for (int i = 0; study_variant(i, &row); i++)
        if (row.op == op && (best ? row.on_gpu == gpu && row.description
                                  : strlen(row.name) == strcspn(word, ":") &&
                                        strncmp(row.name, word, strlen(row.name)) == 0))
            found = row;
    *variant = found.name;
    if (found.description && strchr(word, ':')) {
        *variant = NULL;
        for (int i = 0; !*variant && (engine = study_engine(&found, i)); i++)
            *variant = strcmp(engine, word) == 0 ? engine : NULL;
    }
    if (!*variant && !gpu)
        return refuse_variant(op, word, &found, error);
    if (!found.description)
        return without_cuda(word,
                            "build it with -Dcuda=enabled where nvcc is installed, or with "
                            "-Dcuda=emulated to try the GPU variants on the CPU",
                            error);
    *on_gpu = found.on_gpu;
    if (*on_gpu && gpu_offers_emulated())
        return without_cuda(word, "--device emulated tries it on the processor, slowly", error);
    return STATUS_OK;
}

enum status computer_open(struct computer *computer, const struct work_options *options,
                          struct error *error)
{
    enum status status = STATUS_OK;

    *computer = (struct computer){
        .options = options, .only_moves = true, .mutex = PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < options->op_count && status == STATUS_OK; i++) {
        const int op = options->ops[i];
        const bool smooths = operation_smooths(op);

        status = choose_variant(smooths ? SMOOTHIMG_SMOOTH : (enum smoothimg_op)op,
                                options->variant, &computer->variants[i], &computer->on_gpu, error);
        if (smooths &&
            (op != OPERATION_SMOOTH || options->floats || filter_halo(&options->filter) > 0))
            computer->only_moves = false;
    }
    if (status == STATUS_OK)
        status = computer_status(computer, NULL,
                                 smoothimg_open((int)options->threads, &computer->maker), error);
    return status == STATUS_OK ? make_filters(computer, false, error) : status;
}

void computer_close(struct computer *computer)
{
    while (computer->free_count > 0)
        smoothimg_close(computer->free[--computer->free_count]);
    for (int i = 0; i < MAX_OPS; i++)
        for (int weighted = 0; weighted <= 1; weighted++)
            smoothimg_filter_free(computer->filters[i][weighted]);
    smoothimg_close(computer->maker);
}

static int device_of(const struct computer *computer)
{
    return (int)max(computer->options->device, 0); /* the emulated device is number 0 */
}

/* Opens the GPU in a new context. */
static enum status begin_session(struct computer *computer, struct smoothimg_context *context,
                                 struct error *error)
{
    struct gpu_device device;
    enum status status;

    study_block(context, (int)computer->options->block);
    status = computer_status(computer, context, smoothimg_use_device(context, device_of(computer)),
                             error);
    if (status == STATUS_OK)
        status = gpu_describe(device_of(computer), &device, error);
    if (status != STATUS_OK)
        return status;
    pthread_mutex_lock(&computer->mutex);
    computer->device = device;
    pthread_mutex_unlock(&computer->mutex);
    return STATUS_OK;
}

enum status computer_lend(struct computer *computer, int threads,
                          struct smoothimg_context **context, struct error *error)
{
    enum status status = STATUS_OK;

    *context = NULL;
    if (computer->on_gpu) {
        pthread_mutex_lock(&computer->mutex);
        if (computer->free_count > 0)
            *context = computer->free[--computer->free_count];
        pthread_mutex_unlock(&computer->mutex);
        threads = (int)computer->options->threads;
    }
    if (*context)
        return STATUS_OK;
    if (smoothimg_open(threads, context) != SMOOTHIMG_OK)
        return fail(error, STATUS_NO_MEMORY, "no memory for %d threads", threads);
    if (computer->options->instructions)
        study_instructions(*context, computer->options->instructions);
    if (computer->on_gpu)
        status = begin_session(computer, *context, error);
    if (status != STATUS_OK) {
        smoothimg_close(*context);
        *context = NULL;
    }
    return status;
}

void computer_give(struct computer *computer, struct smoothimg_context *context, enum status status)
{
    if (!context || !computer->on_gpu || status == STATUS_DEVICE) {
        smoothimg_close(context);
        return;
    }
    pthread_mutex_lock(&computer->mutex);
    computer->free[computer->free_count++] = context;
    pthread_mutex_unlock(&computer->mutex);
}

enum status computer_check(struct computer *computer, struct error *error)
{
    struct smoothimg_context *context = NULL;
    const enum status status =
        computer->on_gpu ? computer_lend(computer, 1, &context, error) : STATUS_OK;

    computer_give(computer, context, status);
    return status;
}

struct phrase computer_gpu(struct computer *computer)
{
    struct phrase phrase = {""};

    pthread_mutex_lock(&computer->mutex);
    if (*computer->device.name)
        phrase_add(&phrase, "%d: %s", device_of(computer), computer->device.name);
    pthread_mutex_unlock(&computer->mutex);
    return phrase;
}
