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

static void send_bytes(struct sender *sender, const void *bytes, int64_t count)
{
    const char *from = static_cast<const char *>(bytes);

    sender->at += count;
    while (sender->to && count > 0) {
        const int64_t now = min(count, (int64_t)sizeof sender->parcel.bytes - sender->used);

        memcpy(sender->parcel.bytes + sender->used, from, (size_t)now);
        sender->used += (int)now;
        from += now;
        count -= now;
        if (sender->used == (int)sizeof sender->parcel.bytes)
            flush(sender);
    }
}

/* Sends an array, to the next address that is a multiple of 16. Returns its address on the
 * device. */
template <class T> static const T *send(struct sender *sender, const T *items, int64_t count)
{
    const char zeros[16] = {};

    send_bytes(sender, zeros, (int64_t)(-(uintptr_t)sender->at & 15));

    const char *const there = sender->at;

    send_bytes(sender, items, count * (int64_t)sizeof *items);
    return reinterpret_cast<const T *>(there);
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

/* Sends a set's taps, and their lower doubles, from the centre outwards, and zeros after them. */
static struct device_taps send_set(struct sender *sender, const struct axis_taps *set)
{
    const int count = whole_steps(set->halo) + 1;
    double taps[2][MAX_HALO + STEPS];

    for (int k = 0; k < count; k++)
        for (int rest = 0; rest < 2; rest++)
            taps[rest][k] = tap_at(set, k, rest);
    return {send(sender, taps[0], count), send(sender, taps[1], count), (int)set->halo, set->odd};
}

/* Sends a node's inputs. Returns the node, with the edge rule and the values outside of `node`, the
 * scheme's node. */
static struct device_node send_node(struct sender *sender, const struct node *node,
                                    const struct device_input *inputs, int count)
{
    return {send(sender, inputs, count),
            count,
            node->row_edge,
            {node->outside[0], node->outside[1]},
            {node->outside_rest[0], node->outside_rest[1]}};
}

/* Sends the inputs of node n of stage s, and returns the node. sets: the stage's taps on the
 * device. */
static struct device_node send_node_of(struct sender *sender, const struct array_scheme *scheme,
                                       int s, int n, const struct device_taps *sets)
{
    const struct stage *stage = &scheme->stage[s];
    const struct node *node = &stage->node[n];
    struct device_input inputs[ARRAY_FILTERED];

    for (int i = 0; i < node->inputs; i++) {
        const int set = node->input[i].taps, plane = node->input[i].node;

        inputs[i] = {sets[set], (int16_t)set, (int16_t)plane, stage->set[set].edge,
                     {},        {},           node->gain};
        for (int weight = 0; weight < 2; weight++)
            array_outside(scheme->job, weight, &inputs[i].outside[weight],
                          &inputs[i].outside_rest[weight]);
        if (s > 0) {
            const struct node *from = &scheme->stage[s - 1].node[plane];

            memcpy(inputs[i].outside, from->outside, sizeof from->outside);
            memcpy(inputs[i].outside_rest, from->outside_rest, sizeof from->outside_rest);
        }
    }
    return send_node(sender, node, inputs, node->inputs);
}

/* Sends nodes that only copy. Node i copies plane planes[i] (plane i if `planes` is NULL), and has
 * the edge rule and the values outside of nodes[i]. itself: a single tap of 1. */
static const struct device_node *send_copies(struct sender *sender, const struct node *const *nodes,
                                             const uint8_t *planes, int count,
                                             const struct device_taps *itself)
{
    struct device_node copies[ARRAY_FILTERED];

    for (int i = 0; i < count; i++) {
        const struct device_input input = {
            *itself, 0, (int16_t)(planes ? planes[i] : i), EDGE_CLAMP, {}, {}, nodes[i]->gain};

        copies[i] = send_node(sender, nodes[i], &input, 1);
    }
    return send(sender, copies, count);
}

static void send_stages(struct sender *sender, const struct array_scheme *scheme,
                        struct device_tables *tables)
{
    const struct array_weight one = {u128_of(0, 1), false};
    const struct axis_taps as_it_is = {&one, 0,     false, EDGE_CLAMP, 0, NULL,
                                       NULL, false, true,  1,          1, 1};
    const struct device_taps itself = send_set(sender, &as_it_is);
    const int last = scheme->last, nodes = scheme->stage[last - 1].nodes;
    const struct array_job *job = scheme->job;
    const struct node *columns[ARRAY_FILTERED], *rows[ARRAY_FILTERED];
    struct device_node roots[ARRAY_FILTERED];
    struct device_taps window[ARRAY_FILTERED * ARRAY_FILTERED];

    for (int s = 0; s <= last; s++) {
        const struct stage *stage = &scheme->stage[s];
        struct device_taps sets[ARRAY_FILTERED];

        for (int i = 0; i < stage->sets; i++)
            sets[i] = send_set(sender, &stage->set[i]);
        for (int n = 0; n < stage->nodes; n++)
            tables->node[s][n] = send_node_of(sender, scheme, s, n, sets);
        for (int t = 0; t < job->terms && stage->filtered >= 0; t++)
            window[t * job->filtered + stage->filtered] = sets[scheme->set_of[t][s]];
    }
    for (int n = 0; n < nodes; n++)
        columns[n] = &scheme->stage[last - 1].node[n];
    for (int r = 0; r < scheme->roots; r++) {
        rows[r] = &scheme->stage[last].node[scheme->root[r]];
        roots[r] = tables->node[last][scheme->root[r]];
    }
    tables->window = send(sender, window, (int64_t)job->terms * job->filtered);
    tables->nodes[0] = send(sender, tables->node[last - 1], nodes);
    tables->nodes[1] = send_copies(sender, columns, NULL, nodes, &itself);
    tables->nodes[2] = send_copies(sender, rows, scheme->root, scheme->roots, &itself);
    tables->roots[0] = send(sender, roots, scheme->roots);
    tables->roots[1] = send_copies(sender, rows, NULL, scheme->roots, &itself);
}

/* Sends the tables that exact sums read: the job's taps and their weights, as integers. */
static void send_definition(struct sender *sender, const struct array_job *job,
                            struct device_tables *tables)
{
    const struct array_weight one = {u128_shift_left(u128_of(0, 1), (unsigned)job->bits), false};
    const bool filters = job->filtered > 0;
    const int rows = job->terms * max(job->filtered, 1);
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];

    for (int i = 0; i < rows; i++) {
        taps[i] = filters ? job->taps[i] : array_taps{&one, false, EDGE_CLAMP};
        taps[i].weights =
            send(sender, taps[i].weights, filters ? job->halo[i % job->filtered] + 1 : 1);
    }
    tables->taps = send(sender, taps, rows);
}

/* Enqueues writes of the tables to `to`, sets *tables to their addresses, and returns their size in
 * bytes. If `to` is NULL, enqueues nothing and only returns the size; then the addresses in *tables
 * are of no use. */
static int64_t device_tables_send(const struct array_scheme *scheme, char *to,
                                  struct device_tables *tables, void *stream)
{
    struct sender sender = {{}, 0, to, to, stream};

    send_stages(&sender, scheme, tables);
    send_definition(&sender, scheme->job, tables);
    flush(&sender);
    return sender.at - to;
}

#endif
