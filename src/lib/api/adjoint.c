/* SPDX-License-Identifier: MIT */
/* The transpose of a filter (adjoint.h) along an axis of n samples. r is the filter's radius; w(k),
 * for k in -r..r, are its weights in reverse order. In the table, "w, reflect" is the filter with
 * the weights w and the edge rule "reflect". With the edge rule "zero" a filter reads zeros outside
 * of the array.
 *
 *     edge       result          filters, the sum of which is the result
 *     constant   all             w, zero
 *     wrap       all             w, wrap
 *     reflect    all             w, reflect                             (even orders)
 *                                -w, reflect; 2 v, zero                 (odd orders)
 *     nearest    0               weights w(k) + ... + w(r) at distance k >= 0, zero
 *                1..n-2          w, zero
 *                n-1             weights w(-k) + ... + w(-r) at distance k >= 0, zero
 *     mirror     0, n-1          v, zero
 *                1..n-2          w, mirror; u, nearest; -u, zero        (even orders)
 *                                -w, mirror; -u, nearest; u + 2 v, zero (odd orders)
 *
 * v(k): the sum of w(k + j p) over all integers j, for |k| < n, else 0. p is the period of the edge
 * rule: 2 n for reflect, 2 n - 2 for mirror. If n > r + 1, v is w.
 *
 * u(0) = 0, u(k) = v(k - 1) - v(k): with the weights u, the difference of the filters "nearest" and
 * "zero" is, at result i, the first sample times v(i) plus the last one times v(n - 1 - i). This
 * difference is needed since mirror takes the first and the last sample once, but its transpose
 * takes them twice. */
#include "src/lib/api/adjoint.h"

#include "kernels/common/numbers.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SUMS 3  /* the greatest result of adjoint_sums() */
#define MOST_ZONES 5 /* the greatest number of zones of an axis */

int adjoint_sums(enum edge edge, bool odd)
{
    return edge == EDGE_MIRROR ? 3 : edge == EDGE_REFLECT && odd ? 2 : 1;
}

bool adjoint_has_parts(enum edge edge, bool odd)
{
    return edge == EDGE_CLAMP || adjoint_sums(edge, odd) > 1;
}

/* --- Zones of an axis. In a zone all results are computed by the same filters. */

enum zone {
    ALL,
    FIRST, /* result 0 */
    NEAR,  /* the filter may reach over an end */
    INNER, /* the filter reaches over no end, or reads zeros there */
    LAST   /* result n - 1 */
};

struct zones {
    int count;
    enum zone zone[MOST_ZONES];
    int64_t begin[MOST_ZONES + 1]; /* zone i: results begin[i]..begin[i + 1] - 1 */
};

static void add_zone(struct zones *zones, enum zone zone, int64_t end)
{
    if (end <= zones->begin[zones->count])
        return;
    zones->zone[zones->count++] = zone;
    zones->begin[zones->count] = end;
}

/* Divides filtered axis i, which has n samples, into zones. With the edge rule "mirror", job->halo
 * is the radius plus 1: at a distance of the radius from an end, the end's sample still counts
 * twice. */
static struct zones zones_of(const struct array_job *job, const struct array_taps *taps, int i,
                             int64_t n)
{
    const int64_t halo = job->halo[i];
    struct zones zones = {0};
    bool parts = false, ends = false, near = false;

    for (int t = 0; t < job->terms; t++) {
        const struct array_taps *one = &taps[t * job->filtered + i];

        parts |= adjoint_has_parts(one->edge, one->odd);
        ends |= one->edge == EDGE_CLAMP || one->edge == EDGE_MIRROR;
        near |= one->edge != EDGE_CLAMP && one->edge != EDGE_ZERO;
    }
    if (n == 1 || !parts) {
        add_zone(&zones, ALL, n);
        return zones;
    }
    add_zone(&zones, FIRST, ends);
    if (near && n > 2 * halo) {
        add_zone(&zones, NEAR, halo);
        add_zone(&zones, INNER, n - halo);
    }
    add_zone(&zones, near ? NEAR : INNER, n - ends);
    add_zone(&zones, LAST, n);
    return zones;
}

/* --- The filters whose sum is the transpose of one term along one axis, and their weights. */

static struct array_weight sum_of(struct array_weight a, struct array_weight b)
{
    if (a.negative == b.negative)
        return (struct array_weight){u128_add(a.magnitude, b.magnitude), a.negative};
    return u128_less(a.magnitude, b.magnitude)
               ? (struct array_weight){u128_subtract(b.magnitude, a.magnitude), b.negative}
               : (struct array_weight){u128_subtract(a.magnitude, b.magnitude), a.negative};
}

static struct array_weight negated(struct array_weight a, bool negate)
{
    a.negative ^= negate;
    return a;
}

/* A term along one axis, and the filters whose sum is its transpose in one zone. */
struct line {
    const struct array_taps *taps; /* the weights w */
    int64_t halo, n;
    struct array_weight *memory; /* halo + 1 weights for each filter */
    int count;
    struct array_taps sum[MOST_SUMS];
};

/* Adds a filter to the line's sum. Returns the filter's weights, which are set to 0, for the caller
 * to fill. */
