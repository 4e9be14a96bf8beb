/* SPDX-License-Identifier: MIT */
/* The general engine on a device. An array is computed in boxes, whose numbers fit into scratch,
 * one after the other; of each box and term there is a pass for each filtered axis, from the
 * outermost to the innermost. The first pass reads the source, by the edge rule along its axis, the
 * last one gives samples, and what lies in between are doubles in scratch. Boxes are cut along axes
 * up to the first filtered one, so that nothing is computed twice. Samples that may be wrong are
 * computed again, exactly. */
#include "kernels/smooth/arrays/device/passes.cuh"
#include "kernels/smooth/arrays/device/repair.cuh"
#include "kernels/smooth/arrays/bounds.h"
#include "kernels/smooth/arrays/layout.h"
#include "kernels/common/carve.h"

/* Of a box' numbers, where its least is not more. On the emulated device small arrays have several.
 */
#ifdef __NVCC__
#define BOX_BYTES ((int64_t)512 << 20)
#else
#define BOX_BYTES ((int64_t)20000)
#endif
#define SAMPLES_OF_A_REPAIR_BLOCK 256 /* hardly any is open */
#define SHARED_BYTES (48 << 10)

/* What the scratch of a call has. */
struct device_layout {
    bool wide, magnitudes;
    int planes;
    int64_t box[ARRAY_AXES]; /* places of a box along each axis, at most */
    int64_t numbers;         /* of a box between passes, at most */
    int64_t box_samples;     /* of a box' result */
    int64_t samples;         /* of the whole result */
    int repair_blocks;

    /* In scratch. */
    char *tables;         /* the taps: see send_tables() */
    struct real *outside; /* before each pass of each term, if it is not 0 */
    unsigned *kinds;
    unsigned long long *any_open;
    uint32_t *open;
    uint64_t *words;
    struct device_reals between[2], total;
    int64_t bytes;
};

/* --- Where things lie. */

/* How many places along an axis there are before the pass of filtered axis number `pass`: those of
 * the box, or all where the axis is filtered by that pass or a later one. */
static int64_t places_before(const struct array_job *job, const int64_t *box, int pass, int axis)
{
    for (int i = pass; i < job->filtered; i++)
        if (job->axis[i] == axis)
            return job->shape[axis];
    return box[axis];
}

/* How many numbers the box has there. */
static int64_t numbers_before(const struct array_job *job, const int64_t *box, int pass)
{
    int64_t numbers = 1;

    for (int axis = 0; axis < job->axes; axis++)
        numbers *= places_before(job, box, pass, axis);
    return numbers;
}

static bool has_total(const struct array_job *job)
{
    return job->terms > 1 || job->combination == ARRAY_MAGNITUDE;
}

/* Of scratch that grows with the box. */
static int64_t box_bytes(const struct array_job *job, const struct device_layout *layout)
{
    const int64_t each = layout->planes * (int64_t)sizeof(double);
    const int64_t samples = numbers_before(job, layout->box, job->filtered);
    int64_t bytes = has_total(job) ? each * samples : 0;

    for (int i = 1; i < job->filtered && i <= 2; i++)
        bytes += each * numbers_before(job, layout->box, i);
    return bytes;
}

/* A box has one place along the first axes, some along the next, and all along those after. */
static void choose_box(const struct array_job *job, struct device_layout *layout)
{
    const int last = job->filtered > 0 ? job->axis[0] : job->axes - 1;
    int cut = 0;

    for (int axis = 0; axis < job->axes; axis++)
        layout->box[axis] = job->extent[axis];
    for (; cut <= last; cut++) {
        layout->box[cut] = 1;
        if (cut == last || box_bytes(job, layout) <= BOX_BYTES)
            break;
    }
    layout->box[cut] =
        max((int64_t)1, min(BOX_BYTES / max(box_bytes(job, layout), (int64_t)1), job->extent[cut]));
    layout->numbers = 0;
    for (int i = 1; i < job->filtered; i++)
        layout->numbers = max(layout->numbers, numbers_before(job, layout->box, i));
    layout->box_samples = numbers_before(job, layout->box, job->filtered);
    layout->samples = 1;
    for (int axis = 0; axis < job->axes; axis++)
        layout->samples *= job->extent[axis];
    layout->repair_blocks =
        (int)min(blocks_for(layout->samples, SAMPLES_OF_A_REPAIR_BLOCK),
                 (int64_t)2 * attribute_of_device(cudaDevAttrMultiProcessorCount));
}

