/* SPDX-License-Identifier: MIT */
#include "src/lib/api/context.h"

#include "kernels/common/isa.h"
#include "kernels/common/parallel.h"
#include "kernels/common/worker_pool.h"
#include "src/lib/api/arrays.h"
#include "src/lib/api/call.h"
#include "src/lib/api/study.h"
#include "src/lib/filter/registry.h"
#include "src/lib/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

enum smoothimg_status smoothimg_open(int threads, struct smoothimg_context **context)
{
    struct smoothimg_context *made;

    if (!context)
        return SMOOTHIMG_INVALID;
    *context = NULL;
    if (threads < 0 || threads > MAX_THREADS)
        return SMOOTHIMG_INVALID;
    if (threads == 0)
        threads = parallel_processors();
    made = calloc(1, sizeof *made + (size_t)threads * sizeof *made->memory);
    if (!made)
        return SMOOTHIMG_NO_MEMORY;
    made->threads = threads;
    if (threads > 1)
        worker_pool_hold(); /* smoothimg_close releases the pool */
    *context = made;
    return SMOOTHIMG_OK;
}

void smoothimg_close(struct smoothimg_context *context)
{
    if (!context)
        return;
    for (int i = 0; i < context->threads; i++)
        free(context->memory[i].data);
    if (context->gpu)
        gpu_close(context->gpu);
    for (int i = 0; i < KEPT_PLANS; i++)
        plan_free(&context->plans.known[i].plan);
    if (context->threads > 1)
        worker_pool_release();
    free(context);
}

const char *smoothimg_message(const struct smoothimg_context *context)
{
    return context ? context->error.text : "context is NULL";
}

const char *smoothimg_version(void)
{
    return SMOOTHIMG_VERSION;
}

const char arrays_engine[] = "arrays";

const char *smoothimg_chosen(const struct smoothimg_context *context)
{
    return context && context->chosen ? context->chosen : "";
}

enum smoothimg_status smoothimg_choose(struct smoothimg_context *context, const char *variant)
{
    const char *known = NULL; /* the library's own copy of the name */
    struct variant found = {.backend = ON_CPU};

    if (!context)
        return SMOOTHIMG_INVALID;
    if (variant && strcmp(variant, arrays_engine) == 0)
        known = arrays_engine;
    for (enum op op = OP_SMOOTH; op < OP_COUNT && variant && !known; op++)
        if (registry_variant(op, variant, &found))
            known = found.name;
    if (variant && !known)
        return public_status(fail(&context->error, STATUS_INVALID,
                                  "no operation has a variant %s; smoothimg_variant() names them",
                                  variant));
    context->variant = known;
    context->chose_device = found.backend == ON_GPU && found.count > 0;
    return SMOOTHIMG_OK;
}

const char *smoothimg_variant(enum smoothimg_op op, enum smoothimg_memory memory, int index)
{
    for (const struct variant *const *row = registry; *row && index >= 0; row++)
        if ((*row)->op == (enum op)op && (*row)->backend == (enum backend)memory &&
            (*row)->count > 0 && index-- == 0)
            return (*row)->name;
    return NULL;
}

enum smoothimg_status smoothimg_use_device(struct smoothimg_context *context, int device)
{
    const struct range range = {"device", device, 0, INT64_MAX, NULL};
    enum status status;

    if (!context)
        return SMOOTHIMG_INVALID;
    status = check_ranges(NULL, &range, 1, &context->error);
    if (status == STATUS_OK && context->gpu)
        status = fail(&context->error, STATUS_INVALID,
                      "device %d: the context has a device already, and a context has one; open "
                      "another context",
                      device);
    if (status != STATUS_OK)
        return public_status(status);
    status = gpu_open(device, &context->gpu, &context->error);
    return status == STATUS_DEVICE ? SMOOTHIMG_NO_DEVICE : public_status(status);
}

enum smoothimg_status smoothimg_wait(struct smoothimg_context *context)
{
    if (!context)
        return SMOOTHIMG_INVALID;
    return context->gpu ? public_status(gpu_wait(context->gpu, &context->error)) : SMOOTHIMG_OK;
}

_Static_assert(SMOOTHIMG_INVALID == (int)STATUS_INVALID &&
                   SMOOTHIMG_NO_MEMORY == (int)STATUS_NO_MEMORY &&
                   SMOOTHIMG_UNSUPPORTED == (int)STATUS_UNSUPPORTED,
               "one numbering, up to here");

enum smoothimg_status public_status(enum status status)
{
    return status <= STATUS_UNSUPPORTED ? (enum smoothimg_status)status : SMOOTHIMG_FAILED;
}

/* --- The functions of study.h: for tests, for study, and for the program smoothimg. */

bool study_variant(int index, struct study_variant *variant)
{
    const struct variant *const *row = registry;

    while (*row && index-- > 0)
        row++;
    if (!*row)
        return false;
    *variant = (struct study_variant){.op = (enum smoothimg_op)(*row)->op,
                                      .name = (*row)->name,
                                      .description = (*row)->description,
                                      .on_gpu = (*row)->backend == ON_GPU};
    return true;
}

const char *study_engine(const struct study_variant *variant, int index)
{
    struct variant found;

    if (!registry_variant((enum op)variant->op, variant->name, &found) || found.count < 2 ||
        index >= found.count)
        return NULL;
    return found.engines[index].name;
}

const char *study_instructions(struct smoothimg_context *context, const char *name)
{
    const struct isa *isa = isa_find(name);

    if (context)
        context->isa = isa;
    return isa->name;
}

void study_every_thread(struct smoothimg_context *context)
{
    context->every_thread = true;
}

void study_block(struct smoothimg_context *context, int block)
{
    context->block = block;
}

struct gpu_times study_times(const struct smoothimg_context *context)
{
    return context->times;
}

void *study_pinned(struct smoothimg_context *context, int number, int64_t bytes)
{
    struct error unused;
    void *memory = NULL;

    if (!context->gpu ||
        gpu_host_memory(context->gpu, number, bytes, &memory, &unused) != STATUS_OK)
        return NULL;
    return memory;
}