static struct array_weight *add_filter(struct line *line, bool odd, enum edge edge)
{
    struct array_weight *weights = line->memory + line->count * (line->halo + 1);

    memset(weights, 0, (size_t)(line->halo + 1) * sizeof *weights);
    line->sum[line->count++] = (struct array_taps){weights, odd, edge};
    return weights;
}

static void add_itself(struct line *line, bool negate, enum edge edge)
{
    struct array_weight *weights = add_filter(line, line->taps->odd, edge);

    for (int64_t k = 0; k <= line->halo; k++)
        weights[k] = negated(line->taps->weights[k], negate);
}

/* Returns v(k), as defined at the top of this file, for k >= 0. */
static struct array_weight folded(const struct line *line, int64_t k)
{
    const int64_t period = 2 * (line->taps->edge == EDGE_MIRROR ? line->n - 1 : line->n);
    struct array_weight sum = {0};

    if (k >= line->n)
        return sum;
    for (int64_t at = k - (line->halo + k) / period * period; at <= line->halo; at += period)
        sum = sum_of(sum, array_tap_at(line->taps->weights, line->taps->odd, at));
    return sum;
}

/* Adds the filter with the weights v, which the top of this file defines. */
static void add_folded(struct line *line)
{
    struct array_weight *weights = add_filter(line, line->taps->odd, EDGE_ZERO);

    for (int64_t k = 0; k <= line->halo; k++)
        weights[k] = folded(line, k);
}

/* Adds the filter for the first or the last result with the edge rule "nearest". Its weight at
 * distance k from that end is the sum of w from k outwards: the filter reads the end's sample at
 * each index beyond the end, so all of these weights multiply that sample. */
static void add_end(struct line *line, bool last)
{
    struct array_weight *weights = add_filter(line, false, EDGE_ZERO), sum = {0};

    for (int64_t k = line->halo; k >= 0; k--)
        sum = weights[k] =
            sum_of(sum, array_tap_at(line->taps->weights, line->taps->odd, last ? -k : k));
}

/* Adds the filters that the table at the top of this file adds to w or -w. Their weights are 2 v
 * for reflect (odd orders), u and -u for mirror (even orders), -u and u + 2 v for mirror (odd
 * orders). */
static void add_corrections(struct line *line)
{
    const bool odd = line->taps->odd, mirror = line->taps->edge == EDGE_MIRROR;
    struct array_weight *nearest = mirror ? add_filter(line, odd, EDGE_CLAMP) : NULL;
    struct array_weight *zero = mirror || odd ? add_filter(line, odd, EDGE_ZERO) : NULL;

    for (int64_t k = 0; k <= line->halo && zero; k++) {
        const struct array_weight v = folded(line, k);

        if (odd)
            zero[k] = sum_of(v, v);
        if (mirror && k > 0) {
            const struct array_weight u = sum_of(folded(line, k - 1), negated(v, true));

            nearest[k] = negated(u, odd);
            zero[k] = sum_of(zero[k], negated(u, !odd));
        }
    }
}

/* Sets the line's filters: those whose sum is the transpose in this zone. */
static void fill_line(struct line *line, enum zone zone)
{
    const enum edge edge = line->taps->edge;
    const bool is_end = zone == FIRST || zone == LAST;

    line->count = 0;
    if (zone == ALL)
        add_itself(line, false, edge);
    else if (zone == INNER || (edge == EDGE_CLAMP && !is_end))
        add_itself(line, false, EDGE_ZERO);
    else if (edge == EDGE_CLAMP)
        add_end(line, zone == LAST);
    else if (edge == EDGE_MIRROR && is_end)
        add_folded(line);
    else {
        const bool turns = edge == EDGE_REFLECT || edge == EDGE_MIRROR;

        add_itself(line, turns && line->taps->odd, edge);
        if (turns)
            add_corrections(line);
    }
}

/* --- The parts of the result: a part is a zone along each filtered axis. */

struct parts {
    const struct arguments *asked;
    int64_t first[ARRAY_AXES], extent[ARRAY_AXES]; /* the results that the caller wants */
    struct zones zones[ARRAY_FILTERED];            /* zones[i]: along filtered axis i */
    /* zone[i]: index in zones[i] of the part's zone */
    int zone[ARRAY_FILTERED];
    struct line *lines; /* [t * filtered axes + i]: term t, axis i */
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
};

/* Sets the part's filter. A term's transpose is a product over the axes, and along each axis a sum
 * of filters. Multiplies this out to terms with one filter for each axis. */
