/* SPDX-License-Identifier: MIT */
/* Plans the passes of a job: stages, nodes and terms are defined in scheme.h. */
#include "kernels/smooth/arrays/scheme.h"

#include "kernels/smooth/arrays/combine.h"
#include "kernels/smooth/arrays/layout.h"
#include "kernels/common/numbers.h"

#include <math.h>
#include <string.h>

/* --- The stages, one for each filtered axis. */

static void add_stage(const struct array_job *job, int axis, struct array_scheme *scheme)
{
    struct stage *stage = &scheme->stage[++scheme->last];

    stage->axis = axis;
    stage->filtered = axis < 0 ? -1 : array_filtered_index(job, axis);
    stage->length = stage->extent = 1;
    stage->first = stage->from_stride = stage->to_stride = 0;
    if (axis < 0)
        return;
    stage->length = job->shape[axis];
    stage->first = job->first[axis];
    stage->extent = job->extent[axis];
    stage->from_stride = job->src.strides[axis];
    stage->to_stride = job->dst.strides[axis];
}

/* Sets the stages: one for each filtered axis, in the order of the axes, and the row's stage last.
 * If no axis but the row's is filtered, a first stage for the outermost axis, which only copies, is
 * added. */
static void set_stages(const struct array_job *job, struct array_scheme *scheme)
{
    const int last = job->axes - 1;
    const bool has_alpha = job->weighing == ARRAY_BY_ALPHA,
               drops_nan = job->weighing == ARRAY_WITHOUT_NAN;
    const bool is_pixel =
        has_alpha ||
        (last > 0 && array_filtered_index(job, last) < 0 && job->extent[last] == job->shape[last] &&
         job->shape[last] <= ARRAY_PIXEL && array_filtered_index(job, last - 1) >= 0);
    const int row = is_pixel ? last - 1 : last;

    scheme->last = -1;
    for (int i = 0; i < job->filtered; i++)
        if (job->axis[i] != row)
            add_stage(job, job->axis[i], scheme);
    if (scheme->last < 0)
        add_stage(job, row > 0 ? 0 : -1, scheme);
    add_stage(job, row, scheme);
    scheme->pixel.axis = is_pixel ? last : -1;
    scheme->pixel.samples = is_pixel ? job->shape[last] : 1;
    scheme->pixel.numbers = scheme->pixel.samples * (drops_nan ? 2 : 1);
    scheme->pixel.group = has_alpha ? scheme->pixel.samples : drops_nan ? 2 : 0;
    scheme->pixel.stride = job->src.strides[last];
    scheme->pixel.to_stride = job->dst.strides[last];
    scheme->batches = 0;
    for (int axis = 0; axis < job->axes; axis++) {
        bool is_used = axis == scheme->pixel.axis;

        for (int s = 0; s <= scheme->last; s++)
            is_used = is_used || scheme->stage[s].axis == axis;
        if (!is_used)
            scheme->batch_axis[scheme->batches++] = axis;
    }
}

/* --- The sets of taps of each stage: terms with the same taps share a set. */

static bool same_weights(const struct array_taps *a, const struct array_taps *b, int64_t halo)
{
    bool same = a->edge == b->edge && a->odd == b->odd;

    for (int64_t k = 0; k <= halo && same; k++)
        same = a->weights[k].negative == b->weights[k].negative &&
               u128_low(a->weights[k].magnitude) == u128_low(b->weights[k].magnitude) &&
               u128_high(a->weights[k].magnitude) == u128_high(b->weights[k].magnitude);
    return same;
}

static void set_taps(const struct array_job *job, struct stage *stage,
                     const struct array_taps *taps, int64_t halo, bool writes, uintptr_t *memory,
                     struct axis_taps *set)
{
    int64_t count;
    double *both;

    while (halo > 0 && array_weight_is_zero(&taps->weights[halo]))
        halo--;
    *set = (struct axis_taps){.weights = taps->weights,
                              .halo = halo,
                              .odd = taps->odd,
                              .edge = taps->edge,
                              .bits = stage->filtered < 0 ? 0 : job->bits};
    count = 2 * (halo + TAPS_PAD) + 1;
    both = carve(memory, 2 * count * (int64_t)sizeof *both);
    if (!writes)
        return;
    memset(both, 0, 2 * (size_t)count * sizeof *both);
    set->taps = both + halo + TAPS_PAD;
    set->rests = set->taps + count;
    axis_taps_fill(set);
}

