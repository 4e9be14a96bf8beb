/* SPDX-License-Identifier: MIT */
/* The engine that filters arrays on a GPU, by the passes that scheme.h plans. The passes along one
 * axis form a stage. filter_axis() runs the first stages. filter_plane() runs the others, at most
 * the last two, and rounds to samples. The result is computed box after box: a box is a part of the
 * result whose intermediate planes fit into scratch memory. Boxes are cut only along the axes up to
 * the first filtered one, so that nothing is computed twice.
 *
 * Every estimate has an error bound. A sample is unresolved (`open` in the code) while no bound
 * proves its rounding. If many samples are unresolved, the passes run once more, in two doubles
 * (double-double): the second level. Samples that are still unresolved are summed window by window,
 * in two doubles and, if need be, exactly. The device itself decides whether many are unresolved,
 * so that a call only enqueues kernels.
 *
 * Other terms, which pass.h defines: a plane is a buffer of doubles; a peak is a bound on the
 * magnitudes of some samples; a tile is what a block of filter_plane() computes at a time. */
#include "kernels/smooth/arrays/device/plane.cuh"
#include "kernels/smooth/arrays/device/repair.cuh"
#include "kernels/smooth/arrays/device/tables.cuh"
#include "kernels/smooth/arrays/device/engine.h"
#include "kernels/smooth/arrays/images.h"
#include "kernels/smooth/arrays/layout.h"
#include "kernels/common/numbers.h"

#include <stdlib.h>

/* BOX_BYTES: the greatest size of the planes and peaks of a box, unless the smallest box needs
 * more. MANY_SAMPLES: if the result has at least this many samples, a block may sum a tile's rows
 * in several turns (fit_turns()). */
#define BOX_BYTES (IS_EMULATED ? (int64_t)20000 : (int64_t)512 << 20)
#define MANY_SAMPLES (IS_EMULATED ? (int64_t)1000 : (int64_t)8 << 20)
/* repair_array() is launched with one block for every so many samples of the result, but with at
 * most REPAIR_BLOCKS blocks for each multiprocessor. */
#define SAMPLES_OF_A_REPAIR_BLOCK 256
/* The greatest halo with which filter_plane() filters down the columns. For longer halos
 * filter_axis() does so. */
#define MOST_DOWN 48
/* Greatest grid size, in blocks for each multiprocessor, of kernels that may have no work. */
#define BLOCKS_OF_A_PROCESSOR 8
/* If a pixel has more values than this, no pass runs, and each window is summed by itself
 * (windows_only in engine.h). */
#define MOST_WEIGHED 64

/* The addresses of the parts of scratch. */
struct device_layout {
    char *tables;
    unsigned long long *counts; /* enum device_count; `open` follows them in memory */
    uint32_t *open;
    uint64_t *words; /* memory for exact sums */
    char *planes;
};

/* --- How much memory the planes of a box take, and how large a box may be. */

/* Returns the first stage that needs a pass: stage 1 if stage 0 filters no axis. */
static int first_stage(const struct array_scheme *scheme)
{
    return scheme->stage[0].filtered < 0 ? 1 : 0;
}

static bool reads_samples(const struct array_scheme *scheme, int stage)
{
    return stage <= first_stage(scheme);
}

/* Describes the plane that a stage reads: its extents and strides. Sets *numbers to how many
 * numbers the plane has. Along an axis that this stage or a later one filters, the plane has the
 * source's positions, along the other axes those of `box`, a part of the job. */
static struct device_array plane_before(const struct array_scheme *scheme,
                                        const struct array_job *box, int stage, int64_t *numbers)
{
    struct device_array plane = {NULL, box->axes, {}, {}};

    *numbers = scheme->pixel.numbers /
               scheme->pixel.samples; /* 2 if each sample has a weight of its own */
    for (int axis = plane.axes - 1; axis >= 0; axis--) {
        plane.extent[axis] = box->extent[axis];
        for (int s = stage; s <= scheme->last; s++)
            if (scheme->stage[s].axis == axis && scheme->stage[s].filtered >= 0)
                plane.extent[axis] = box->shape[axis];
        /* Each position along this axis begins with a new strip of STRIP values: a strip has one
         * peak. */
        if (stage > 0 && axis == scheme->stage[stage - 1].axis)
            *numbers = round_up(*numbers, STRIP);
        plane.stride[axis] = *numbers * (int64_t)sizeof(double);
        *numbers *= plane.extent[axis];
    }
    return plane;
}

/* Sets the sizes and the offsets of planes and peaks in *level, for the box. A stage reads only
 * what the stage before it has written, so two buffers take turns. */
static void measure_planes(const struct array_scheme *scheme, const struct array_job *box,
                           struct level_plan *level)
{
    const int64_t number = (int64_t)sizeof(double) * (level->wide ? 2 : 1);
    uintptr_t bytes = 0;

    memset(level->buffers, 0, sizeof level->buffers);
    for (int s = first_stage(scheme); s < level->plane.passes; s++) {
        struct plane_buffer *buffer = &level->buffers[s % 2];
        int64_t numbers;

        plane_before(scheme, box, s + 1, &numbers);
        buffer->numbers = max(buffer->numbers, numbers);
        buffer->nodes = max(buffer->nodes, scheme->stage[s].nodes);
    }
    for (struct plane_buffer &buffer : level->buffers) {
        buffer.planes = (uintptr_t)carve(&bytes, buffer.numbers * buffer.nodes * number);
        buffer.peaks =
            (uintptr_t)carve(&bytes, buffer.numbers / STRIP * (int64_t)sizeof(device_peak));
    }
    level->bytes = (int64_t)bytes;
}

/* Sets level->box, the greatest extents of a box: one position along the first axes, some along the
 * next axis, and all along those after it. */