/* Of an axis: see table_at(). */
static int64_t table_bytes(int64_t halo)
{
    return round_up(2 * (2 * halo + 1) * (int64_t)sizeof(double), 16) +
           (halo + 1) * (int64_t)sizeof(struct array_weight);
}

static int64_t tables_bytes(const struct array_job *job)
{
    int64_t bytes = job->terms * max(job->filtered, 1) * (int64_t)sizeof(struct array_taps);

    for (int i = 0; i < job->filtered; i++)
        bytes += job->terms * table_bytes(job->halo[i]);
    return round_up(bytes, 16) + table_bytes(0);
}

static struct device_reals carve_reals(uintptr_t *memory, const struct device_layout *layout,
                                       int64_t numbers)
{
    const int64_t bytes = numbers * (int64_t)sizeof(double);
    struct device_reals reals = {static_cast<double *>(carve(memory, bytes)), NULL, NULL};

    if (layout->wide)
        reals.rest = static_cast<double *>(carve(memory, bytes));
    if (layout->magnitudes)
        reals.magnitude = static_cast<double *>(carve(memory, bytes));
    return reals;
}

static void lay_out(const struct array_job *job, void *scratch, struct device_layout *layout)
{
    uintptr_t memory = (uintptr_t)scratch;

    layout->wide = array_is_wide(job);
    layout->magnitudes = array_has_magnitudes(job);
    layout->planes = 1 + layout->wide + layout->magnitudes;
    choose_box(job, layout);
    layout->tables = static_cast<char *>(carve(&memory, tables_bytes(job)));
    layout->outside = static_cast<struct real *>(
        carve(&memory, job->terms * (int64_t)job->filtered * (int64_t)sizeof(struct real)));
    layout->any_open = static_cast<unsigned long long *>(carve(&memory, 64));
    layout->kinds = reinterpret_cast<unsigned *>(layout->any_open + 1);
    layout->open = static_cast<uint32_t *>(carve(&memory, layout->samples / 8 + 4));
    layout->words = static_cast<uint64_t *>(
        carve(&memory, (int64_t)layout->repair_blocks * EXACT_THREADS * EXACT_ARRAYS *
                           exact_prepare(job).words * (int64_t)sizeof(uint64_t)));
    for (int i = 0; i < 2; i++)
        layout->between[i] =
            carve_reals(&memory, layout, i < job->filtered - 1 ? layout->numbers : 0);
    layout->total = carve_reals(&memory, layout, has_total(job) ? layout->box_samples : 0);
    layout->bytes = (int64_t)(memory - (uintptr_t)scratch);
}

/* --- The taps, in the device's memory. */

/* Bytes on their way there, as arguments of a kernel: so a graph that captures the call has them.
 */
struct parcel {
    char bytes[3072];
};

static __global__ void deliver(const __grid_constant__ parcel parcel, char *to, int count)
{
    for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
        to[i] = parcel.bytes[i];
}

struct sender {
    struct parcel parcel;
    int used;
    char *to;
    void *stream;
};

static void flush(struct sender *sender)
{
    if (sender->used > 0)
        LAUNCH(deliver, dim3(1), dim3(256), 0, sender->stream, sender->parcel, sender->to,
               sender->used);
    sender->to += sender->used;
    sender->used = 0;
}

static void send(struct sender *sender, const void *bytes, int64_t count)
{
    const char *from = static_cast<const char *>(bytes);

    for (int64_t i = 0; i < count; i++) {
        if (sender->used == (int)sizeof sender->parcel.bytes)
            flush(sender);
        sender->parcel.bytes[sender->used++] = from[i];
    }
}

/* Where the table of axis i of a term begins: its taps in doubles, their rests, its weights. Before
 * all tables is what the definition asks for: job->taps, of weights there. */