static void set_sets(const struct array_job *job, struct array_scheme *scheme, bool writes,
                     uintptr_t *memory)
{
    const struct array_taps itself = {&scheme->one, false, EDGE_CLAMP};

    scheme->one = (struct array_weight){u128_of(0, 1), false};
    for (int s = 0; s <= scheme->last; s++) {
        struct stage *stage = &scheme->stage[s];
        const int64_t halo = stage->filtered < 0 ? 0 : job->halo[stage->filtered];
        const struct array_taps *of_set[ARRAY_FILTERED];

        stage->sets = 0;
        stage->reach = 0;
        stage->edges = 0;
        for (int t = 0; t < job->terms; t++) {
            const struct array_taps *taps =
                stage->filtered < 0 ? &itself : &job->taps[t * job->filtered + stage->filtered];
            int i = 0;

            while (i < stage->sets && !same_weights(of_set[i], taps, halo))
                i++;
            scheme->set_of[t][s] = (uint8_t)i;
            if (i < stage->sets)
                continue;
            of_set[stage->sets++] = taps;
            set_taps(job, stage, taps, halo, writes, memory, &stage->set[i]);
            stage->reach = max(stage->reach, stage->set[i].halo);
            stage->edges |= 1u << taps->edge;
        }
    }
}

/* --- The nodes: which sums each stage makes, and from which sums of the stage before. */

static enum edge row_edge(const struct array_scheme *scheme, int term)
{
    return scheme->stage[scheme->last].set[scheme->set_of[term][scheme->last]].edge;
}

/* True if two terms (addends of the filter) have the same filters in stages 0 to s, and the same
 * edge rule along the row. */
static bool begin_alike(const struct array_scheme *scheme, int s, int a, int b)
{
    return memcmp(scheme->set_of[a], scheme->set_of[b], (size_t)s + 1) == 0 &&
           row_edge(scheme, a) == row_edge(scheme, b);
}

/* True if the sums of these two sets of terms, filtered by stages 0 to s, are the same. */
static bool are_alike(const struct array_scheme *scheme, int s, uint32_t a, uint32_t b)
{
    for (int t = 0; t < scheme->job->terms; t++) {
        int more = 0; /* how many more terms like t are in a than in b */

        for (int other = 0; other < scheme->job->terms && ((a | b) >> t & 1); other++)
            if (begin_alike(scheme, s, other, t))
                more += (int)(a >> other & 1) - (int)(b >> other & 1);
        if (more != 0)
            return false;
    }
    return true;
}

/* Returns the index of the node (array of sums) that is the sum of these terms, filtered by stages
 * 0 to s, and makes the node if it does not exist. The terms have the same filters in all later
 * stages. */
static int find_node(struct array_scheme *scheme, int s, uint32_t terms)
{
    struct stage *stage = &scheme->stage[s];
    struct node *node;
    int found = 0;

    while (found < stage->nodes && !are_alike(scheme, s, stage->node[found].terms, terms))
        found++;
    if (found < stage->nodes)
        return found;
    stage->nodes++;
    node = &stage->node[found];
    node->terms = terms;
    node->inputs = 0;
    node->results = 0;
    for (int t = 0; t < scheme->job->terms; t++) {
        uint32_t same = 0;

        if (!(terms >> t & 1))
            continue;
        node->row_edge = row_edge(scheme, t);
        for (int other = t; other < scheme->job->terms; other++)
            if ((terms >> other & 1) && (other == t || s > 0) &&
                scheme->set_of[other][s] == scheme->set_of[t][s])
                same |= 1u << other;
        terms &= ~same;
        node->input[node->inputs].taps = scheme->set_of[t][s];
        node->input[node->inputs++].node = (uint8_t)(s > 0 ? find_node(scheme, s - 1, same) : 0);
    }
    return found;
}

static void set_nodes(struct array_scheme *scheme)
{
    const int terms = scheme->job->terms;
    const uint32_t all = terms == 32 ? UINT32_MAX : (1u << terms) - 1;

    for (int s = 0; s <= scheme->last; s++)
        scheme->stage[s].nodes = 0;
    scheme->results = scheme->job->combination == ARRAY_APART ? terms : 1;
    scheme->roots = scheme->job->combination == ARRAY_SUM ? 1 : terms;
    for (int r = 0; r < scheme->roots; r++) {
        scheme->root[r] =
            (uint8_t)find_node(scheme, scheme->last, scheme->roots == 1 ? all : (uint32_t)1 << r);
        scheme->stage[scheme->last].node[scheme->root[r]].results |=
            (uint32_t)1 << (scheme->results > 1 ? r : 0);
    }
    for (int s = scheme->last; s > 0; s--)
        for (int n = 0; n < scheme->stage[s].nodes; n++) {
            const struct node *node = &scheme->stage[s].node[n];

            for (int i = 0; i < node->inputs; i++)
                scheme->stage[s - 1].node[node->input[i].node].results |= node->results;
        }
}

/* --- The error bounds (bounds.h). */

#define UNIT 0x1p-53 /* u in bounds.h */

/* Returns the least power of two above a number, which is positive. */
static double power_above(double number)
{
    int exponent;

    frexp(number, &exponent);
    return ldexp(1, exponent);
}

