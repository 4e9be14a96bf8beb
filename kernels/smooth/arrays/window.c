/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/window.h"

#include "kernels/common/numbers.h"
#include "kernels/smooth/arrays/exact.h"

#include <math.h>
#include <string.h>

int64_t array_window_length(const struct array_job *job)
{
    return job->filtered > 0 ? round_up(2 * job->halo[job->filtered - 1] + 1, ARRAY_BLOCK) : 0;
}

/* Loads the window's samples along the last filtered axis into window->row. */
static void load_row(const struct array_window *window, const struct taps *taps, int64_t place,
                     const char *address, bool outside)
{
    const struct array_job *job = window->job;
    const int axis = job->axis[job->filtered - 1];
    const int64_t stride = job->src.strides[axis], length = job->shape[axis];
    const int64_t first = place - taps->halo, end = place + taps->halo + 1;
    const int64_t from = outside ? end : max(first, 0), to = outside ? end : min(end, length);
    const struct reals inside = {.value = window->row.value + (from - first)};

    if (to > from)
        window->loops->load(address + from * stride, stride, job->src.type, to - from, &inside);
    for (int64_t at = first; at < end; at++) {
        const int64_t there = outside ? -1 : edge_index(taps->edge, at, length);
        const struct reals one = {.value = window->row.value + (at - first)};

        if (at == from && to > from)
            at = to - 1;
        else if (there < 0)
            *one.value = job->outside;
        else
            window->loops->load(address + there * stride, stride, job->src.type, 1, &one);
    }
}

/* Adds the rows of the window from filtered axis i on, weighed by a product of taps. */
static void add_rows(const struct array_window *window, const struct taps *taps, int i,
                     const int64_t *place, const char *address, bool outside, double weight,
                     double rest)
{
    const struct array_job *job = window->job;
    const int axis = job->axis[i];

    if (i == job->filtered - 1) {
        const int64_t n = array_window_length(job);

        load_row(window, &taps[i], place[axis], address, outside);
        window->loops->add_row(&window->sum, window->row.value,
                               window->loops->measure(window->row.value, n, window->row.magnitude)
                                   ? window->row.value
                                   : window->row.magnitude,
                               weight, rest, n);
        return;
    }
    for (int64_t k = -taps[i].halo; k <= taps[i].halo; k++) {
        const double sign = taps[i].odd && k < 0 ? -1 : 1;
        const double tap = sign * taps[i].taps[k < 0 ? -k : k];
        const double tap_rest = sign * taps[i].rests[k < 0 ? -k : k];
        const double product = product_of(weight, tap);
        const int64_t from = edge_index(taps[i].edge, place[axis] + k, job->shape[axis]);

        if (tap != 0)
            add_rows(window, taps, i + 1, place, address + max(from, 0) * job->src.strides[axis],
                     outside || from < 0, product,
                     fma(weight, tap, -product) + (weight * tap_rest + rest * tap));
    }
}

/* The sum of window->sum along the last filtered axis. */
static struct real add_columns(const struct array_window *window, const struct taps *taps)
{
    struct real total = {0, 0, 0};
    double lost;

    for (int64_t k = -taps->halo; k <= taps->halo; k++) {
        const int64_t x = k + taps->halo;
        const double sign = taps->odd && k < 0 ? -1 : 1;
        const double tap = sign * taps->taps[k < 0 ? -k : k];
        const double tap_rest = sign * taps->rests[k < 0 ? -k : k];
        const double value = window->sum.value[x], product = product_of(tap, value);

        if (tap == 0)
            continue;
        total.rest += fma(tap, value, -product) + (tap * window->sum.rest[x] + tap_rest * value);
        total.value = sum_of(total.value, product, &lost);
        total.rest += lost;
        total.magnitude += fabs(tap) * window->sum.magnitude[x];
    }
    return total;
}

/* |rest| becomes small beside |value|. */
static struct real normalized(struct real number)
{
    double rest;

    number.value = sum_of(number.value, number.rest, &rest);
    number.rest = rest;
    return number;
}

struct real array_estimate(const struct array_window *window, const int64_t *place)
{
    const struct array_job *job = window->job;
    const bool squares = job->combination == ARRAY_MAGNITUDE;
    const size_t bytes = (size_t)array_window_length(job) * sizeof(double);
    struct real total = {0, 0, 0};

    memset(window->row.value, 0, bytes);
    for (int t = 0; t < job->terms; t++) {
        memset(window->sum.value, 0, bytes);
        memset(window->sum.rest, 0, bytes);
        memset(window->sum.magnitude, 0, bytes);
        add_rows(window, window->taps[t], 0, place, exact_origin(job, place), false, 1, 0);
        total = combine_add(total, add_columns(window, &window->taps[t][job->filtered - 1]),
                            squares, true);
    }
    return normalized(squares ? combine_root(total, true) : total);
}