static char *table_at(const struct array_job *job, const struct device_layout *layout, int term,
                      int i)
{
    char *at =
        layout->tables +
        round_up(job->terms * max(job->filtered, 1) * (int64_t)sizeof(struct array_taps), 16);

    for (int t = 0; t <= term; t++)
        for (int a = 0; a < (t < term ? job->filtered : i); a++)
            at += table_bytes(job->halo[a]);
    return at;
}

static int64_t weights_offset(int64_t halo)
{
    return table_bytes(halo) - (halo + 1) * (int64_t)sizeof(struct array_weight);
}

static void send_taps(struct sender *sender, const struct array_job *job,
                      const struct array_taps *taps, int64_t halo)
{
    const int64_t used = 2 * (2 * halo + 1) * (int64_t)sizeof(double);
    const uint64_t zeros[2] = {0, 0};

    for (int part = 0; part < 2; part++)
        for (int64_t k = -halo; k <= halo; k++) {
            const int sign = taps->odd && k < 0 ? -1 : 1;
            double both[2];

            array_tap(job->bits, &taps->weights[k < 0 ? -k : k], &both[0], &both[1]);
            both[part] *= sign;
            send(sender, &both[part], sizeof both[part]);
        }
    send(sender, zeros, weights_offset(halo) - used);
    send(sender, taps->weights, (halo + 1) * (int64_t)sizeof *taps->weights);
}

static void send_tables(const struct array_job *job, const struct device_layout *layout,
                        void *stream)
{
    struct sender sender = {{}, 0, layout->tables, stream};
    const struct array_weight one = {u128_shift_left(u128_of(0, 1), (unsigned)job->bits), false};
    const struct array_taps none = {&one, false, EDGE_CLAMP};
    const uint64_t zeros[2] = {0, 0};

    for (int t = 0; t < job->terms; t++)
        for (int i = 0; i < max(job->filtered, 1); i++) {
            struct array_taps taps = job->filtered > 0 ? job->taps[t * job->filtered + i] : none;

            taps.weights = reinterpret_cast<const struct array_weight *>(
                table_at(job, layout, t, i) +
                (job->filtered > 0 ? weights_offset(job->halo[i]) : weights_offset(0)));
            send(&sender, &taps, sizeof taps);
        }
    send(&sender, zeros, table_at(job, layout, 0, 0) - (sender.to + sender.used));
    for (int t = 0; t < job->terms; t++)
        for (int i = 0; i < job->filtered; i++)
            send_taps(&sender, job, &job->taps[t * job->filtered + i], job->halo[i]);
    if (job->filtered == 0)
        send_taps(&sender, job, &none, 0);
    flush(&sender);
}

/* --- What is outside: constants, filtered as the numbers are. */

struct outside_pass {
    const double *taps, *rests;
    int halo;
};

/* outside[0] filtered along the axis: *next. */
template <bool WIDE>
static __global__ void filter_outside(const outside_pass pass, const real *outside, real *next)
{
    const device_taps taps = {pass.taps, pass.rests, 2 * pass.halo};
    device_sums<WIDE, 1> sum;
    double magnitude = 0;

    sum_without_zeros<false>(sum, taps, [&](int) { return *outside; });
    for (int k = 0; k <= taps.last; k++)
        magnitude = fma(fabs(taps.taps[k]), outside->magnitude, magnitude);
    *next = {sum.value[0], sum.rest[0], magnitude};
}

/* --- Passes. */

/* Are there taps that make plain numbers others, in the term's passes before this one? */
static bool stays_plain(const struct array_job *job, int term, int passes)
{
    for (int i = 0; i < passes && i < job->filtered; i++) {
        const struct array_taps *taps = &job->taps[term * job->filtered + i];

        for (int64_t k = 0; k <= job->halo[i]; k++)
            if (taps->odd || taps->weights[k].negative)
                return false;
    }
    return true;
}

/* Is every tap of every term another number than 0? */
static bool is_dense(const struct array_job *job)
{
    for (int i = 0; i < job->terms * job->filtered; i++) {
        const struct array_taps *taps = &job->taps[i];
        double tap = 1, rest;

        for (int64_t k = 0; k <= job->halo[i % job->filtered] && tap != 0; k++)
            array_tap(job->bits, &taps->weights[k], &tap, &rest);
        if (tap == 0 || taps->odd)
            return false;
    }
    return true;
}

