/* SPDX-License-Identifier: MIT */
/* GPU variants that do not do their work, and say so: auto has to go on without them. */
#include "kernels/variant.h"

static const char *fails(const struct job *job)
{
    (void)job;
    return "this one always fails";
}

static const char *refuses(const struct job *job)
{
    (void)job;
    return "this one never wants to";
}

DEFINE_VARIANT(transpose_failing) = {
    .op = OP_TRANSPOSE,
    .name = "failing",
    .backend = ON_GPU,
    .description = "fails",
    .run = fails,
};

DEFINE_VARIANT(reverse_refusing) = {
    .op = OP_REVERSE,
    .name = "refusing",
    .backend = ON_GPU,
    .description = "refuses",
    .refuses = refuses,
    .run = fails,
};
