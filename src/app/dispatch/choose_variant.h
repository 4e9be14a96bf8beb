/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_CHOOSE_VARIANT_H
#define SMOOTHIMG_CHOOSE_VARIANT_H

#include "kernels/variant.h"
#include "src/lib/base/error.h"

/* Sets *variant to what `--variant WORD` means for the operation: the variant of that name; for
 * `cpu` and `gpu` the best of that backend; for `auto` as for `cpu`. STATUS_USAGE: the word is
 * unknown; the message lists the known ones. STATUS_DEVICE: this build lacks the variant; the
 * message says how to build it. */
enum status choose_variant(enum op op, const char *word, const struct variant **variant,
                           struct error *error);

#endif
