/* SPDX-License-Identifier: MIT */
/* Finds the variants that the word after --variant means. */
#include "src/app/stream/compute/computer.h"

#include "src/lib/filter/registry.h"

#include <string.h>

static enum status without_cuda(const char *word, const char *remedy, struct error *error)
{
    return fail(error, STATUS_DEVICE, "--variant %s: this smoothimg was built without CUDA; %s",
                word, remedy);
}

static bool is_variant_of(const char *word, const char *name)
{
    return strlen(name) == strcspn(word, ":") && strncmp(name, word, strlen(name)) == 0;
}

/* Finds what a word of --variant names. The registry lists the variants of the CPU, and those of
 * the GPU, from slow to fast. So "gpu" names the last GPU variant, and "auto" and "cpu" the last
 * CPU variant. Other words name a variant, such as "fused", or one of the implementations that it
 * consists of, "fused:fp16". */
static enum status choose(enum smoothimg_op op, const char *word, const char **variant,
                          bool *on_gpu, struct error *error)
{
    const bool gpu = strcmp(word, "gpu") == 0;
    const bool best = gpu || strcmp(word, "auto") == 0 || strcmp(word, "cpu") == 0;
    struct string_list known = {.words = {"auto", "cpu", "gpu"}, .count = 3};
    struct study_variant row, found = {.name = NULL};
    const char *engine;

    for (int i = 0; study_variant(i, &row); i++) {
        if (row.op != op)
            continue;
        string_list_add(&known, row.name);
        if (best ? row.on_gpu == gpu && row.description : is_variant_of(word, row.name))
            found = row;
    }
    *variant = found.name;
    if (found.description && strchr(word, ':')) {
        *variant = NULL;
        for (int i = 0; (engine = study_engine(&found, i)); i++) {
            known.count = i;
            string_list_add(&known, engine);
            *variant = strcmp(engine, word) == 0 ? engine : *variant;
        }
    }
    if (!*variant && !gpu)
        return fail(error, STATUS_USAGE, "--variant %s: unknown variant of %s; use %s%s", word,
                    op_words[op], string_list_join(&known, "or").text,
                    string_list_nearest(&known, word).text);
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

enum status computer_variants(const struct work_options *options, const char *variants[MAX_OPS],
                              bool *on_gpu, struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = 0; i < options->op_count && status == STATUS_OK; i++)
        status = choose((enum smoothimg_op)operation_kind(options->ops[i]), options->variant,
                        &variants[i], on_gpu, error);
    return status;
}
