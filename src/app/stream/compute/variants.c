/* SPDX-License-Identifier: MIT */
/* The words of --variant. */
#include "src/app/stream/compute/computer.h"

#include <string.h>

static const char *const op_words[] = {"smooth", "transpose", "reverse"};

const char *computer_op_word(int operation)
{
    return op_words[operation_kind(operation)];
}

/* The variant of that name, or whose engine it is. */
static bool find_named(enum smoothimg_op op, const char *word, struct study_variant *found)
{
    const size_t length = strcspn(word, ":");

    for (int i = 0; study_variant(i, found); i++)
        if (found->op == op && strlen(found->name) == length &&
            strncmp(found->name, word, length) == 0)
            return true;
    return false;
}

/* The fastest one that is there. */
static const char *find_best(enum smoothimg_op op, bool on_gpu)
{
    struct study_variant variant;
    const char *best = NULL;

    for (int i = 0; study_variant(i, &variant); i++)
        if (variant.op == op && variant.on_gpu == on_gpu && variant.description)
            best = variant.name;
    return best;
}

/* named: whose engine the word would be; or NULL. */
static enum status refuse_word(enum smoothimg_op op, const char *word,
                               const struct study_variant *named, struct error *error)
{
    struct string_list known = {.words = {"auto", "cpu", "gpu"}, .count = 3};
    struct study_variant variant;

    for (int i = 0; study_variant(i, &variant); i++)
        if (variant.op == op)
            string_list_add(&known, variant.name);
    if (named && study_engine(named, 0))
        known.count = 0;
    for (int i = 0; named && study_engine(named, i); i++)
        string_list_add(&known, study_engine(named, i));
    return fail(error, STATUS_USAGE, "--variant %s: unknown variant of %s; use %s%s", word,
                op_words[op], string_list_join(&known, "or").text,
                string_list_nearest(&known, word).text);
}

static enum status without_cuda(const char *word, const char *remedy, struct error *error)
{
    return fail(error, STATUS_DEVICE, "--variant %s: this smoothimg was built without CUDA; %s",
                word, remedy);
}

/* NULL: there is no such engine. */
static const char *engine_of(const struct study_variant *variant, const char *word)
{
    const char *engine;

    for (int i = 0; (engine = study_engine(variant, i)); i++)
        if (strcmp(engine, word) == 0)
            return engine;
    return NULL;
}

static enum status choose(enum smoothimg_op op, const char *word, const char **variant,
                          bool *on_gpu, struct error *error)
{
    const bool gpu = strcmp(word, "gpu") == 0;
    struct study_variant found;
    const bool named = find_named(op, word, &found);

    if (!named && !gpu && strcmp(word, "auto") != 0 && strcmp(word, "cpu") != 0)
        return refuse_word(op, word, NULL, error);
    *variant = !named              ? find_best(op, gpu)
               : strchr(word, ':') ? engine_of(&found, word)
                                   : found.name;
    if (named && found.description && !*variant)
        return refuse_word(op, word, &found, error);
    if (!*variant || (named && !found.description))
        return without_cuda(word,
                            "build it with -Dcuda=enabled where nvcc is installed, or with "
                            "-Dcuda=emulated to try the GPU variants on the CPU",
                            error);
    *on_gpu = named ? found.on_gpu : gpu;
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
