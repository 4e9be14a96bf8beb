/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_BROKEN_H
#define SMOOTHIMG_BROKEN_H

#include "kernels/variant.h"

extern const struct variant variant_smooth_reference, variant_transpose_reference,
    variant_reverse_reference;

/* Defines a variant (kernels/variant.h) with one engine (implementation), which computes its
 * results. The arguments after ABOUT are the engine's members. */
#define BROKEN_ENGINE(OP, STEM, NAME, ABOUT, ...)                                                  \
    static const struct engine STEM##_engine = {.name = NAME, __VA_ARGS__};                        \
    DEFINE_VARIANT(STEM) = {.op = OP,                                                              \
                            .name = NAME,                                                          \
                            .backend = ON_CPU,                                                     \
                            .description = ABOUT,                                                  \
                            .engines = &STEM##_engine,                                             \
                            .count = 1}

/* Computes a piece, a part of the result, by the reference, but with *request in place of the
 * piece's request. The two requests differ by the planted fault. */
static inline const char *run_reference(const struct request *request, const struct piece *piece)
{
    struct piece other = *piece;

    other.request = request;
    return variant_smooth_reference.engines->run(&other);
}

#endif
