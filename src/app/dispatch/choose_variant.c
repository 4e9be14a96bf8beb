/* SPDX-License-Identifier: MIT */
#include "src/app/dispatch/choose_variant.h"

#include "src/lib/filter/registry.h"
#include "src/lib/gpu/gpu.h"
#include "src/text/string_list.h"

#include <string.h>

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

enum status choose_variant(enum op op, const char *word, const struct variant **variant,
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
