/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_CHOOSE_VARIANT_H
#define SMOOTHIMG_CHOOSE_VARIANT_H

#include "kernels/variant.h"
#include "src/lib/base/error.h"

/* The variant that the word after --variant means for the operation: a variant's own name, or
 * `auto`, or `cpu` or `gpu` for the best of that backend. STATUS_USAGE for an unknown word, naming
 * those that are known; STATUS_DEVICE if it is not in this build, with what to do. */
enum status choose_variant(enum op op, const char *word, const struct variant **variant,
                           struct error *error);

#endif
