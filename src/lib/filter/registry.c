/* SPDX-License-Identifier: MIT */
#include "src/lib/filter/registry.h"

#include <string.h>

/* kernels/meson.build makes variant_list.h, with a line VARIANT(stem) for each variant, or
 * ABSENT(stem) for a GPU variant in a build without CUDA. */
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

const struct registered *registry_named(enum op op, const char *name)
{
    const size_t length = strcspn(name, ":");

    for (const struct registered *row = registry; row->stem; row++)
        if (registered_op(row) == op && strlen(registered_name(row)) == length &&
            strncmp(registered_name(row), name, length) == 0)
            return row;
    return NULL;
}

struct variant variant_of_engine(const struct variant *variant, const struct engine *engine)
{
    struct variant alone = *variant;

    alone.name = engine->name;
    alone.description = engine->description ? engine->description : variant->description;
    alone.engines = engine;
    alone.count = 1;
    return alone;
}

bool registry_variant(enum op op, const char *name, struct variant *variant)
{
    const struct registered *row = registry_named(op, name);
    const struct engine *engine;

    if (!row || !row->variant)
        return false;
    *variant = *row->variant;
    if (!strchr(name, ':'))
        return true;
    for (engine = variant->engines; engine < variant->engines + variant->count; engine++)
        if (strcmp(engine->name, name) == 0) {
            *variant = variant_of_engine(variant, engine);
            return true;
        }
    return false;
}

/* The list is ordered from the simplest to the fastest: the best variant for a backend is the last
 * one, or, if `better` is given, the last one before `better`. */
const struct variant *registry_best(enum op op, enum backend backend, const struct variant *better)
{
    const struct variant *best = NULL;

    for (const struct registered *row = registry; row->stem; row++)
        if (row->variant && row->variant == better)
            return best;
        else if (row->variant && row->variant->op == op && row->variant->backend == backend)
            best = row->variant;
    return best;
}
