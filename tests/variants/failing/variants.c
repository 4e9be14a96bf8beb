/* SPDX-License-Identifier: MIT */
/* GPU variants that do not do their work, and say so: auto has to go on without them. */
#include "variant.h"

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
    .place = ON_GPU,
    .about = "fails",
    .run = fails,
};

DEFINE_VARIANT(reverse_refusing) = {
    .op = OP_REVERSE,
    .name = "refusing",
    .place = ON_GPU,
    .about = "refuses",
    .refuses = refuses,
    .run = fails,
};