/* True if a sample, the value outside of the array, or a product of either with alpha may need more
 * bits than a double has. */
static bool rounds_samples(const struct array_scheme *scheme)
{
    const int bits = sample_format(scheme->job->src.type).significant_bits;
    const bool multiplies = scheme->job->weighing == ARRAY_BY_ALPHA;

    return (multiplies ? 2 * bits : bits) > 53 || scheme->job->outside_rest != 0 ||
           (multiplies && scheme->job->outside != 0);
}

/* Sets the bounds and gains of the stage's nodes, and the stage's gain. Adds what the stage
 * contributes to two sums of bounds.h: to *plain, which is R for plain samples (0 or at least
 * 2^-600), and to *wide, which is L for two doubles. before: the nodes that the stage reads. */
static void set_node_bounds(struct array_scheme *scheme, int s, const struct node *before,
                            double *plain, double *wide)
{
    struct stage *stage = &scheme->stage[s];
    double most = 0, most_wide = 0, gain = 0.5;

    for (struct node *node = stage->node; node < stage->node + stage->nodes; node++) {
        double lengths = 0, sum = 0;

        node->bound = (struct node_bound){0, 0};
        node->gain = 0;
        for (int i = 0; i < node->inputs; i++) {
            const struct axis_taps *taps = &stage->set[node->input[i].taps];
            const struct node *from = &before[node->input[i].node];
            const double halo = (double)taps->halo;
            const bool pairs = scheme->on_gpu && taps->halo > MOST_SHORT;
            /* C of bounds.h */
            const double partial = scheme->on_gpu      ? taps->on_gpu
                                   : s == scheme->last ? (halo + 2) * taps->sum
                                                       : taps->inwards + taps->sum;

            node->bound.size += taps->sum * from->bound.size;
            node->bound.error +=
                taps->sum * from->bound.error + (partial + 2 * taps->sum) * from->bound.size;
            node->gain += taps->sum * from->gain;
            most = fmax(most, (pairs ? halo : 2 * halo) + 4 + node->inputs);
            lengths += halo + 9;
            sum += taps->sum;
        }
        node->bound.error += (node->inputs - 1) * node->bound.size;
        node->gain = power_above(node->gain * (1 - 0x1p-30));
        most_wide = fmax(most_wide, lengths);
        gain = fmax(gain, sum - 0x1p-30);
    }
    stage->gain = fmax(power_above(gain), 1);
    *plain += most;
    *wide += most_wide;
}

void array_outside(const struct array_job *job, bool weight, double *value, double *rest)
{
    const bool has_alpha = job->weighing == ARRAY_BY_ALPHA;

    *value = weight && !has_alpha ? 1 : job->outside;
    *rest = weight && !has_alpha ? 0 : job->outside_rest;
    if (weight || !has_alpha)
        return;
    *rest = fma(job->outside, job->outside, -product_of(job->outside, job->outside)) +
            2 * job->outside * job->outside_rest;
    *value = product_of(job->outside, job->outside);
}

/* Sets the value that a node (an array of sums) has if all samples are equal to the value outside
 * of the array. before: the nodes that the stage reads. weight: for sums of weights. */
static void set_outside(const struct stage *stage, const struct node *before, bool weight,
                        struct node *node)
{
    double sum = 0, rest = 0, lost;

    for (int i = 0; i < node->inputs; i++) {
        const struct axis_taps *taps = &stage->set[node->input[i].taps];
        const struct node *from = &before[node->input[i].node];
        const double value = from->outside[weight], values_rest = from->outside_rest[weight];

        for (int64_t k = -taps->halo; k <= taps->halo; k++) {
            const double tap = taps->taps[k], product = product_of(tap, value);

            sum = sum_of(sum, product, &lost);
            rest += lost + fma(tap, value, -product) + (tap * values_rest + taps->rests[k] * value);
        }
    }
    node->outside[weight] = sum_of(sum, rest, &node->outside_rest[weight]);
}

/* Sets keeps_plain and `least`, which depend on the taps of all stages. */
static void set_products(struct array_scheme *scheme)
{
    struct scheme_bounds *const bounds = &scheme->bounds;

    bounds->keeps_plain = scheme->job->combination != ARRAY_MAGNITUDE;
    bounds->least = 1;
    for (int s = 0; s <= scheme->last; s++) {
        const struct axis_taps *const sets = scheme->stage[s].set;
        double least = INFINITY;

        for (int i = 0; i < scheme->stage[s].sets; i++) {
            bounds->keeps_plain = bounds->keeps_plain && !sets[i].negative;
            for (int64_t k = 0; k <= sets[i].halo; k++)
                if (sets[i].taps[k] != 0)
                    least = fmin(least, fabs(sets[i].taps[k]));
        }
        bounds->least *= least;
    }
}

