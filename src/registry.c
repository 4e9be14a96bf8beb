/* SPDX-License-Identifier: MIT */
#include "registry.h"

#include "words.h"

#include <stdio.h>
#include <string.h>

/* variant_list.h is made by kernels/meson.build: a line VARIANT(stem) for each file of its list. */
#define VARIANT(STEM) extern const struct variant variant_##STEM;
#include "variant_list.h"
#undef VARIANT

const struct registered registry[] = {
#define VARIANT(STEM) {#STEM, &variant_##STEM},
#include "variant_list.h"
#undef VARIANT
    {NULL, NULL}};

const char *op_word(enum op op)
{
    return op == OP_SMOOTH ? "smooth" : op == OP_TRANSPOSE ? "transpose" : "reverse";
}

const struct registered *registry_find(const char *stem)
{
    for (const struct registered *row = registry; row->stem; row++)
        if (strcmp(row->stem, stem) == 0)
            return row;
    return NULL;
}

const struct variant *registry_reference(enum op op)
{
    for (const struct registered *row = registry; row->stem; row++)
        if (row->variant->op == op && row->variant->reference)
            return row->variant;
    return NULL;
}

static const struct variant *find_named(enum op op, const char *name)
{
    for (const struct registered *row = registry; row->stem; row++)
        if (row->variant->op == op && strcmp(row->variant->name, name) == 0)
            return row->variant;
    return NULL;
}

/* The list runs from plain to fast: the last of a place is its best. */
static const struct variant *find_best(enum op op, enum place place)
{
    const struct variant *best = NULL;

    for (const struct registered *row = registry; row->stem; row++)
        if (row->variant->op == op && row->variant->place == place)
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
        if (row->variant->op == op)
            words_add(&known, row->variant->name);
    return fail(error, STATUS_USAGE, "--variant %s: %s has no such variant%s; it has %s", word,
                op_word(op), words_nearest(&known, word).text, words_joined(&known).text);
}

enum status registry_choose(enum op op, const char *word, const struct variant **variant,
                            struct error *error)
{
    const enum place place = strcmp(word, "gpu") == 0 ? ON_GPU : ON_CPU;

    *variant = find_named(op, word);
    if (*variant)
        return STATUS_OK;
    if (place == ON_CPU && strcmp(word, "auto") != 0 && strcmp(word, "cpu") != 0)
        return refuse_word(op, word, error);
    *variant = find_best(op, place);
    if (*variant)
        return STATUS_OK;
    return fail(error, STATUS_DEVICE,
                "--variant %s: this build of smoothimg has no GPU variants; use --variant cpu",
                word);
}