static void choose_box(const struct array_scheme *scheme, struct level_plan *level)
{
    const struct array_job *job = scheme->job;
    const int last = job->filtered > 0 ? job->axis[0] : job->axes - 1;
    struct array_job box = *job;

    measure_planes(scheme, &box, level);
    for (int cut = 0; cut <= last && level->bytes > BOX_BYTES; cut++) {
        box.extent[cut] = 1;
        measure_planes(scheme, &box, level);
        box.extent[cut] = max(BOX_BYTES / level->bytes, (int64_t)1);
        if (box.extent[cut] > GROUP)
            box.extent[cut] = box.extent[cut] / GROUP * GROUP;
        measure_planes(scheme, &box, level);
    }
    memcpy(level->box, box.extent, sizeof level->box);
}

/* --- The kernels and the tiles of filter_plane() that take the least time. */

/* Returns the halo with which a kernel filters a stage's axis. halo: the kernel's template argument
 * HALO; 0: the kernel takes any halo. */
static int halo_of(const struct stage *stage, int halo)
{
    return halo > 0 ? halo : whole_steps(stage->reach);
}

/* Returns the halo with which filter_plane() filters along the axis of stage s, or 0 if it does not
 * filter along that axis. */
static int plane_halo(const struct array_scheme *scheme, const struct plane_plan *plan, int s)
{
    return plan->passes > s ? 0 : halo_of(&scheme->stage[s], plan->halo);
}

static struct device_pixel pixel_of_scheme(const struct array_scheme *scheme)
{
    return {(int)scheme->pixel.samples, (int)scheme->pixel.numbers, (int)scheme->pixel.group,
            scheme->job->weighing == ARRAY_WITHOUT_NAN};
}

/* Sets the members of a pass of filter_plane() on which its shared memory depends. */
static void set_tile(const struct array_scheme *scheme, const struct plane_plan *plan,
                     struct plane_pass *pass)
{
    pass->along.halo = plane_halo(scheme, plan, scheme->last);
    pass->down.halo = plane_halo(scheme, plan, scheme->last - 1);
    pass->down.edges =
        plan->passes >= scheme->last ? 1u << EDGE_CLAMP : scheme->stage[scheme->last - 1].edges;
    pass->pixel = pixel_of_scheme(scheme);
    pass->tile = plan->tile;
    pass->rows = plan->rows * plan->turns;
    /* This pitch makes rows begin in different banks. */
    pass->pitch =
        (int)round_up(line_numbers(pass) * pass->pixel.numbers, 16) + (plan->rows > GROUP ? 1 : 2);
    pass->to_format = sample_format(scheme->job->dst.type);
}

/* Sets the width of a tile of plan->rows * plan->turns rows, and the number of threads. Returns
 * false if no tile fits into shared memory. */
static bool fit_tile(const struct array_scheme *scheme, bool wide, struct plane_plan *plan)
{
    const struct stage *row = &scheme->stage[scheme->last];
    const int numbers = (int)scheme->pixel.numbers, halo = plane_halo(scheme, plan, scheme->last);
    const int part = part_pixels(plan->rows);
    const int threads = threads_of(plan->rows);
    /* A tile whose rows are summed in several turns may take more than ALWAYS_SHARED_BYTES. A
     * multiprocessor must then have shared memory for as many blocks as it has registers for. CUDA
     * reserves 1 KiB for each block. */
    const int64_t most_bytes = plan->turns == 1
                                   ? ALWAYS_SHARED_BYTES
                                   : attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin) /
                                             blocks_of_processor(plan->rows) -
                                         1024;
    const int most = threads / plan->rows * part / numbers / part * part;
    const int reached = (threads / numbers - 2 * halo) / part * part;

    /* If a tile has several rows, makes it so narrow that each thread sums at most one column,
     * unless the tile would then have less than half of the greatest width. */
    plan->tile = plan->rows > 1 && reached >= most / 2 ? min(most, reached) : most;
    if (plan->tile == 0)
        return false;
    /* Narrows the tile, so that the tiles of a row have nearly equal widths. */
    plan->tile = (int)round_up(blocks_for(row->extent, blocks_for(row->extent, plan->tile)), part);
    for (; plan->tile > 0; plan->tile -= part) {
        struct plane_pass pass;

        set_tile(scheme, plan, &pass);
        plan->bytes = shared_bytes(&pass, wide);
        if (plan->bytes <= most_bytes) {
            const int parts = plan->tile / part * numbers * plan->rows;
            const int used = max(tile_pixels(&pass) * numbers, parts);

            plan->threads = (int)min((int64_t)threads, round_up(used, 32));
            return true;
        }
    }
    return false;
}

static int64_t samples_of(const struct array_job *job)
{
    int64_t samples = 1;

    for (int axis = 0; axis < job->axes; axis++)
        samples *= job->extent[axis];
    return samples;
}

static constexpr int short_halos[] = {4, MOST_SHORT}; /* halos that are template arguments */

/* Returns the least of short_halos that is at least `reach`; the taps beyond `reach` are 0. Returns
 * 0 if there is none, if the stage does not filter, or if it has too few positions along its axis
 * or too many sets of taps. */
static int short_halo(const struct stage *stage, int64_t reach)
{
    if (stage->filtered < 0 || stage->extent < 2 * GROUP || stage->sets > SHORT_SETS)
        return 0;
    for (int halo : short_halos)
        if (reach <= halo)
            return halo;
    return 0;
}

/* Chooses a tile that fits into shared memory; returns false if none does. Offsets are set up for
 * each tile, so fewer and larger tiles take less time. At the first level, tiles get MOST_TURNS
 * times as many rows if the result is large and has so many rows, a block sums several rows at a
 * time, and the tile does not become narrower. */
