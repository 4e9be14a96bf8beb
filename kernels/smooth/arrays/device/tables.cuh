/* SPDX-License-Identifier: MIT */
/* Tables in the device's memory: taps as doubles, nodes (planned sums of filtered inputs,
 * scheme.h), and the integer weights that exact sums read. Kernels write the tables from their own
 * arguments, so that a CUDA graph that captures the call holds a copy.
 *
 * A stage filters along one axis (scheme.h); its reach is its greatest halo. A number in two
 * doubles (double-double) is a value and a rest, the lower double. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_TABLES_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_TABLES_CUH

#include "kernels/common/launch.cuh"
#include "kernels/smooth/arrays/device/sums.cuh"
#include "kernels/smooth/arrays/scheme.h"
#include "kernels/common/numbers.h"

/* The addresses of the tables on the device. */
struct device_tables {
    /* The job's taps for exact sums. They point to weights that are on the device too. */
    const struct array_taps *taps;
    const struct device_taps *window; /* the same taps as doubles */
    struct device_node node[ARRAY_STAGES][ARRAY_FILTERED];
    /* The nodes of filter_plane(), which are sums down the columns: [0] if the kernel filters both
     * of the last axes, [1] if only the rows, [2] if neither. */
    const struct device_node *nodes[3];
    /* The roots, which are sums along the rows: [0] if the kernel filters the rows, [1] if not. */
    const struct device_node *roots[2];
};

/* The bytes that one launch writes. Every version of CUDA allows a kernel 4096 bytes of
 * arguments. */
struct parcel {
    char bytes[4064];
};

static __global__ void deliver(const __grid_constant__ parcel parcel, char *to, int count)
{
    for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
        to[i] = parcel.bytes[i];
}

struct sender {
    struct parcel parcel;
    int used;
    char *to; /* where the parcel goes; NULL: nothing is sent */
    char *at; /* address of the next byte; if `to` is NULL, the number of bytes so far */
    void *stream;
};

static void flush(struct sender *sender)
{
    if (sender->to && sender->used > 0)
        LAUNCH(deliver, dim3(1), dim3(256), 0, sender->stream, sender->parcel, sender->to,
               sender->used);
    if (sender->to)
        sender->to += sender->used;
    sender->used = 0;
}

static void send(struct sender *sender, const void *bytes, int64_t count)
{
    const char *from = static_cast<const char *>(bytes);

    sender->at += count;
    if (!sender->to)
        return;
    while (count > 0) {
        const int64_t now = min(count, (int64_t)sizeof sender->parcel.bytes - sender->used);

        memcpy(sender->parcel.bytes + sender->used, from, (size_t)now);
        sender->used += (int)now;
        from += now;
        count -= now;
        if (sender->used == (int)sizeof sender->parcel.bytes)
            flush(sender);
    }
}

/* Sends zeros until the address is a multiple of 16. Returns that address. */
static char *align(struct sender *sender)
{
    const char zeros[16] = {};

    send(sender, zeros, (int64_t)(-(uintptr_t)sender->at & 15));
    return sender->at;
}

/* Returns the tap of a set at distance `place` from the centre: the upper one of its two doubles,
 * or, if `rest`, the lower one. */
static double tap_at(const struct axis_taps *set, int64_t place, bool rest)
{
    const int64_t distance = place < 0 ? -place : place;
    double both[2] = {0, 0};

    if (distance <= set->halo && !(set->odd && place == 0))
        array_tap(set->bits, &set->weights[distance], &both[0], &both[1]);
    return (set->odd && place < 0 ? -1 : 1) * both[rest];
}

/* Returns the taps of a stage for a kernel whose template argument HALO is `halo`. */
static struct short_taps short_taps_of(const struct stage *stage, int halo)
{
    struct short_taps taps = {};

    for (int i = 0; i < stage->sets; i++)
        for (int k = 0; k <= 2 * halo; k++)
            taps.of_set[i][k] = tap_at(&stage->set[i], k - halo, false);
    return taps;
}

