/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/combine.h"

#include <stddef.h>

static struct real get(const struct reals *row, int64_t x)
{
    return (struct real){row->value[x], row->rest ? row->rest[x] : 0,
                         row->magnitude ? row->magnitude[x] : 0};
}

static void put(const struct reals *row, int64_t x, struct real number)
{
    row->value[x] = number.value;
    if (row->rest)
        row->rest[x] = number.rest;
    if (row->magnitude)
        row->magnitude[x] = number.magnitude;
}

void combine_add_rows(const struct reals *total, const struct reals *term, bool first, bool squares,
                      int64_t n)
{
    const struct real none = {0};

    for (int64_t x = 0; x < n; x++)
        put(total, x,
            combine_add(first ? none : get(total, x), get(term, x), squares, total->rest != NULL));
}

void combine_root_rows(const struct reals *total, int64_t n)
{
    for (int64_t x = 0; x < n; x++)
        put(total, x, combine_root(get(total, x), total->rest != NULL));
}