static bool fit_turns(const struct array_scheme *scheme, bool wide, struct plane_plan *plan)
{
    const int64_t extent = scheme->stage[scheme->last - 1].extent;
    struct plane_plan more;

    plan->turns = 1;
    if (!fit_tile(scheme, wide, plan))
        return false;
    more = *plan;
    more.turns = MOST_TURNS;
    if ((!wide || scheme->wide) && plan->rows > 1 && samples_of(scheme->job) >= MANY_SAMPLES &&
        extent >= more.turns * (int64_t)more.rows && fit_tile(scheme, wide, &more) &&
        more.tile == plan->tile)
        *plan = more;
    return true;
}

/* Plans filter_plane(), if possible with a template argument HALO that is at least the halos of
 * both axes, else for any halo. If the halo down the columns is too long, or no tile fits into
 * shared memory, filter_axis() filters down the columns too. If need be, filter_axis() also filters
 * along the rows. */
static void choose_plane(const struct array_scheme *scheme, bool wide, struct plane_plan *plan)
{
    const struct stage *down = &scheme->stage[scheme->last - 1];
    const struct stage *row = &scheme->stage[scheme->last];
    const bool has_few_rows = down->extent < 3;

    *plan = {};
    plan->passes = scheme->last - 1;
    plan->rows = scheme->pixel.group > 0 ? GROUP : 2 * GROUP;
    if (!wide && row->sets <= SHORT_SETS)
        plan->halo = short_halo(down, max(down->reach, row->reach));
    if (plan->halo > 0 && fit_turns(scheme, wide, plan))
        return;
    for (plan->halo = 0;; plan->passes++) {
        const int halo = plane_halo(scheme, plan, scheme->last - 1);

        plan->rows = GROUP;
        if (!has_few_rows && halo <= MOST_DOWN && fit_turns(scheme, wide, plan))
            return;
        plan->rows = 1;
        if ((halo == 0 || (has_few_rows && halo <= MOST_DOWN)) && fit_turns(scheme, wide, plan))
            return;
    }
}

/* axis_kernel() and plane_kernel() return the kernels for an input that FROM (load.cuh) describes.
 * halo: the kernel's template argument; 0: the kernel takes any halo. */
template <int FROM, bool WIDE> static auto axis_kernel(int halo)
{
    if constexpr (!WIDE && !IS_WEIGHED<FROM>) {
        if (halo == short_halos[0])
            return filter_axis<FROM, false, short_halos[0]>;
        if (halo == short_halos[1])
            return filter_axis<FROM, false, short_halos[1]>;
    }
    return filter_axis<FROM, WIDE, 0>;
}

template <int FROM, bool WIDE> static auto plane_kernel(const struct plane_plan *plan)
{
    constexpr int rows = IS_WEIGHED<FROM> ? GROUP : 2 * GROUP;

    if constexpr (!WIDE) {
        if (plan->halo == short_halos[0])
            return filter_plane<FROM, false, rows, short_halos[0]>;
        if (plan->halo == short_halos[1])
            return filter_plane<FROM, false, rows, short_halos[1]>;
    }
    return plan->rows > 1 ? filter_plane<FROM, WIDE, GROUP, 0> : filter_plane<FROM, WIDE, 1, 0>;
}

/* Returns choose.operator()<FROM, WIDE>(). FROM (load.cuh) describes the input: samples of `type`
 * or, if `samples` is false, doubles in scratch memory. WEIGHING: WEIGHED or 0. Only frequent types
 * have kernels of their own; the other types share a kernel that takes the type at run time. */
template <int WEIGHING, class Choose>
static auto for_weighing(bool samples, enum sample_type type, bool wide, const Choose &choose)
{
    if (!samples)
        return wide ? choose.template operator()<WEIGHING | SCRATCH, true>()
                    : choose.template operator()<WEIGHING | SCRATCH, false>();
    if (wide)
        return type == SAMPLE_F64 ? choose.template operator()<WEIGHING | SAMPLE_F64, true>()
                                  : choose.template operator()<WEIGHING | ANY_TYPE, true>();
    return type == SAMPLE_U8    ? choose.template operator()<WEIGHING | SAMPLE_U8, false>()
           : type == SAMPLE_U16 ? choose.template operator()<WEIGHING | SAMPLE_U16, false>()
           : type == SAMPLE_F32 ? choose.template operator()<WEIGHING | SAMPLE_F32, false>()
                                : choose.template operator()<WEIGHING | ANY_TYPE, false>();
}

template <class Choose>
static auto for_input(const struct array_scheme *scheme, int stage, bool wide, const Choose &choose)
{
    const bool samples = reads_samples(scheme, stage);
    const enum sample_type type = scheme->job->src.type;

    return scheme->pixel.group > 0 ? for_weighing<WEIGHED>(samples, type, wide, choose)
                                   : for_weighing<0>(samples, type, wide, choose);
}

/* Returns the template argument HALO of the kernel that filters a stage's axis. */
static int halo_of_kernel(const struct array_scheme *scheme, const struct stage *stage, bool wide)
{
    return wide || scheme->pixel.group > 0 ? 0 : short_halo(stage, stage->reach);
}

/* Returns the bytes of shared memory of filter_axis(): a table of offsets for each edge rule. */
static int64_t axis_bytes(const struct stage *stage, int halo)
{
    return (int64_t)count_bits(stage->edges) * axis_reads(halo_of(stage, halo), results_by(halo)) *
           (int64_t)sizeof(int64_t);
}

/* Returns whether a block's shared memory has room for the offsets of filter_axis(), whichever
 * stages it runs. On GPUs with 64 KiB or less it has not if terms have several edge rules and a
 * long halo. */
static bool has_room_for_offsets(const struct array_scheme *scheme)
{
    bool has_room = true;

    for (int s = 0; s <= scheme->last; s++)
        has_room = has_room && axis_bytes(&scheme->stage[s], 0) <= most_shared_bytes();
    return has_room;
}