/* Sends a set's taps, or their lower doubles, from the centre outwards, and zeros after them.
 * Returns their address on the device. */
static const double *send_taps(struct sender *sender, const struct axis_taps *set, bool rests)
{
    const double *const there = reinterpret_cast<const double *>(align(sender));

    for (int64_t k = 0; k <= whole_steps(set->halo); k++) {
        const double tap = tap_at(set, k, rests);

        send(sender, &tap, sizeof tap);
    }
    return there;
}

static struct device_taps send_set(struct sender *sender, const struct axis_taps *set)
{
    const double *const taps = send_taps(sender, set, false);

    return {taps, send_taps(sender, set, true), (int)set->halo, set->odd};
}

static struct device_node send_node(struct sender *sender, const struct device_input *inputs,
                                    int count)
{
    struct device_node node = {};

    node.inputs = reinterpret_cast<const struct device_input *>(align(sender));
    node.count = count;

    send(sender, inputs, count * (int64_t)sizeof *inputs);
    return node;
}

/* Sends node n, a planned sum of filtered inputs, of stage s. sets: the stage's taps on the
 * device. */
static struct device_node send_node_of(struct sender *sender, const struct array_scheme *scheme,
                                       int s, int n, const struct device_taps *sets)
{
    const struct stage *stage = &scheme->stage[s];
    const struct node *node = &stage->node[n];
    struct device_input inputs[ARRAY_FILTERED];
    struct device_node sent;

    for (int i = 0; i < node->inputs; i++) {
        const struct input *input = &node->input[i];
        const struct node *from = s > 0 ? &scheme->stage[s - 1].node[input->node] : NULL;

        inputs[i].taps = sets[input->taps];
        inputs[i].set = (int16_t)input->taps;
        inputs[i].plane = (int16_t)input->node;
        inputs[i].edge = stage->set[input->taps].edge;
        inputs[i].gain = node->gain;
        for (int weight = 0; weight < 2; weight++) {
            array_outside(scheme->job, weight, &inputs[i].outside[weight],
                          &inputs[i].outside_rest[weight]);
            if (from) {
                inputs[i].outside[weight] = from->outside[weight];
                inputs[i].outside_rest[weight] = from->outside_rest[weight];
            }
        }
    }
    sent = send_node(sender, inputs, node->inputs);
    sent.row_edge = node->row_edge;
    for (int weight = 0; weight < 2; weight++) {
        sent.outside[weight] = node->outside[weight];
        sent.outside_rest[weight] = node->outside_rest[weight];
    }
    return sent;
}

/* Sends nodes that only copy planes of the previous stage. planes: indices of these planes; NULL:
 * 0..count-1. itself: a single tap of 1. like: nodes from which the new ones take their edge rules
 * and their values outside of the array; NULL: the new ones need none. gains: the gains of the new
 * nodes. */
static const struct device_node *send_planes(struct sender *sender, const uint8_t *planes,
                                             int count, const double *gains,
                                             const struct device_taps *itself,
                                             const struct device_node *like)
{
    struct device_node nodes[ARRAY_FILTERED];

    for (int i = 0; i < count; i++) {
        const struct device_input input = {
            *itself, 0, (int16_t)(planes ? planes[i] : i), EDGE_CLAMP, {}, {}, gains[i]};
        const struct device_node node = send_node(sender, &input, 1);

        nodes[i] = like ? like[i] : node;
        nodes[i].inputs = node.inputs;
        nodes[i].count = node.count;
    }

    const char *const there = align(sender);

    send(sender, nodes, count * (int64_t)sizeof *nodes);
    return reinterpret_cast<const struct device_node *>(there);
}

