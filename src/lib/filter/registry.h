/* SPDX-License-Identifier: MIT */
/* The list of variants, which the build makes from kernels/meson.build. A variant is an
 * implementation of an operation. It has one or several engines, and chooses one of them for each
 * request. */
#ifndef SMOOTHIMG_REGISTRY_H
#define SMOOTHIMG_REGISTRY_H

#include "kernels/variant.h"

#include <stdbool.h>

struct registered {
    const char *stem;              /* operation and name, such as "smooth_cpu" */
    const struct variant *variant; /* NULL if it needs a GPU, and this build has no GPU code */
};

/* The variants: sorted by operation, and within each from the simplest to the fastest. The last row
 * has a NULL stem. */
extern const struct registered registry[];

/* "smooth", "transpose", "reverse", in the order of enum op; then NULL. */
extern const char *const op_words[OP_COUNT + 1];

/* The two parts of a stem: the operation and the variant's name. */
enum op registered_op(const struct registered *row);
const char *registered_name(const struct registered *row);

/* Returns the row of an operation and a variant, or NULL. `name` is the name of a variant, not of
 * an engine. */
const struct registered *registry_named(enum op op, const char *name);

/* Returns a variant whose only engine is `engine` of `variant`. */
struct variant variant_of_engine(const struct variant *variant, const struct engine *engine);

/* Sets *variant to the variant of this name. If `name` names an engine, such as "cpu:u8", sets
 * *variant to the engine's variant, with this engine alone. Returns false if nothing has this name.
 * Also returns false if the variant needs a GPU and this build has no GPU code: registry_named()
 * then returns a row without a variant. */
bool registry_variant(enum op op, const char *name, struct variant *variant);

/* Returns the backend's fastest variant that is slower than `better`, or its fastest variant if
 * `better` is NULL; NULL if there is none. */
const struct variant *registry_best(enum op op, enum backend backend, const struct variant *better);

#endif