/* Chooses the kernels of a level, and loads them. */
static void choose_kernels(const struct array_scheme *scheme, struct level_plan *level)
{
    const bool wide = level->wide;
    const struct plane_plan *plan = &level->plane;

    for (int s = first_stage(scheme); s < plan->passes; s++) {
        const int halo = halo_of_kernel(scheme, &scheme->stage[s], wide);

        level->filter[s] = for_input(
            scheme, s, wide, [&]<int FROM, bool WIDE>() { return axis_kernel<FROM, WIDE>(halo); });
        load_kernel((const void *)level->filter[s], axis_bytes(&scheme->stage[s], halo));
    }
    level->finish = for_input(scheme, plan->passes, wide, [&]<int FROM, bool WIDE>() {
        return plane_kernel<FROM, WIDE>(plan);
    });
    load_kernel((const void *)level->finish, plan->bytes);
}

/* --- The error bounds (bounds.h). */

/* Returns how many roots (sums of the last pass) make one result. */
static int roots_of_result(const struct array_scheme *scheme)
{
    return scheme->roots / scheme->results;
}

/* Returns the error bound of a result's sums in two doubles, divided by the peak, the bound on the
 * samples' magnitudes (bounds.h). `rest` is R in bounds.h; it begins with 2 for the two passes by
 * which filter_plane() may copy without filtering. The 64 are for the last operations. */
static double wide_per_peak(const struct array_scheme *scheme, int result)
{
    double rest = 2, rounded = 64, gains = 0;

    for (int s = 0; s <= scheme->last; s++)
        rest += 2 * (double)scheme->stage[s].reach + 3;
    for (int s = 0; s <= scheme->last; s++) {
        int inputs = 1;

        for (int n = 0; n < scheme->stage[s].nodes; n++)
            inputs = max(inputs, scheme->stage[s].node[n].inputs);
        rounded +=
            (2 * (double)scheme->stage[s].reach + 1) * (3 * rest + 1) + (8 + 4 * inputs) * rest;
    }
    for (int r = 0; r < roots_of_result(scheme); r++)
        gains += scheme->stage[scheme->last]
                     .node[scheme->root[result * roots_of_result(scheme) + r]]
                     .gain;
    return 1.02 * rounded * 0x1p-106 * 8 * gains;
}

static struct device_bound bound_of(const struct array_scheme *scheme, bool wide, int result)
{
    const struct array_job *job = scheme->job;
    const struct sample_format from = sample_format(job->src.type);
    /* The factor covers outside_rest, which is at most 2^-53 of `outside` in magnitude, and the
     * roundings of this product and of its square. */
    const double outside = fabs(job->outside) * (1 + 0x1p-50);
    /* Outside of the array, alpha has the same value as the other samples. So `square` is a sample
     * times its alpha. */
    const double square = job->outside * job->outside;
    const bool plain = real_is_plain(job->outside) &&
                       (job->weighing != ARRAY_BY_ALPHA || real_is_plain(square)) &&
                       (from.is_float || !from.is_signed);
    struct device_bound bound = {};

    bound.scans = wide || from.is_float;
    bound.peak = peak_from(
        array_loaded_peak(job, bound.scans ? outside : fmax(scheme->bounds.peak, outside)), plain);
    bound.per_peak = wide ? wide_per_peak(scheme, result) : scheme->bounds.per_peak[result];
    bound.relative = wide || !scheme->bounds.keeps_plain ? INFINITY : scheme->bounds.relative;
    if (scheme->bounds.is_special)
        bound.per_peak = bound.relative = INFINITY;
    bound.tiny = scheme->bounds.tiny + (wide ? wide_per_peak(scheme, result) * LEAST_SCALE : 0);
    bound.quotient = wide ? 0x1p-100 : 0x1p-51;
    bound.special_is_sure =
        from.is_float && job->weighing == ARRAY_ALIKE && job->combination != ARRAY_MAGNITUDE;
    bound.proves_zeros = !scheme->bounds.is_special && (!wide || scheme->bounds.proves_zeros);
    return bound;
}

/* --- The engine's state: the plan of each level, and where scratch memory holds what. */

static void set_level(const struct array_scheme *scheme, bool wide, struct level_plan *level)
{
    level->wide = wide;
    choose_plane(scheme, wide, &level->plane);
    choose_kernels(scheme, level);
    choose_box(scheme, level);
}

/* Returns how many words hold a bit for each sample of a result. */
static int64_t open_words(const struct device_state *state)
{
    return blocks_for(state->samples, 32);
}

/* Returns the bytes of `counts` and `open` in struct device_layout: the counters, and a bit for
 * each sample of each result. */
static int64_t open_bytes(const struct device_state *state)
{
    return COUNTS * (int64_t)sizeof(uint64_t) +
           state->scheme.results * open_words(state) * (int64_t)sizeof(uint32_t);
}

static struct device_layout layout_of(const struct device_state *state, void *scratch,
                                      int64_t *bytes)
{
    uintptr_t memory = (uintptr_t)scratch;
    struct device_layout layout;
    const int64_t planes = max(state->levels[LEVEL_FIRST].bytes, state->levels[LEVEL_SECOND].bytes);

    layout.tables = static_cast<char *>(carve(&memory, state->tables_bytes));
    layout.counts = static_cast<unsigned long long *>(carve(&memory, open_bytes(state)));
    layout.open = reinterpret_cast<uint32_t *>(layout.counts + COUNTS);
    layout.words = static_cast<uint64_t *>(
        carve(&memory, (int64_t)state->repair_blocks * EXACT_THREADS * EXACT_ARRAYS *
                           exact_prepare(&state->job).words * (int64_t)sizeof(uint64_t)));
    layout.planes = static_cast<char *>(carve(&memory, planes));
    *bytes = (int64_t)(memory - (uintptr_t)scratch);
    return layout;
}

