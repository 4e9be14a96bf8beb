/* SPDX-License-Identifier: MIT */
/* The list of variants, made from kernels/meson.build. The command line, --list-variants, the tests
 * and the benchmark all walk this list; there is no other. */
#ifndef SMOOTHIMG_REGISTRY_H
#define SMOOTHIMG_REGISTRY_H

#include "error.h"
#include "variant.h"

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

/* The operation and the name, the word after --variant, of a row: both are in its stem. */
enum op registered_op(const struct registered *row);
const char *registered_name(const struct registered *row);

/* The row of that stem, or NULL. */
const struct registered *registry_find(const char *stem);

/* The variant that defines what is right for the operation. */
const struct variant *registry_reference(enum op op);

/* The best variant of that place, or, where `better` is one of them, the next best behind it. NULL:
 * there is none. */
const struct variant *registry_best(enum op op, enum place place, const struct variant *better);

/* The variant that the word after --variant means for the operation: a variant's own name, or
 * `auto`, or `cpu` or `gpu` for the best of that place. STATUS_USAGE for an unknown word, naming
 * those that are known; STATUS_DEVICE if it is not in this build, with what to do. */
enum status registry_choose(enum op op, const char *word, const struct variant **variant,
                            struct error *error);

#endif