/* Sets `size` and the bounds in units of the peak, of each result array. ends: for the rounding of
 * an interval's ends. */
static void set_peak_bounds(struct array_scheme *scheme, double ends)
{
    const struct node *const nodes = scheme->stage[scheme->last].node;
    struct scheme_bounds *const bounds = &scheme->bounds;
    const int of_result = scheme->roots / scheme->results;
    const int of_root = scheme->job->combination == ARRAY_MAGNITUDE ? of_result + 4 : 0;

    bounds->size = 0;
    for (int r = 0; r < scheme->results; r++) {
        double size = 0, error = 0;

        for (int i = 0; i < of_result; i++) {
            size += nodes[scheme->root[r * of_result + i]].bound.size;
            error += nodes[scheme->root[r * of_result + i]].bound.error;
        }
        bounds->size = fmax(bounds->size, size);
        bounds->per_peak[r] = 1.02 * (error + (ends + of_root) * size) * UNIT;
    }
}

static void set_bounds(struct array_scheme *scheme)
{
    const struct array_job *job = scheme->job;
    struct scheme_bounds *const bounds = &scheme->bounds;
    const struct sample_format from = sample_format(job->src.type);
    const bool to_float = sample_format(job->dst.type).is_float;
    const double ends = scheme->on_gpu ? 0 : 8; /* rounding of an interval's ends (bounds.h) */
    const bool has_alpha = job->weighing == ARRAY_BY_ALPHA;
    /* A sample times alpha is rounded too. */
    double plain = ends + has_alpha, wide = 8 + job->terms + has_alpha;
    double zeros = 1; /* bounds the ratio c of bounds.h */
    /* What the first stage reads. */
    struct node samples = {.bound = {1, !scheme->wide && scheme->has_rests}, .gain = 1};

    set_products(scheme);
    bounds->gains = 1;
    for (int weight = 0; weight < 2; weight++)
        array_outside(job, weight, &samples.outside[weight], &samples.outside_rest[weight]);
    for (int s = 0; s <= scheme->last; s++) {
        struct stage *const stage = &scheme->stage[s];
        const struct node *const before = s > 0 ? stage[-1].node : &samples;

        set_node_bounds(scheme, s, before, &plain, &wide);
        zeros *= 8 * (double)stage->reach + 12;
        bounds->gains *= stage->gain;
        scheme->keeps_bytes = scheme->keeps_bytes && stage->set[0].taps[0] != 0;
        for (int n = 0; n < stage->nodes; n++)
            for (int weight = 0; weight <= (scheme->pixel.group > 0); weight++)
                set_outside(stage, before, weight, &stage->node[n]);
    }
    set_peak_bounds(scheme, ends);
    bounds->relative = 1.02 * plain * UNIT;
    bounds->mean_relative = 2.01 * bounds->relative + 4 * UNIT;
    bounds->tiny = 0x1p-1050 * bounds->gains * job->terms;
    bounds->wide_relative = 4 * wide * wide * UNIT * UNIT * scheme->roots / scheme->results;
    bounds->proves_zeros = zeros <= 0x1p38;
    bounds->is_special =
        job->bits * job->filtered > ARRAY_MOST_BITS || job->filtered > ARRAY_MOST_AXES;
    bounds->scans = from.is_float || (to_float && (from.is_signed || !bounds->keeps_plain));
    bounds->peak = from.is_float ? INFINITY : ldexp(1, from.significant_bits);
}

static bool is_packed(const struct array_scheme *scheme, const struct array *array, int64_t stride,
                      int64_t sample_stride)
{
    const int64_t bytes = sample_format(array->type).bytes;

    return stride == scheme->pixel.samples * bytes &&
           (scheme->pixel.axis < 0 || sample_stride == bytes);
}

void array_make_scheme(const struct array_job *job, bool on_gpu, uintptr_t *memory,
                       struct array_scheme *scheme)
{
    const bool writes = *memory != 0;
    const struct stage *row;

    scheme->job = job;
    scheme->on_gpu = on_gpu;
    set_stages(job, scheme);
    row = &scheme->stage[scheme->last];
    scheme->has_rests = rounds_samples(scheme);
    scheme->packed = is_packed(scheme, &job->src, row->from_stride, scheme->pixel.stride);
    scheme->to_packed = is_packed(scheme, &job->dst, row->to_stride, scheme->pixel.to_stride);
    scheme->keeps_bytes = job->weighing == ARRAY_BY_ALPHA && scheme->packed && scheme->to_packed &&
                          job->src.type == job->dst.type && !sample_format(job->src.type).is_float;
    scheme->wide = sample_is_wide(job->dst.type);
    set_sets(job, scheme, writes, memory);
    set_nodes(scheme);
    if (writes)
        set_bounds(scheme);
}