/* Returns whether repair_array() can count the samples of a window in 64 bits. */
static bool counts_windows(const struct array_job *job)
{
    double samples = 1;

    for (int i = 0; i < job->filtered; i++)
        samples *= 2 * (double)job->halo[i] + 1;
    return samples < 0x1p62;
}

const char *array_device_make(const struct request *request, void *memory)
{
    struct device_state *state = static_cast<struct device_state *>(memory);
    const struct array_job *job = &state->job;
    struct device_tables unused;
    uintptr_t counted = 0, at;
    void *tables;

    if (request->arrays) {
        array_simplify(request->arrays, &state->job, state->taps);
    } else {
        image_weights_make(request, &state->images);
        state->job = image_job_largest(request, max(request->images, (int64_t)1), &state->images);
    }
    if (!counts_windows(job))
        return "its windows have 2^62 samples or more";
    array_make_scheme(job, true, &counted, &state->scheme);
    tables = aligned_alloc(64, max(counted, (uintptr_t)64));
    if (!tables)
        return NO_MEMORY_TO_MAKE;
    at = (uintptr_t)tables;
    array_make_scheme(job, true, &at, &state->scheme);
    free(tables);
    state->windows_only = state->scheme.pixel.numbers > MOST_WEIGHED || job->exact_only ||
                          !has_room_for_offsets(&state->scheme);
    memset(state->levels, 0, sizeof state->levels);
    if (!state->windows_only)
        set_level(&state->scheme, state->scheme.wide, &state->levels[LEVEL_FIRST]);
    if (!state->windows_only && !state->scheme.wide)
        set_level(&state->scheme, true, &state->levels[LEVEL_SECOND]);
    state->samples = samples_of(job);
    state->repair_blocks =
        (int)min(blocks_for(state->samples, SAMPLES_OF_A_REPAIR_BLOCK),
                 (int64_t)REPAIR_BLOCKS * attribute_of_device(cudaDevAttrMultiProcessorCount));
    load_kernel((const void *)deliver, 0);
    load_kernel((const void *)repair_array, 0);
    state->tables_bytes = device_tables_send(&state->scheme, NULL, &unused, NULL);
    layout_of(state, NULL, &state->bytes);
    return NULL;
}

size_t array_device_scratch_bytes(const struct request *, const void *state)
{
    return (size_t) static_cast<const struct device_state *>(state)->bytes;
}

/* --- The launches of filter_axis() and filter_plane() for one box. */

/* The state of one call of array_device_run(): `level` and `asks` change with the level, `job` and
 * first_sample with the box. */
struct call {
    const struct device_state *state;
    const struct array_scheme *scheme;
    struct array_job job; /* the job, or a box of it, with the addresses of its arrays */
    struct device_layout layout;
    struct device_tables tables;
    uint64_t most; /* results are clamped to at most this */
    void *stream;
    const struct level_plan *level;
    struct device_level asks; /* decides whether the kernels of this level have work */
    int64_t first_sample;     /* index, in the whole result, of the box's first sample */
};

static const struct plane_buffer *buffer_of(const struct call *call, int stage)
{
    return &call->level->buffers[stage % 2];
}

static double *plane_of(const struct call *call, int stage, int node)
{
    const struct plane_buffer *buffer = buffer_of(call, stage);

    return reinterpret_cast<double *>(call->layout.planes + buffer->planes) +
           node * buffer->numbers;
}

static device_peak *peaks_at(const struct call *call, int stage)
{
    return reinterpret_cast<device_peak *>(call->layout.planes + buffer_of(call, stage)->peaks);
}

/* Returns the array that a stage reads: the source, or a plane. */
static struct device_array array_of(const struct call *call, int stage)
{
    const struct array_job *job = &call->job;
    int64_t numbers;
    struct device_array array = plane_before(call->scheme, job, stage, &numbers);

    if (!reads_samples(call->scheme, stage)) {
        array.origin = reinterpret_cast<char *>(plane_of(call, stage - 1, 0));
        return array;
    }
    array.origin = static_cast<char *>(job->src.origin);
    for (int axis = 0; axis < job->axes; axis++) {
        array.stride[axis] = job->src.strides[axis];
        if (array_filtered_index(job, axis) < 0)
            array.origin += job->first[axis] * array.stride[axis];
    }
    return array;
}

/* Describes the values in the array that a stage reads. */
static struct device_numbers numbers_of(const struct call *call, int stage,
                                        const struct device_array *array)
{
    const struct plane_buffer *buffer = buffer_of(call, stage + 1);
    const int64_t plane = buffer->numbers * (int64_t)sizeof(double);

    return reads_samples(call->scheme, stage)
               ? device_numbers{array->origin, call->job.src.type, 0, 0}
               : device_numbers{array->origin, SAMPLE_F64, plane, plane * buffer->nodes};
}

/* Describes a stage's axis for a pass. array: the array that the pass reads. filters: true if the
 * pass filters along this axis, false if it only copies. halo: the kernel's template argument
 * HALO. */
static struct device_axis axis_of(const struct call *call, const struct device_array *array,
                                  int stage, bool filters, int halo)
{
    const struct stage *of = &call->scheme->stage[stage];
    struct device_axis axis = {1, 0, 1, 0, 0, 1u << EDGE_CLAMP};

    if (of->axis >= 0) {
        axis.length = array->extent[of->axis];
        axis.extent = call->job.extent[of->axis];
        axis.from = array->stride[of->axis];
    }
    if (filters && of->filtered >= 0)
        axis.first = call->job.first[of->axis];
    if (filters) {
        axis.halo = halo_of(of, halo);
        axis.edges = of->edges;
    }
    return axis;
}

/* Returns how many blocks a grid may have. A kernel of the second level gets few, since it may have
 * no work. */
static int64_t most_blocks(const struct device_level *level)
{
    return level->least > 0 ? (int64_t)BLOCKS_OF_A_PROCESSOR *
                                  attribute_of_device(cudaDevAttrMultiProcessorCount)
                            : INT32_MAX;
}

