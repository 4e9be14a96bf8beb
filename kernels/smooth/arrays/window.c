/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/window.h"

#include <string.h>

static bool same(const char *a, const char *b, int bytes)
{
    switch (bytes) {
    case 1:
        return *a == *b;
    case 2:
        return memcmp(a, b, 2) == 0;
    case 4:
        return memcmp(a, b, 4) == 0;
    default:
        return memcmp(a, b, 8) == 0;
    }
}

/* Along filtered axes i.., from `address` on, which is at 0 along these. */
static bool all_same(const struct array_job *job, const struct array_taps *taps, int i,
                     const int64_t *place, const char *address, const char *first)
{
    const int axis = job->axis[i], bytes = sample_format(job->src.type).bytes;
    bool all = true;

    for (int64_t k = -job->halo[i]; k <= job->halo[i] && all; k++) {
        const int64_t from = edge_index(taps[i].edge, place[axis] + k, job->shape[axis]);
        const char *const there = address + from * job->src.strides[axis];

        all =
            from >= 0 && (i == job->filtered - 1 ? same(there, first, bytes)
                                                 : all_same(job, taps, i + 1, place, there, first));
    }
    return all;
}

const char *array_flat_window(const struct array_job *job, const int64_t *place)
{
    const char *address = job->src.origin, *first = job->src.origin;
    bool all = job->filtered > 0;

    for (int i = 0, next = 0; i < job->axes; i++) {
        first += place[i] * job->src.strides[i];
        if (next < job->filtered && job->axis[next] == i)
            next++;
        else
            address += place[i] * job->src.strides[i];
    }
    for (int t = 0; t < job->terms && all; t++)
        all = all_same(job, job->taps + t * job->filtered, 0, place, address, first);
    return all ? first : NULL;
}
