/* SPDX-License-Identifier: MIT */
#include "src/lib/api/dims.h"

static int64_t step_of(const struct dims *dims, const struct dim *dim)
{
    return dims->by_dst ? dim->dst : dim->src;
}

void dims_add(struct dims *dims, struct dim dim)
{
    int at = dims->count++;

    for (; at > 0 && step_of(dims, &dims->dim[at - 1]) > step_of(dims, &dim); at--)
        dims->dim[at] = dims->dim[at - 1];
    dims->dim[at] = dim;
}

struct dim dim_turned(struct dim dim, char **src, char **dst)
{
    *src += (dim.extent - 1) * dim.src;
    *dst += (dim.extent - 1) * dim.dst;
    return (struct dim){dim.extent, -dim.src, -dim.dst, dim.after, dim.before};
}

void dims_drop(struct dims *dims, int number)
{
    dims->count--;
    for (int i = number; i < dims->count; i++)
        dims->dim[i] = dims->dim[i + 1];
}

uint64_t dims_together(const struct dims *dims, const void *src, const void *dst)
{
    uint64_t together = (uintptr_t)src | (uintptr_t)dst;

    for (int i = 0; i < dims->count; i++)
        together |= (uint64_t)dims->dim[i].src | (uint64_t)dims->dim[i].dst;
    return together;
}

struct dim dims_absorb(struct dims *dims, int64_t unit, int64_t until)
{
    const struct dim *first = dims->dim;
    struct dim units = {.extent = 1, .src = unit, .dst = unit};

    for (int64_t bytes = unit; dims->count > 0 && bytes != until && first->src == bytes &&
                               (first->extent == 1 || first->dst == bytes);
         bytes = units.extent * unit) {
        units.before = first->before * units.extent;
        units.after = first->after * units.extent;
        units.extent *= first->extent;
        dims_drop(dims, 0);
    }
    return units;
}

void dims_join(struct dims *dims)
{
    for (int i = 0; i + 1 < dims->count;) {
        struct dim *inner = &dims->dim[i];
        const struct dim *outer = inner + 1;

        if (outer->src == inner->src * inner->extent && outer->dst == inner->dst * inner->extent) {
            inner->before = outer->before * inner->extent;
            inner->after = outer->after * inner->extent;
            inner->extent *= outer->extent;
            dims_drop(dims, i + 1);
        } else {
            i++;
        }
    }
}

bool dims_advance(const struct dims *dims, int from, int64_t *place, char **src, char **dst)
{
    for (int i = from; i < dims->count; i++) {
        const struct dim *dim = &dims->dim[i];
        const bool ends = ++place[i] == dim->extent;

        *src += (ends ? 1 - dim->extent : 1) * dim->src;
        *dst += (ends ? 1 - dim->extent : 1) * dim->dst;
        if (!ends)
            return true;
        place[i] = 0;
    }
    return false;
}
