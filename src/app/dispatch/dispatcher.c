/* SPDX-License-Identifier: MIT */
#include "src/app/dispatch/dispatcher.h"
#include "src/app/dispatch/arrays.h"
#include "kernels/common/numbers.h"
#include "src/lib/filter/registry.h"
#include "src/lib/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

/* Useful sessions for one file: while one thread reads or writes, the other copies and
 * computes. More threads would wait for each other to write (kernels/NOTES.md). Threads that
 * compress spend most of their time on that, so that more of them can share the GPU. */
#define SESSIONS 2
#define COMPRESSION_FACTOR 4

struct dispatcher {
    const struct dispatch_options *options;
    const struct variant *variants[MAX_OPS];
    struct smoothimg_filter *arrays[MAX_OPS]; /* of operations that are filters of arrays */
    struct sessions sessions;
};

static enum status make_arrays(struct dispatcher *dispatcher, struct error *error)
{
    const struct dispatch_options *options = dispatcher->options;
    struct smoothimg_context *library;
    enum status status = arrays_status(NULL, smoothimg_open(1, &library), error);

    for (int i = 0; i < options->op_count && status == STATUS_OK; i++)
        if (combine_by_arrays(options->combines, i))
            status = arrays_filter_make(library, &options->filter, &options->combines[i],
                                        &dispatcher->arrays[i], error);
    smoothimg_close(library);
    return status;
}

enum status dispatcher_open(const struct dispatch_options *options, struct dispatcher **dispatcher,
                            struct error *error)
{
    enum status status;
    struct dispatcher *made = calloc(1, sizeof *made);

    *dispatcher = made;
    if (!made)
        return fail(error, STATUS_INPUT, "no memory to choose variants in");
    made->options = options;
    sessions_init(&made->sessions, options->device == DEVICE_EMULATED ? 0 : (int)options->device);
    status = choose_variants(options, made->variants, error);
    return status == STATUS_OK ? make_arrays(made, error) : status;
}

void dispatcher_close(struct dispatcher *dispatcher)
{
    if (!dispatcher)
        return;
    sessions_close(&dispatcher->sessions);
    for (int i = 0; i < MAX_OPS; i++)
        smoothimg_filter_free(dispatcher->arrays[i]);
    free(dispatcher);
}

enum status dispatcher_check(struct dispatcher *dispatcher, struct error *error)
{
    struct session *session;
    enum status status;

    if (!dispatcher_uses_gpu(dispatcher))
        return STATUS_OK;
    status = sessions_take(&dispatcher->sessions, &session, error);
    if (status == STATUS_OK)
        sessions_give(&dispatcher->sessions, session);
    return status;
}

const struct variant *dispatcher_variant(const struct dispatcher *dispatcher, int index)
{
    return dispatcher->variants[index];
}

const struct smoothimg_filter *dispatcher_arrays(const struct dispatcher *dispatcher, int index)
{
    return dispatcher->arrays[index];
}

bool dispatcher_uses_gpu(const struct dispatcher *dispatcher)
{
    return dispatcher->variants[0]->backend == ON_GPU; /* as all of them: one word chose them */
}

int dispatcher_threads(const struct dispatcher *dispatcher, int threads, bool compresses)
{
    const int useful = SESSIONS * (compresses ? COMPRESSION_FACTOR : 1);

    return dispatcher_uses_gpu(dispatcher) ? (int)min(threads, useful) : threads;
}

enum status dispatcher_take(struct dispatcher *dispatcher, struct session **session,
                            struct error *error)
{
    *session = NULL;
    return dispatcher_uses_gpu(dispatcher) ? sessions_take(&dispatcher->sessions, session, error)
                                           : STATUS_OK;
}

void dispatcher_give(struct dispatcher *dispatcher, struct session *session)
{
    if (session)
        sessions_give(&dispatcher->sessions, session);
}

/* The oldest session; NULL: none was opened. */
static const struct session *first_session(struct dispatcher *dispatcher)
{
    struct sessions *sessions = &dispatcher->sessions;
    const struct session *first;

    pthread_mutex_lock(&sessions->mutex);
    first = sessions->all;
    pthread_mutex_unlock(&sessions->mutex);
    return first;
}

bool dispatcher_is_lost(struct dispatcher *dispatcher)
{
    const struct session *session = first_session(dispatcher);

    return dispatcher_uses_gpu(dispatcher) && !(session && gpu_alive(session->gpu));
}

struct phrase dispatcher_gpus(struct dispatcher *dispatcher)
{
    const struct session *session = first_session(dispatcher);
    struct phrase phrase = {""};

    if (session)
        phrase_add(&phrase, "%d: %s", dispatcher->sessions.device, session->description.name);
    return phrase;
}

bool dispatcher_print_opening(FILE *stream, struct dispatcher *dispatcher)
{
    const struct session *session = first_session(dispatcher);

    if (session)
        fprintf(stream, "GPU: %s, opened in %.0f ms\n", session->description.name,
                1e3 * session->seconds);
    return session;
}

/* --- The words of --variant. */

static enum status refuse_word(enum op op, const char *word, struct error *error)
{
    const struct registered *named = registry_named(op, word);
    struct string_list known = {0};

    string_list_add(&known, "auto");
    string_list_add(&known, "cpu");
    string_list_add(&known, "gpu");
    for (const struct registered *row = registry; row->stem; row++)
        if (registered_op(row) == op)
            string_list_add(&known, registered_name(row));
    if (named && named->variant && named->variant->engines) {
        known = (struct string_list){0};
        for (const struct variant *engine = named->variant->engines; engine->name; engine++)
            string_list_add(&known, engine->name);
    }
    return fail(error, STATUS_USAGE, "--variant %s: unknown variant of %s; use %s%s", word,
                op_word(op), string_list_join(&known, "or").text,
                string_list_nearest(&known, word).text);
}

static enum status without_cuda(const char *word, const char *remedy, struct error *error)
{
    return fail(error, STATUS_DEVICE, "--variant %s: this smoothimg was built without CUDA; %s",
                word, remedy);
}

static enum status choose_variant(enum op op, const char *word, const struct variant **variant,
                                  struct error *error)
{
    const struct registered *named = registry_named(op, word);
    const bool gpu = strcmp(word, "gpu") == 0;

    *variant = registry_variant(op, word);
    if (named && named->variant && !*variant)
        return refuse_word(op, word, error);
    if (!named && !gpu && strcmp(word, "auto") != 0 && strcmp(word, "cpu") != 0)
        return refuse_word(op, word, error);
    if (!named)
        *variant = registry_best(op, gpu ? ON_GPU : ON_CPU, NULL);
    if (!*variant)
        return without_cuda(word,
                            "build it with -Dcuda=enabled where nvcc is installed, or with "
                            "-Dcuda=emulated to try the GPU variants on the CPU",
                            error);
    if ((*variant)->backend == ON_GPU && gpu_offers_emulated())
        return without_cuda(word, "--device emulated tries it on the processor, slowly", error);
    return STATUS_OK;
}

enum status choose_variants(const struct dispatch_options *options,
                            const struct variant *variants[MAX_OPS], struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = 0; i < options->op_count && status == STATUS_OK; i++)
        status = choose_variant((enum op)options->ops[i], options->variant, &variants[i], error);
    return status;
}