static bool is_always_plain(const struct array_job *job)
{
    const struct sample_format from = sample_format(job->src.type);

    return !from.is_float && !from.is_signed && real_kinds(job->outside) == 0;
}

/* As the first pass reads it. job: of the box. */
static struct device_array source_of(const struct array_job *job)
{
    struct device_array array = {
        static_cast<char *>(job->src.origin), job->src.type, job->axes, {}, {}};

    for (int axis = 0; axis < job->axes; axis++) {
        array.extent[axis] = places_before(job, job->extent, 0, axis);
        array.stride[axis] = job->src.strides[axis];
    }
    for (int axis = 0, next = 0; axis < job->axes; axis++) {
        if (next < job->filtered && job->axis[next] == axis)
            next++;
        else
            array.origin += job->first[axis] * array.stride[axis];
    }
    return array;
}

static struct device_array result_of(const struct array_job *job)
{
    struct device_array array = {
        static_cast<char *>(job->dst.origin), job->dst.type, job->axes, {}, {}};

    for (int axis = 0; axis < job->axes; axis++) {
        array.extent[axis] = job->extent[axis];
        array.stride[axis] = job->dst.strides[axis];
    }
    return array;
}

/* Numbers up to MOST_PLAIN do not overflow along so many axes, whose weights sum to less than 2^74
 * each. */
#define MOST_SURE_AXES 5

/* What all passes of a job have in common. */
static struct device_pass common_pass(const struct array_job *job,
                                      const struct device_layout *layout)
{
    struct device_pass pass = {};

    pass.total = layout->total;
    pass.kinds = layout->magnitudes && !is_always_plain(job) ? layout->kinds : NULL;
    pass.combines = has_total(job);
    pass.squares = job->combination == ARRAY_MAGNITUDE;
    pass.special_is_sure = !has_total(job) && pass.kinds && sample_format(job->src.type).is_float &&
                           job->filtered <= MOST_SURE_AXES && is_dense(job);
    pass.magnitudes = layout->magnitudes;
    pass.to = sample_format(job->dst.type);
    pass.exact_only = job->exact_only;
    pass.bound = array_bound(job, 2);
    pass.open = layout->open;
    pass.any_open = layout->any_open;
    return pass;
}

/* The pass of filtered axis i in a term. job: of the box. */
static struct device_pass pass_of(const struct array_job *job, const struct device_layout *layout,
                                  const struct device_pass *common, int term, int i)
{
    const bool filters = job->filtered > 0;
    const char *table = table_at(job, layout, term, i);
    struct device_pass pass = *common;

    pass.src = source_of(job);
    pass.dst = result_of(job);
    pass.in = layout->between[(i + 1) % 2];
    pass.out = layout->between[i % 2];
    pass.axis = filters ? job->axis[i] : 0;
    pass.outer = pass.inner = 1;
    for (int axis = 0; axis < job->axes; axis++)
        if (axis != pass.axis)
            (axis < pass.axis ? pass.outer : pass.inner) *=
                places_before(job, job->extent, i, axis);
    /* An axis that is not filtered begins where the source's part does. */
    pass.length = places_before(job, job->extent, i, pass.axis);
    pass.first = filters ? job->first[pass.axis] : 0;
    pass.extent = job->extent[pass.axis];
    pass.halo = filters ? (int)job->halo[i] : 0;
    pass.edge = filters ? job->taps[term * job->filtered + i].edge : EDGE_CLAMP;
    pass.taps = reinterpret_cast<const double *>(table);
    pass.rests = pass.taps + 2 * pass.halo + 1;
    pass.outside = job->outside != 0 && filters ? layout->outside + term * job->filtered + i : NULL;
    pass.in_stays_plain = stays_plain(job, term, i);
    pass.out_stays_plain = stays_plain(job, term, i + 1);
    pass.is_last = i == max(job->filtered, 1) - 1;
    pass.is_first_term = term == 0;
    pass.is_last_term = term == job->terms - 1;
    return pass;
}

static int64_t along_bytes(const struct device_pass *pass, bool wide, int warps)
{
    const int sums = wide ? SUMS<true> : SUMS<false>;

    return (taps_room(pass->halo, sums) +
            (int64_t)warps * along_room(pass->inner, pass->halo, sums, wide)) *
           (int64_t)sizeof(double);
}