static void send_stages(struct sender *sender, const struct array_scheme *scheme,
                        struct device_tables *tables)
{
    const struct array_weight one = {u128_of(0, 1), false};
    const struct axis_taps as_it_is = {&one, 0,     false, EDGE_CLAMP, 0, NULL,
                                       NULL, false, true,  1,          1, 1};
    const struct device_taps itself = send_set(sender, &as_it_is);
    const int last = scheme->last;
    const struct device_node *const before = tables->node[last - 1], *const rows =
                                                                         tables->node[last];
    const struct array_job *job = scheme->job;
    const int nodes = scheme->stage[last - 1].nodes;
    struct device_node roots[ARRAY_FILTERED];
    double of_nodes[ARRAY_FILTERED], of_roots[ARRAY_FILTERED]; /* gains (scheme.h) */
    struct device_taps window[ARRAY_FILTERED * ARRAY_FILTERED];

    for (int s = 0; s <= last; s++) {
        struct device_taps sets[ARRAY_FILTERED];

        for (int i = 0; i < scheme->stage[s].sets; i++)
            sets[i] = send_set(sender, &scheme->stage[s].set[i]);
        for (int n = 0; n < scheme->stage[s].nodes; n++)
            tables->node[s][n] = send_node_of(sender, scheme, s, n, sets);
        for (int t = 0; t < job->terms && scheme->stage[s].filtered >= 0; t++)
            window[t * job->filtered + scheme->stage[s].filtered] = sets[scheme->set_of[t][s]];
    }
    tables->window = reinterpret_cast<const struct device_taps *>(align(sender));
    send(sender, window, job->terms * job->filtered * (int64_t)sizeof *window);
    for (int n = 0; n < nodes; n++)
        of_nodes[n] = scheme->stage[last - 1].node[n].gain;
    for (int r = 0; r < scheme->roots; r++) {
        roots[r] = rows[scheme->root[r]];
        of_roots[r] = scheme->stage[last].node[scheme->root[r]].gain;
    }
    tables->nodes[0] = reinterpret_cast<const struct device_node *>(align(sender));
    send(sender, before, nodes * (int64_t)sizeof *before);
    tables->nodes[1] = send_planes(sender, NULL, nodes, of_nodes, &itself, before);
    tables->nodes[2] = send_planes(sender, scheme->root, scheme->roots, of_roots, &itself, NULL);
    tables->roots[0] = reinterpret_cast<const struct device_node *>(align(sender));
    send(sender, roots, scheme->roots * (int64_t)sizeof *roots);
    tables->roots[1] = send_planes(sender, NULL, scheme->roots, of_roots, &itself, NULL);
}

/* Sends the tables that exact sums read: the job's taps and their weights, as integers. */
static void send_definition(struct sender *sender, const struct array_job *job,
                            struct device_tables *tables)
{
    const struct array_weight one = {u128_shift_left(u128_of(0, 1), (unsigned)job->bits), false};
    const int rows = job->terms * max(job->filtered, 1);
    const struct array_weight *weights[ARRAY_FILTERED * ARRAY_FILTERED];

    for (int i = 0; i < rows; i++) {
        const bool filters = job->filtered > 0;

        weights[i] = reinterpret_cast<const struct array_weight *>(align(sender));
        send(sender, filters ? job->taps[i].weights : &one,
             (filters ? job->halo[i % job->filtered] + 1 : 1) * (int64_t)sizeof one);
    }
    tables->taps = reinterpret_cast<const struct array_taps *>(align(sender));
    for (int i = 0; i < rows; i++) {
        struct array_taps taps = {weights[i], false, EDGE_CLAMP};

        if (job->filtered > 0)
            taps = {weights[i], job->taps[i].odd, job->taps[i].edge};
        send(sender, &taps, sizeof taps);
    }
}

/* Enqueues writes of the tables to `to`, sets *tables to their addresses, and returns their size in
 * bytes. If `to` is NULL, enqueues nothing and only returns the size; then `tables` may be NULL. */
static int64_t device_tables_send(const struct array_scheme *scheme, char *to,
                                  struct device_tables *tables, void *stream)
{
    struct sender sender = {{}, 0, to, to, stream};
    struct device_tables unused;

    send_stages(&sender, scheme, tables ? tables : &unused);
    send_definition(&sender, scheme->job, tables ? tables : &unused);
    align(&sender);
    flush(&sender);
    return sender.at - to;
}

#endif