static void fill_taps(struct parts *parts, struct smoothimg_filter *filter)
{
    const int filtered = filter->job.filtered, terms = filter->job.terms;
    struct array_taps *next = parts->taps;
    bool plain = terms == 1;

    for (int l = 0; l < terms * filtered; l++) {
        const int i = l % filtered;
        const enum zone zone = parts->zones[i].zone[parts->zone[i]];

        fill_line(&parts->lines[l], zone);
        plain = plain && (zone == ALL || zone == INNER);
    }
    filter->job.terms = 0;
    for (int t = 0; t < terms; t++) {
        const struct line *lines = &parts->lines[t * filtered];
        int sums[ARRAY_FILTERED] = {0}, i;

        do {
            for (i = 0; i < filtered; i++)
                *next++ = lines[i].sum[sums[i]];
            filter->job.terms++;
            for (i = filtered - 1; i >= 0 && ++sums[i] == lines[i].count; i--)
                sums[i] = 0;
        } while (i >= 0);
    }
    filter->taps[COARSE] = filter->taps[FINE] = parts->taps;
    /* If a variant (implementation) is chosen, only the engine of arrays, which accepts any array,
     * computes parts: the variant might refuse one part after others have been computed. */
    if (plain && !parts->asked->context->variant)
        filter->obstacle = filter_obstacle(filter);
}

/* Sets the range of results that the part has along an axis. `number` is the axis's index among the
 * filtered axes, or -1. Returns false if the caller wants none of these results. */
static bool clip(const struct parts *parts, int axis, int number, int64_t *first, int64_t *extent)
{
    int64_t begin = parts->first[axis], end = begin + parts->extent[axis];

    if (number >= 0) {
        const int64_t *zone = &parts->zones[number].begin[parts->zone[number]];

        begin = max(begin, zone[0]);
        end = min(end, zone[1]);
    }
    *first = begin;
    *extent = end - begin;
    return begin < end;
}

static enum status do_part(struct parts *parts, enum status (*function)(const struct arguments *))
{
    const struct arguments *asked = parts->asked;
    const struct smoothimg_array *whole = asked->dst;
    const int axes = whole->axes;
    struct smoothimg_filter filter = *asked->filter;
    int64_t first[ARRAY_AXES], shape[ARRAY_AXES], strides[ARRAY_AXES];
    int64_t next = sample_format((enum sample_type)whole->type).bytes, at = 0;
    struct smoothimg_array dst = *whole;
    struct arguments one = *asked;

    for (int a = axes - 1, i = filter.job.filtered - 1; a >= 0; a--) {
        const bool is_filtered = i >= 0 && filter.job.axis[i] == a;

        if (!clip(parts, a, is_filtered ? i : -1, &first[a], &shape[a]))
            return STATUS_OK;
        i -= is_filtered;
        strides[a] = whole->strides ? whole->strides[a] : next;
        next *= whole->shape[a];
        at += (first[a] - parts->first[a]) * strides[a];
    }
    filter.by_parts = false;
    filter.number = filter_next_number(); /* no other call can use the plan */
    fill_taps(parts, &filter);
    dst.data = (void *)((uintptr_t)whole->data + (uintptr_t)at);
    dst.shape = shape;
    dst.strides = strides;
    one.filter = &filter;
    one.dst = &dst;
    one.first = first;
    return function(&one);
}

/* Allocates the weights of all lines and, after them, the lines. */
static enum status make_lines(struct parts *parts, const struct array_taps *taps)
{
    const struct array_job *job = &parts->asked->filter->job;
    const int count = job->terms * job->filtered;
    struct array_weight *memory;
    int64_t weights = 0;

    for (int l = 0; l < count; l++)
        weights += MOST_SUMS * (job->halo[l % job->filtered] + 1);
    memory = malloc((size_t)weights * sizeof *memory + (size_t)count * sizeof *parts->lines);
    if (!memory)
        return fail(&parts->asked->context->error, STATUS_NO_MEMORY, "no memory for an adjoint");
    parts->lines = (struct line *)(memory + weights);
    for (int l = 0; l < count; l++) {
        const int64_t halo = job->halo[l % job->filtered];

        parts->lines[l] = (struct line){.taps = &taps[l],
                                        .halo = halo,
                                        .n = parts->asked->src->shape[job->axis[l % job->filtered]],
                                        .memory = memory};
        memory += MOST_SUMS * (halo + 1);
    }
    return STATUS_OK;
}

enum status adjoint_for_each_part(const struct arguments *asked,
                                  enum status (*function)(const struct arguments *asked))
{
    const struct array_job *job = &asked->filter->job;
    const struct smoothimg_array *src = asked->src, *dst = asked->dst;
    const int bits = array_weight_bits((enum sample_type)src->type, (enum sample_type)dst->type);
    const struct array_taps *taps = asked->filter->taps[bits == ARRAY_FINE_BITS ? FINE : COARSE];
    struct parts parts = {.asked = asked};
    enum status status = make_lines(&parts, taps);
    int i;

    if (status != STATUS_OK)
        return status;
    for (int a = 0; a < job->axes; a++) {
        parts.first[a] = asked->first ? asked->first[a] : 0;
        parts.extent[a] = dst->shape[a];
    }
    for (i = 0; i < job->filtered; i++)
        parts.zones[i] = zones_of(job, taps, i, src->shape[job->axis[i]]);
    do {
        status = do_part(&parts, function);
        for (i = job->filtered - 1; i >= 0 && ++parts.zone[i] == parts.zones[i].count; i--)
            parts.zone[i] = 0;
    } while (i >= 0 && status == STATUS_OK);
    free(parts.lines[0].memory);
    return status;
}
