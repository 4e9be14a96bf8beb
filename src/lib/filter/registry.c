/* SPDX-License-Identifier: MIT */
#include "registry.h"

#include "words.h"

#include <string.h>

/* variant_list.h is made by kernels/meson.build: for each file of its list a line VARIANT(stem), or
 * ABSENT(stem) for a GPU's variant in a build without CUDA. */
#define VARIANT(STEM) extern const struct variant variant_##STEM;
#define ABSENT(STEM)
#include "variant_list.h"
#undef VARIANT
#undef ABSENT

const struct registered registry[] = {
#define VARIANT(STEM) {#STEM, &variant_##STEM},
#define ABSENT(STEM) {#STEM, NULL},
#include "variant_list.h"
#undef VARIANT
#undef ABSENT
    {NULL, NULL}};

const char *const op_words[OP_COUNT + 1] = {"smooth", "transpose", "reverse", NULL};

const char *op_word(enum op op)
{
    return op_words[op];
}

enum op registered_op(const struct registered *row)
{
    enum op op = OP_SMOOTH;

    while (strncmp(row->stem, op_words[op], strlen(op_words[op])) != 0)
        op++;
    return op;
}

const char *registered_name(const struct registered *row)
{
    return strchr(row->stem, '_') + 1;
}

const struct registered *registry_find(const char *stem)
{
    for (const struct registered *row = registry; row->stem; row++)
        if (strcmp(row->stem, stem) == 0)
            return row;
    return NULL;
}

static const struct registered *find_named(enum op op, const char *name)
{
    for (const struct registered *row = registry; row->stem; row++)
        if (registered_op(row) == op && strcmp(registered_name(row), name) == 0)
            return row;
    return NULL;
}

const struct variant *registry_reference(enum op op)
{
    return find_named(op, "reference")->variant;
}

/* The list runs from plain to fast: the last of a place is its best. */
const struct variant *registry_best(enum op op, enum place place, const struct variant *better)
{
    const struct variant *best = NULL;

    for (const struct registered *row = registry; row->stem; row++)
        if (row->variant && row->variant == better)
            return best;
        else if (row->variant && row->variant->op == op && row->variant->place == place)
            best = row->variant;
    return best;
}

static enum status refuse_word(enum op op, const char *word, struct error *error)
{
    struct word_list known = {0};

    words_add(&known, "auto");
    words_add(&known, "cpu");
    words_add(&known, "gpu");
    for (const struct registered *row = registry; row->stem; row++)
        if (registered_op(row) == op)
            words_add(&known, registered_name(row));
    return fail(error, STATUS_USAGE, "--variant %s: %s has no such variant%s; it has %s", word,
                op_word(op), words_nearest(&known, word).text, words_joined(&known, "and").text);
}

enum status registry_choose(enum op op, const char *word, const struct variant **variant,
                            struct error *error)
{
    const struct registered *named = find_named(op, word);
    const bool gpu = strcmp(word, "gpu") == 0;

    if (!named && !gpu && strcmp(word, "auto") != 0 && strcmp(word, "cpu") != 0)
        return refuse_word(op, word, error);
    *variant = named ? named->variant : registry_best(op, gpu ? ON_GPU : ON_CPU, NULL);
    if (*variant)
        return STATUS_OK;
    return fail(error, STATUS_DEVICE,
                "--variant %s: this smoothimg was built without CUDA; build it with -Dcuda=enabled "
                "where nvcc is installed, or with -Dcuda=emulated to try the GPU variants on the "
                "CPU; or use --variant cpu",
                word);
}