#define MOST_INNER 16 /* numbers of a pixel that lines of pixels have, along which a warp goes */

/* Along lines, where what a warp needs fits into shared memory; else across. */
template <int TYPE, bool WIDE> static void launch_pass(const struct device_pass *pass, void *stream)
{
    int warps = pass->inner <= MOST_INNER ? ALONG_WARPS : 0;

    while (warps > 0 && along_bytes(pass, WIDE, warps) > SHARED_BYTES)
        warps /= 2;
    if (warps > 0) {
        const int64_t places = along_groups(pass->inner) * SUMS<WIDE>;
        const dim3 grid((unsigned)blocks_for(pass->extent, places),
                        blocks_down(blocks_for(pass->outer, warps)));

        LAUNCH((array_pass_along<TYPE, WIDE>), grid, dim3(32, (unsigned)warps),
               (size_t)along_bytes(pass, WIDE, warps), stream, *pass);
    } else {
        const dim3 grid((unsigned)blocks_for(pass->outer * pass->inner, ACROSS_THREADS),
                        blocks_down(blocks_for(pass->extent, SUMS<WIDE>)));

        LAUNCH((array_pass_across<TYPE, WIDE>), grid, dim3(ACROSS_THREADS),
               (size_t)taps_room(pass->halo, SUMS<WIDE>) * sizeof(double), stream, *pass);
    }
}

/* The types that people have most have kernels of their own. */
static void launch_first(const struct device_pass *pass, bool wide, void *stream)
{
    const enum sample_type type = pass->src.type;

    if (wide && type == SAMPLE_F64)
        launch_pass<SAMPLE_F64, true>(pass, stream);
    else if (wide)
        launch_pass<ANY_TYPE, true>(pass, stream);
    else if (type == SAMPLE_U8)
        launch_pass<SAMPLE_U8, false>(pass, stream);
    else if (type == SAMPLE_U16)
        launch_pass<SAMPLE_U16, false>(pass, stream);
    else if (type == SAMPLE_F32)
        launch_pass<SAMPLE_F32, false>(pass, stream);
    else
        launch_pass<ANY_TYPE, false>(pass, stream);
}

static void launch_next_pass(const struct device_pass *pass, bool wide, void *stream)
{
    if (wide)
        launch_pass<SCRATCH, true>(pass, stream);
    else
        launch_pass<SCRATCH, false>(pass, stream);
}

static void launch_measure(const struct device_pass *pass, unsigned *kinds, void *stream)
{
    const dim3 grid((unsigned)blocks_for(pass->outer * pass->inner, ACROSS_THREADS),
                    blocks_down(blocks_for(pass->length, MEASURED)));

    if (pass->src.type == SAMPLE_F32)
        LAUNCH(measure_array<SAMPLE_F32>, grid, dim3(ACROSS_THREADS), 0, stream, *pass, kinds);
    else
        LAUNCH(measure_array<ANY_TYPE>, grid, dim3(ACROSS_THREADS), 0, stream, *pass, kinds);
}

/* What is outside, of all terms and passes. */
static void launch_outside(const struct array_job *job, const struct device_layout *layout,
                           void *stream)
{
    const struct real outside = {job->outside, job->outside_rest, real_magnitude(job->outside)};

    for (int t = 0; t < job->terms; t++) {
        struct real *const of_term = layout->outside + t * job->filtered;
        struct sender sender = {{}, 0, reinterpret_cast<char *>(of_term), stream};

        send(&sender, &outside, sizeof outside);
        flush(&sender);
        for (int i = 0; i < job->filtered - 1; i++) {
            const double *taps = reinterpret_cast<const double *>(table_at(job, layout, t, i));
            const struct outside_pass pass = {taps, taps + 2 * job->halo[i] + 1, (int)job->halo[i]};

            if (layout->wide)
                LAUNCH(filter_outside<true>, dim3(1), dim3(1), 0, stream, pass, of_term + i,
                       of_term + i + 1);
            else
                LAUNCH(filter_outside<false>, dim3(1), dim3(1), 0, stream, pass, of_term + i,
                       of_term + i + 1);
        }
    }
}

