/* SPDX-License-Identifier: MIT */
#include "src/lib/api/study.h"

#include "kernels/common/isa.h"
#include "kernels/common/parallel.h"
#include "src/lib/api/context.h"
#include "src/lib/filter/registry.h"

bool study_variant(int index, struct study_variant *variant)
{
    const struct registered *row = registry;

    while (row->stem && index-- > 0)
        row++;
    if (!row->stem)
        return false;
    *variant = (struct study_variant){
        .op = (enum smoothimg_op)registered_op(row),
        .name = registered_name(row),
        .description = row->variant ? row->variant->description : NULL,
        .on_gpu = !row->variant || row->variant->backend == ON_GPU,
    };
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