/* Filters along one axis, for all nodes of the stage. */
static void filter_stage(const struct call *call, int stage)
{
    const struct array_scheme *scheme = call->scheme;
    const struct stage *of = &scheme->stage[stage];
    const int halo = halo_of_kernel(scheme, of, call->level->wide), results = results_by(halo);
    const struct device_bound bound = bound_of(scheme, call->level->wide, 0);
    /* A pass in single doubles over samples measures only those that its node reads. Nodes differ
     * in their halos and edge rules, so each node joins its peaks to those of the nodes before. All
     * other passes find the peak of the samples that any node reads. */
    const bool each_measures = reads_samples(scheme, stage) && !call->level->wide;
    struct axis_pass pass = {};
    int64_t numbers;

    pass.level = call->asks;
    pass.source = array_of(call, stage);
    pass.from = numbers_of(call, stage, &pass.source);
    pass.axis = axis_of(call, &pass.source, stage, true, halo);
    if (halo > 0)
        pass.taps = short_taps_of(of, halo);
    pass.number = of->axis;
    pass.outer = 1;
    pass.inner = scheme->pixel.numbers / scheme->pixel.samples;
    for (int axis = 0; axis < call->job.axes; axis++)
        if (axis != of->axis)
            (axis < of->axis ? pass.outer : pass.inner) *= pass.source.extent[axis];
    pass.pitch = plane_before(scheme, &call->job, stage + 1, &numbers).stride[of->axis] /
                 (int64_t)sizeof(double);
    pass.pixel = pixel_of_scheme(scheme);
    if (!reads_samples(call->scheme, stage))
        pass.peaks_from = peaks_at(call, stage - 1);
    pass.peak = bound.peak;
    pass.to_rest = buffer_of(call, stage)->numbers * buffer_of(call, stage)->nodes;

    const int64_t columns = blocks_for(pass.outer * blocks_for(pass.inner, STRIP), AXIS_WARPS);
    const int64_t blocks = columns * blocks_for(pass.axis.extent, results);

    for (int n = 0; n < of->nodes; n++) {
        pass.to = plane_of(call, stage, n);
        pass.node = call->tables.node[stage][n];
        pass.peaks_to = bound.scans && (n == 0 || each_measures) ? peaks_at(call, stage) : NULL;
        pass.joins_peaks = n > 0;
        LAUNCH(call->level->filter[stage], dim3((unsigned)min(blocks, most_blocks(&pass.level))),
               dim3(STRIP, AXIS_WARPS), (size_t)axis_bytes(of, halo), call->stream, pass);
    }
}

/* Sets the steps from one result to the next, along the axes that filter_plane() filters and along
 * those that it does not. array: the array that the pass reads. */
static void set_steps(const struct call *call, const struct device_array *array,
                      struct plane_pass *pass)
{
    const struct array_scheme *scheme = call->scheme;
    const struct array_job *job = &call->job;
    const struct stage *down = &scheme->stage[scheme->last - 1];
    const struct stage *along = &scheme->stage[scheme->last];
    struct device_batch *batch = &pass->batch;
    int64_t number[ARRAY_AXES], stride = 1;

    for (int axis = job->axes - 1; axis >= 0; axis--) {
        number[axis] = stride;
        stride *= job->extent[axis];
    }
    pass->down_to = down->to_stride;
    pass->down_number = down->axis < 0 ? 0 : number[down->axis];
    pass->along_to = along->to_stride;
    pass->along_number = number[along->axis];
    pass->from_sample = array->stride[job->axes - 1];
    pass->to_sample = scheme->pixel.to_stride;
    batch->count = 1;
    for (int axis = 0; axis < job->axes; axis++) {
        const int i = batch->axes;

        if (axis == down->axis || axis == along->axis || axis == scheme->pixel.axis)
            continue;
        batch->extent[i] = job->extent[axis];
        batch->from[i] = array->stride[axis];
        batch->to[i] = job->dst.strides[axis];
        batch->number[i] = number[axis];
        batch->own[i] = job->src.strides[axis];
        batch->count *= batch->extent[i];
        batch->axes++;
    }
}

/* Describes the source's samples at the positions of the results. */
static struct device_own own_of(const struct call *call)
{
    const struct array_job *job = &call->job;
    const struct array_scheme *scheme = call->scheme;
    const char *origin = static_cast<const char *>(job->src.origin);

    for (int axis = 0; axis < job->axes; axis++)
        origin += job->first[axis] * job->src.strides[axis];
    return {origin,
            job->src.type,
            sample_format(job->src.type),
            scheme->stage[scheme->last - 1].from_stride,
            scheme->stage[scheme->last].from_stride,
            scheme->pixel.stride};
}

/* Returns whether a tile's rows can be copied to the result as aligned units of 16 bytes
 * (plane_word): in the same order, and without clamping. */
static bool gives_words(const struct plane_pass *pass)
{
    const int64_t pixel = pass->pixel.samples * pass->to_format.bytes;
    int64_t all = (int64_t)(uintptr_t)pass->to | pass->down_to | pass->tile * pixel;

    for (int axis = 0; axis < pass->batch.axes; axis++)
        all |= pass->batch.to[axis];
    return pass->most == UINT64_MAX && pass->along_to == pixel &&
           (pass->pixel.samples == 1 || pass->to_sample == pass->to_format.bytes) &&
           all % (int64_t)sizeof(struct plane_word) == 0;
}

static void launch_plane(const struct call *call, const struct plane_pass *pass)
{
    const struct plane_plan *plan = &call->level->plane;
    const int64_t most = most_blocks(&pass->level);
    const int64_t along = blocks_for(pass->along.extent, pass->tile);
    const int64_t down =
        min(blocks_for(pass->down.extent, pass->rows), max(most / along, (int64_t)1));
    const dim3 grid((unsigned)along, blocks_down(down),
                    blocks_down(min(pass->batch.count, max(most / along / down, (int64_t)1))));

    LAUNCH(call->level->finish, grid, dim3((unsigned)plan->threads), (size_t)plan->bytes,
           call->stream, *pass);
}

