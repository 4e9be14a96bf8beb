/* SPDX-License-Identifier: MIT */
/* What variants that are wrong on purpose are made of. */
#ifndef SMOOTHIMG_BROKEN_H
#define SMOOTHIMG_BROKEN_H

#include "kernels/variant.h"

extern const struct variant variant_smooth_reference, variant_transpose_reference,
    variant_reverse_reference;

/* A variant of one engine; after ABOUT the engine's members. */
#define BROKEN_ENGINE(OP, STEM, NAME, ABOUT, ...)                                                  \
    static const struct engine STEM##_engine = {.name = NAME, __VA_ARGS__};                        \
    DEFINE_VARIANT(STEM) = {.op = OP,                                                              \
                            .name = NAME,                                                          \
                            .backend = ON_CPU,                                                     \
                            .description = ABOUT,                                                  \
                            .engines = &STEM##_engine,                                             \
                            .count = 1}

/* The reference on what is asked, which is not what the piece's own plan was made for. */
static inline const char *run_reference(const struct request *request, const struct piece *piece)
{
    struct piece other = *piece;

    other.request = request;
    return variant_smooth_reference.engines->run(&other);
}

#endif