static void launch_kinds_of_outside(const struct array_job *job, const struct device_layout *layout,
                                    void *stream)
{
    struct sender sender = {{}, 0, reinterpret_cast<char *>(layout->kinds), stream};
    const unsigned kinds = real_kinds(job->outside);

    send(&sender, &kinds, sizeof kinds);
    flush(&sender);
}

static void launch_repair(const struct array_job *job, const struct device_layout *layout,
                          void *stream)
{
    struct device_repair repair = {};

    repair.job = *job;
    repair.common = exact_prepare(job);
    repair.words = layout->words;
    repair.open = layout->open;
    repair.any_open = layout->any_open;
    repair.samples = layout->samples;
    repair.job.taps = reinterpret_cast<const struct array_taps *>(layout->tables);
    LAUNCH(repair_array, dim3((unsigned)layout->repair_blocks), dim3(EXACT_THREADS), 0, stream,
           repair);
}

/* --- Boxes. */

static void clear(void *memory, int64_t bytes, void *stream)
{
    cudaMemsetAsync(memory, 0, (size_t)bytes, static_cast<cudaStream_t>(stream));
}

/* first_sample: the number of its first sample in the result. */
static void run_box(const struct array_job *job, const struct device_layout *layout,
                    const struct device_pass *common, int64_t first_sample, void *stream)
{
    for (int t = 0; t < job->terms; t++)
        for (int i = 0; i < max(job->filtered, 1); i++) {
            struct device_pass pass = pass_of(job, layout, common, t, i);

            pass.first_sample = first_sample;
            if (i == 0)
                launch_first(&pass, layout->wide, stream);
            else
                launch_next_pass(&pass, layout->wide, stream);
        }
}

/* The part of the job that box number `number` is. */
static struct array_job box_of(const struct array_job *job, const struct device_layout *layout,
                               int64_t number)
{
    struct array_job box = *job;
    char *origin = static_cast<char *>(job->dst.origin);

    for (int axis = job->axes - 1; axis >= 0; axis--) {
        const int64_t count = blocks_for(job->extent[axis], layout->box[axis]);
        const int64_t at = number % count * layout->box[axis];

        number /= count;
        box.first[axis] += at;
        box.extent[axis] = min(layout->box[axis], job->extent[axis] - at);
        origin += at * job->dst.strides[axis];
    }
    box.dst.origin = origin;
    return box;
}

/* --- The engine, as plans run it. */

static size_t scratch_bytes(const struct request *request, const void *)
{
    struct array_job simple;
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct device_layout layout;

    array_simplify(request->arrays, &simple, taps);
    lay_out(&simple, NULL, &layout);
    return (size_t)layout.bytes;
}

static const char *run(const struct piece *piece)
{
    void *const stream = piece->stream;
    struct array_job simple;
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct device_layout layout;
    int64_t boxes = 1, first_sample = 0;

    array_simplify(piece->request->arrays, &simple, taps);
    simple.src.origin = piece->src.origin;
    simple.dst.origin = piece->dst.origin;
    lay_out(&simple, piece->scratch, &layout);
    send_tables(&simple, &layout, stream);
    if (simple.outside != 0)
        launch_outside(&simple, &layout, stream);

    const struct device_pass common = common_pass(&simple, &layout);

    if (common.kinds) {
        const struct device_pass all = pass_of(&simple, &layout, &common, 0, 0);

        launch_kinds_of_outside(&simple, &layout, stream);
        launch_measure(&all, layout.kinds, stream);
    }
    clear(layout.any_open, sizeof *layout.any_open, stream);
    clear(layout.open, layout.samples / 8 + 4, stream);
    for (int axis = 0; axis < simple.axes; axis++)
        boxes *= blocks_for(simple.extent[axis], layout.box[axis]);
    for (int64_t i = 0; i < boxes; i++) {
        const struct array_job box = box_of(&simple, &layout, i);

        run_box(&box, &layout, &common, first_sample, stream);
        first_sample += numbers_before(&box, box.extent, box.filtered);
    }
    launch_repair(&simple, &layout, stream);
    return launched();
}

const struct engine array_device_engine = {
    .name = "arrays", .scratch_bytes = scratch_bytes, .run = run};