/* Filters along the last two axes, for one result. */
static void filter_last(const struct call *call, int result)
{
    const struct array_scheme *scheme = call->scheme;
    const struct plane_plan *plan = &call->level->plane;
    const int passes = plan->passes, last = scheme->last;
    const int roots = roots_of_result(scheme);
    const struct device_array array = array_of(call, passes);
    struct plane_pass pass = {};

    set_tile(scheme, plan, &pass);
    pass.level = call->asks;
    pass.from = numbers_of(call, passes, &array);
    pass.to = static_cast<char *>(call->job.dst.origin) + call->job.result[result];
    pass.to_type = call->job.dst.type;
    set_steps(call, &array, &pass);
    pass.down = axis_of(call, &array, last - 1, passes < last, plan->halo);
    pass.along = axis_of(call, &array, last, passes <= last, plan->halo);
    if (plan->halo > 0) {
        pass.down_taps = short_taps_of(&scheme->stage[last - 1], plan->halo);
        pass.along_taps = short_taps_of(&scheme->stage[last], plan->halo);
    }
    pass.most = call->most;
    pass.gives_words = gives_words(&pass);
    pass.own = own_of(call);
    pass.nodes = call->tables.nodes[passes - (last - 1)];
    pass.roots = call->tables.roots[passes > last] + result * roots;
    pass.root_count = roots;
    pass.squares = call->job.combination == ARRAY_MAGNITUDE;
    if (!reads_samples(call->scheme, passes))
        pass.peaks = peaks_at(call, passes - 1);
    pass.bound = bound_of(scheme, call->level->wide, result);
    pass.open = call->layout.open + result * open_words(call->state);
    pass.counts = call->layout.counts;
    pass.first_sample = call->first_sample;
    launch_plane(call, &pass);
}

/* --- One call: the levels, box after box, and then the samples that are still unresolved. */

/* Returns box number `number` as a part of the job. */
static struct array_job box_of(const struct array_job *job, const struct level_plan *level,
                               int64_t number)
{
    struct array_job box = *job;
    char *origin = static_cast<char *>(job->dst.origin);

    for (int axis = job->axes - 1; axis >= 0; axis--) {
        const int64_t count = blocks_for(job->extent[axis], level->box[axis]);
        const int64_t at = number % count * level->box[axis];

        number /= count;
        box.first[axis] += at;
        box.extent[axis] = min(level->box[axis], job->extent[axis] - at);
        origin += at * job->dst.strides[axis];
    }
    box.dst.origin = origin;
    return box;
}

/* Runs the passes of a level, box after box. asks: decides whether the kernels have work. */
static void run_level(struct call *call, const struct level_plan *level, struct device_level asks)
{
    const struct array_job job = call->job;
    int64_t boxes = 1;

    for (int axis = 0; axis < job.axes; axis++)
        boxes *= blocks_for(job.extent[axis], level->box[axis]);
    call->level = level;
    call->asks = asks;
    call->first_sample = 0;
    for (int64_t i = 0; i < boxes; i++) {
        call->job = box_of(&job, level, i);
        for (int s = first_stage(call->scheme); s < level->plane.passes; s++)
            filter_stage(call, s);
        for (int r = 0; r < call->scheme->results; r++)
            filter_last(call, r);
        call->first_sample += samples_of(&call->job);
    }
    call->job = job; /* the next level and the repair compute the whole job */
}

/* Times in picoseconds, if all multiprocessors work. WINDOW_COST: the time of a window, which is
 * summed for one unresolved sample; TAP_COST: additional time for each tap of the window;
 * SECOND_COST: the time of each product of a sample and a tap at the second level. The three times
 * were measured with Laplacians of 256^3 floats with sigma 2 and 5 on an H200, computed by windows
 * alone and by the second level alone (NOTES.md). */
#define WINDOW_COST (IS_EMULATED ? 100. : 50000.)
#define TAP_COST 1.4
#define SECOND_COST .65
/* Windows of weighted means are always summed exactly, which takes this many times as long. */
#define TIMES_OF_EXACT 10

/* Returns the number of unresolved samples from which on the second level takes less time than
 * summing the window of each of them. One block sums a window. If it takes longer for a single
 * window than the GPU does for the whole second level, returns 1. */
static unsigned long long least_for_second(const struct device_state *state)
{
    const struct array_job *job = &state->job;
    double taps = job->terms / state->scheme.results, passes = 0;

    for (int i = 0; i < job->filtered; i++) {
        taps *= 2 * (double)job->halo[i] + 1;
        passes += 2 * (double)job->halo[i] + GROUP;
    }

    const double second = SECOND_COST * passes * job->terms * (double)state->samples;
    const double window =
        (WINDOW_COST + TAP_COST * taps) * (job->weighing == ARRAY_ALIKE ? 1 : TIMES_OF_EXACT);

    return window * state->repair_blocks > second ? 1 : (unsigned long long)(second / window);
}

/* Returns the error bound of a window that repair_array() sums in two doubles, divided by the peak,
 * the bound on the samples' magnitudes (bounds.h, which calls `adds` n and `parts` s). */
