/* SPDX-License-Identifier: MIT */
/* The list of variants, made from kernels/meson.build: the only one. */
#ifndef SMOOTHIMG_REGISTRY_H
#define SMOOTHIMG_REGISTRY_H

#include "kernels/variant.h"

/* A row of the list. */
struct registered {
    const char *stem;              /* of its file, op_name: "smooth_cpu" */
    const struct variant *variant; /* NULL: it needs a GPU, and this build has none */
};

/* The rows, in the list's order: by operation, and within one from plain to fast. Ends with a row
 * whose stem is NULL. */
extern const struct registered registry[];

/* "smooth", "transpose", "reverse", in the order of enum op; then NULL. */
extern const char *const op_words[OP_COUNT + 1];
const char *op_word(enum op op);

/* The operation and the name of a row: both are in its stem. */
enum op registered_op(const struct registered *row);
const char *registered_name(const struct registered *row);

/* The row of that stem, or of that operation and name; or NULL. */
const struct registered *registry_find(const char *stem);
const struct registered *registry_named(enum op op, const char *name);

/* The variant that defines what is right for the operation. */
const struct variant *registry_reference(enum op op);

/* The best variant of that backend, or, where `better` is one of them, the next best.
 * NULL: there is none. */
const struct variant *registry_best(enum op op, enum backend backend, const struct variant *better);

#endif
