/* SPDX-License-Identifier: MIT */
#include "src/lib/filter/registry.h"

#include <string.h>

/* kernels/meson.build makes variant_list.h, with a line VARIANT(stem) for each variant, such as
 * VARIANT(smooth_cpu), or ABSENT(op, name) for a GPU variant in a build without CUDA. */
#define VARIANT(STEM) extern const struct variant variant_##STEM;
#define ABSENT(OP, NAME)
#include "variant_list.h"
#undef VARIANT
#undef ABSENT

const struct variant *const registry[] = {
#define VARIANT(STEM) &variant_##STEM,
#define ABSENT(OP, NAME) &(const struct variant){.op = OP, .name = NAME, .backend = ON_GPU},
#include "variant_list.h"
#undef VARIANT
#undef ABSENT
    NULL};

const char *const op_words[OP_COUNT + 1] = {"smooth", "transpose", "reverse", NULL};

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
    const size_t length = strcspn(name, ":");

    for (const struct variant *const *row = registry; *row; row++) {
        if ((*row)->op != op || strlen((*row)->name) != length ||
            strncmp((*row)->name, name, length) != 0)
            continue;
        *variant = **row;
        if (!name[length])
            return true;
        for (int i = 0; i < (*row)->count; i++)
            if (strcmp((*row)->engines[i].name, name) == 0) {
                *variant = variant_of_engine(*row, &(*row)->engines[i]);
                return true;
            }
    }
    return false;
}

/* The list is ordered from the simplest to the fastest: the best variant for a backend is the last
 * one, or, if `better` is given, the last one before `better`. */
const struct variant *registry_best(enum op op, enum backend backend, const struct variant *better)
{
    const struct variant *best = NULL;

    for (const struct variant *const *row = registry; *row && *row != better; row++)
        if ((*row)->op == op && (*row)->backend == backend && (*row)->count > 0)
            best = *row;
    return best;
}