static double window_per_peak(const struct array_scheme *scheme)
{
    const struct array_job *job = scheme->job;
    const double columns = 2 * (double)(job->filtered > 0 ? job->halo[job->filtered - 1] : 0) + 1;
    const double parts = floor(EXACT_THREADS / fmin(columns, EXACT_THREADS));
    double lengths = 64 + job->terms, rows = 1, adds;

    for (int i = 0; i < job->filtered; i++) {
        lengths += 2 * (double)job->halo[i] + 16;
        rows *= i == job->filtered - 1 ? 1 : 2 * (double)job->halo[i] + 1;
    }
    adds = ceil(rows / EXACT_THREADS) * ceil(EXACT_THREADS / parts);
    return 4 * (lengths + adds) * (lengths + parts * adds) * 0x1p-106 * 8 * scheme->bounds.gains *
           scheme->bounds.gains * job->terms;
}

/* Returns whether two terms have the same edge rules. */
static bool same_edges(const struct array_job *job, int a, int b)
{
    for (int i = 0; i < job->filtered; i++)
        if (job->taps[a * job->filtered + i].edge != job->taps[b * job->filtered + i].edge)
            return false;
    return true;
}

/* Returns whether two terms are added, and have the same edge rules and the same taps along the
 * last filtered axis. */
static bool same_set(const struct array_job *job, const struct array_scheme *scheme, int a, int b)
{
    for (int s = 0; s <= scheme->last; s++)
        if (scheme->stage[s].filtered == job->filtered - 1 &&
            scheme->set_of[a][s] != scheme->set_of[b][s])
            return false;
    return job->combination == ARRAY_SUM && same_edges(job, a, b);
}

/* Makes the sets of terms that repair_array() sums. Each term joins the first set in which it may
 * be, or makes a new set. Sets 2 i and 2 i + 1 form a pair: both are of the same result and have
 * the same edge rules. */
static void set_sets(const struct array_scheme *scheme, struct device_repair *repair)
{
    const struct array_job *job = &repair->job;
    const auto first_term = [&](int set) { return __builtin_ctz(repair->set[set]); };

    for (int t = 0; t < job->terms; t++) {
        int set = 0;

        while (set < repair->sets &&
               (repair->set[set] == 0 || !same_set(job, scheme, first_term(set), t)))
            set++;
        if (set == repair->sets && set % 2 &&
            (job->combination == ARRAY_APART || !same_edges(job, first_term(set - 1), t)))
            set++; /* the pair's second set stays empty */
        repair->sets = max(repair->sets, set + 1);
        repair->set[set] |= 1u << t;
    }
    repair->sets = (repair->sets + 1) / repair->results / 2 * 2;
}

static void launch_repair(const struct call *call)
{
    const struct device_state *state = call->state;
    struct device_repair repair = {};

    repair.job = call->job;
    repair.common = exact_prepare(&call->job);
    repair.memory = call->layout.words;
    repair.open = call->layout.open;
    repair.counts = call->layout.counts;
    repair.results = call->scheme->results;
    repair.samples = samples_of(&call->job);
    repair.words = open_words(state);
    repair.rows = 1;
    for (int i = 0; i < call->job.filtered - 1; i++)
        repair.rows = min(repair.rows * (2 * call->job.halo[i] + 1), MOST_ROWS);
    repair.most = call->most;
    set_sets(call->scheme, &repair);
    repair.job.taps = call->tables.taps;
    repair.taps = call->tables.window;
    repair.gain = call->scheme->bounds.gains;
    repair.wide = call->scheme->wide;
    repair.per_peak = call->scheme->bounds.is_special ? INFINITY : window_per_peak(call->scheme);
    repair.tiny = call->scheme->bounds.tiny + repair.per_peak * LEAST_SCALE;
    LAUNCH(repair_array, dim3((unsigned)state->repair_blocks), dim3(EXACT_THREADS), 0, call->stream,
           repair);
}

static struct array_job job_of(const struct piece *piece, const struct device_state *state)
{
    struct array_job job = state->job;

    if (!piece->request->arrays)
        return image_job(piece, &state->images);
    job.src.origin = piece->src.origin;
    job.dst.origin = piece->dst.origin;
    memcpy(job.result, piece->request->arrays->result, sizeof job.result);
    return job;
}

/* Clears the counters and the marks of unresolved samples. If only windows are summed, marks all
 * samples instead, and sets the first counter to its maximum. Returns whether CUDA accepts that. */
static bool clear_marks(const struct call *call)
{
    const cudaStream_t stream = static_cast<cudaStream_t>(call->stream);
    const bool marks_all = call->state->windows_only;

    return cudaMemsetAsync(call->layout.counts, marks_all ? 0xff : 0,
                           (size_t)open_bytes(call->state), stream) == cudaSuccess &&
           (!marks_all || cudaMemsetAsync(call->layout.counts + 1, 0,
                                          (COUNTS - 1) * sizeof(uint64_t), stream) == cudaSuccess);
}

const char *array_device_run(const struct piece *piece)
{
    const struct device_state *state = static_cast<const struct device_state *>(piece->state);
    struct call call = {};
    int64_t bytes;

    call.state = state;
    call.scheme = &state->scheme;
    call.job = job_of(piece, state);
    call.most =
        !piece->request->arrays && piece->request->maxval != FLOAT_SAMPLES && state->images.exceeds
            ? piece->request->maxval
            : UINT64_MAX;
    call.stream = piece->stream;
    call.layout = layout_of(state, piece->scratch, &bytes);
    device_tables_send(call.scheme, call.layout.tables, &call.tables, piece->stream);
    if (!clear_marks(&call)) {
        const char *reason = launched();

        return reason ? reason : "its counters cannot be cleared";
    }
    if (!state->windows_only)
        run_level(&call, &state->levels[LEVEL_FIRST], {});
    if (!state->windows_only && !state->scheme.wide)
        run_level(&call, &state->levels[LEVEL_SECOND],
                  {call.layout.counts, least_for_second(state)});
    launch_repair(&call);
    return launched();
}

const struct engine array_device_engine = {.name = "arrays",
                                           .make = array_device_make,
                                           .state_bytes = sizeof(struct device_state),
                                           .scratch_bytes = array_device_scratch_bytes,
                                           .run = array_device_run};
