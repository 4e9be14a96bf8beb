/* SPDX-License-Identifier: MIT */
/* The list of variants, which the build makes from kernels/meson.build. A variant is an
 * implementation of an operation. It has one or several engines, of which one is chosen for each
 * request. */
#ifndef SMOOTHIMG_REGISTRY_H
#define SMOOTHIMG_REGISTRY_H

#include "kernels/variant.h"

#include <stdbool.h>

/* The variants: sorted by operation, and within each from the simplest to the fastest. The last one
 * is followed by NULL. A variant that needs a GPU, in a build without GPU code, has no engines:
 * only its operation, name and backend are set. */
extern const struct variant *const registry[];

/* "smooth", "transpose", "reverse", in the order of enum op; then NULL. */
extern const char *const op_words[OP_COUNT + 1];

/* Returns a variant whose only engine is `engine` of `variant`. */
struct variant variant_of_engine(const struct variant *variant, const struct engine *engine);

/* Sets *variant to the variant of this name. If `name` names an engine, such as "cpu:u8", sets
 * *variant to the engine's variant, with this engine alone. Returns false if nothing has this name;
 * *variant may have changed even then. */
bool registry_variant(enum op op, const char *name, struct variant *variant);

/* Returns the backend's fastest variant that is slower than `better`, or its fastest variant if
 * `better` is NULL; NULL if there is none. */
const struct variant *registry_best(enum op op, enum backend backend, const struct variant *better);

#endif
