/* SPDX-License-Identifier: MIT */
/* Computes the samples that are still unresolved (`open`): no error bound has proven their
 * rounding. A block computes one sample at a time. Its threads first sum the sample's window in two
 * doubles (double-double); each thread sums a column of the window, or a part of a column. If that
 * does not prove the rounding, they sum the window exactly; each thread sums some rows. The sum in
 * two doubles is left out for means and flat windows, and in the cases that close_sample() names.
 *
 * A term of the filter is a product of one filter for each axis. `kinds` is a set of flags: whether
 * a NaN, +infinity or -infinity is among the samples (exact.h). */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_REPAIR_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_REPAIR_CUH

#include "kernels/common/launch.cuh"
#include "kernels/smooth/arrays/device/store.cuh"
#include "kernels/smooth/arrays/device/sums.cuh"

#define EXACT_THREADS (IS_EMULATED ? 32 : 128)
#define REPAIR_BLOCKS 6 /* for each multiprocessor; more leave a thread too few registers */
#define MOST_ROWS ((int64_t)1 << 30) /* windows of so many rows or more are only summed exactly */

/* The arguments of repair_array(). `open` has `words` words for each result, one result's words
 * after another's: bit i of a result's words is set if sample i of the result is unresolved.
 * Samples are counted with the last axis varying fastest. */
struct device_repair {
    struct array_job job;
    struct exact_common common;
    uint64_t *memory; /* EXACT_ARRAYS * common.words words for each thread */
    const uint32_t *open;
    unsigned long long *counts; /* enum device_count */
    int results;
    int64_t samples, words;         /* samples of a result; words of its `open` */
    uint64_t most;                  /* results are clamped to at most this; UINT64_MAX: no limit */
    const struct device_taps *taps; /* in the order of job.taps, as doubles */
    int64_t rows;                   /* rows of a window; at most MOST_ROWS */
    /* Sets of terms; a set has a bit for each of its terms. Each result has `sets` sets. The terms
     * of a set are added, and have the same taps along the last filtered axis. Two sets at a time
     * are summed in two doubles: sets 2 i and 2 i + 1, of which the latter may be empty. */
    int sets;
    uint32_t set[2 * ARRAY_FILTERED];
    /* The error of a sum in two doubles is at most per_peak times the peak counts[GREATEST], plus
     * tiny. */
    double per_peak, tiny;
    double gain; /* product of the gains (scheme.h) of all stages */
    bool wide;   /* all passes have already summed in two doubles: only sum exactly */
};

/* A sample of a result. */
struct device_sample {
    int result;                /* index of the result */
    int64_t place[ARRAY_AXES]; /* the sample's position along each axis */
    char *address;
};

__device__ __forceinline__ void store_sample(const device_repair &repair, char *address,
                                             uint64_t bits)
{
    exact_put_bits(address, repair.common.to.bytes, min(bits, repair.most));
}

/* --- The sum of a window in two doubles. */

/* Some rows of a window. Rows lie along the last filtered axis. A window is summed for one or two
 * sets of terms at the same time; each sample is read once for both sets. */
struct device_rows {
    const char *own[EXACT_THREADS]; /* address of the sample in the row's middle; NULL: all samples
                                       of the row have the value outside */
    /* For each set: the sum, over its terms, of the product of a term's taps along the other axes.
     */
    double weight[2][EXACT_THREADS], rest[2][EXACT_THREADS];
};

/* Returns the tap at distance k from the centre; 0 beyond the halo. */
__device__ __forceinline__ real tap_of(const device_taps &taps, int k)
{
    const int distance = k < 0 ? -k : k;
    const double sign = taps.odd && k < 0 ? -1 : 1;

    if (distance > taps.halo)
        return {0, 0, 0};
    return {sign * taps.taps[distance], sign * taps.rests[distance], 0};
}

/* Returns the product of a term's taps along all filtered axes except the last one, for row number
 * `row` of a window. */
__device__ __forceinline__ real weight_of_row(const device_repair &repair, int term, int64_t row)
{
    const array_job &job = repair.job;
    real weight = {1, 0, 0};

    for (int i = job.filtered - 2; i >= 0; i--) {
        const int64_t before = quotient(row, 2 * job.halo[i] + 1);
        const int k = (int)(row - before * (2 * job.halo[i] + 1) - job.halo[i]);

        weight = times(weight, tap_of(repair.taps[term * job.filtered + i], k));
        row = before;
    }
    return weight;
}

/* Returns the address of the sample in the middle of row number `row` of a window, or NULL if all
 * samples of the row have the value outside. own: address of the sample in the middle of the
 * window. term: a term that is summed; its edge rules apply. */
__device__ __forceinline__ const char *middle_of_row(const device_repair &repair, int term,
                                                     const int64_t *place, int64_t row,
                                                     const char *own)
{
    const array_job &job = repair.job;
    bool is_inside = true;

    for (int i = job.filtered - 2; i >= 0; i--) {
        const int axis = job.axis[i];
        const int64_t before = quotient(row, 2 * job.halo[i] + 1);
        const int64_t there = place[axis] + row - before * (2 * job.halo[i] + 1) - job.halo[i];
        const int64_t from =
            place_at(job.taps[term * job.filtered + i].edge, there, job.shape[axis]);

        is_inside = is_inside && from >= 0;
        own += (from - place[axis]) * job.src.strides[axis];
        row = before;
    }
    return is_inside ? own : NULL;
}

/* Fills this thread's entry in `rows` with row number `row` of a window. */
template <int SETS>
__device__ __forceinline__ void set_row(const device_repair &repair, const uint32_t *sets,
                                        const int64_t *place, int64_t row, const char *own,
                                        device_rows &rows)
{
    rows.own[threadIdx.x] = middle_of_row(repair, __ffs((int)sets[0]) - 1, place, row, own);
#pragma unroll
    for (int s = 0; s < SETS; s++) {
        real weight = {0, 0, 0};

        for (uint32_t terms = sets[s]; terms; terms &= terms - 1)
            weight =
                combine_add(weight, weight_of_row(repair, __ffs((int)terms) - 1, row), false, true);
        rows.weight[s][threadIdx.x] = weight.value;
        rows.rest[s][threadIdx.x] = weight.rest;
    }
}

/* Adds a thread's share of a window to sums[], for each set of terms. A thread sums down a column
 * of the window, or down a part of the column, and multiplies the sum by the column's tap. scale: U
 * of bounds.h. All threads of the block must call this function. */
template <int TYPE, int SETS>
__device__ __forceinline__ void sum_share(const device_repair &repair, const uint32_t *sets,
                                          const int64_t *place, const char *own, double scale,
                                          device_rows &rows, real (&sums)[2])
{
    const array_job &job = repair.job;
    const int last = job.filtered - 1, axis = job.axis[last], halo = (int)job.halo[last];
    const enum edge edge = job.taps[(__ffs((int)sets[0]) - 1) * job.filtered + last].edge;
    const int64_t count = repair.rows;

    for (int left = -halo; left <= halo; left += EXACT_THREADS) {
        const int columns = min(halo + 1 - left, EXACT_THREADS), step = EXACT_THREADS / columns;
        const int begin = (int)threadIdx.x / columns, k = left + (int)threadIdx.x % columns;
        const int64_t from = place_at(edge, place[axis] + k, job.shape[axis]);
        const int64_t offset = (from - place[axis]) * job.src.strides[axis];
        device_sums<true, SETS, TYPE == ANY_TYPE> down;

        down.clear(scale);
        for (int64_t first = 0; first < count; first += EXACT_THREADS) {
            const int here = begin < step ? (int)min(count - first, (int64_t)EXACT_THREADS) : 0;
            const int64_t mine = first + threadIdx.x;

            __syncthreads();
            if (mine < count)
                set_row<SETS>(repair, sets, place, mine, own, rows);
            __syncthreads();
#pragma unroll 8
            for (int row = begin; row < here; row += step) {
                const char *const middle = rows.own[row];
                real number = {job.outside, job.outside_rest, 0};

                if (middle && from >= 0)
                    number = load_sample<TYPE>(middle + offset, job.src.type);
#pragma unroll
                for (int s = 0; s < SETS; s++)
                    down.add(s, rows.weight[s][row], rows.rest[s][row], number);
            }
        }
#pragma unroll
        for (int s = 0; s < SETS; s++) {
            const real tap =
                tap_of(repair.taps[(__ffs((int)sets[s]) - 1) * job.filtered + last], k);

            /* A NaN or an infinity whose tap is 0 does not count. */
            if (begin < step && tap.value != 0)
                sums[s] = combine_add(sums[s], times(tap, down.get(s)), false, true);
        }
    }
}

/* Returns the sum of all threads' numbers to all threads of the block, which must all call this
 * function. */
__device__ __forceinline__ real sum_of_block(real own)
{
    __shared__ double value[EXACT_THREADS / 32], rest[EXACT_THREADS / 32];
    real sum = {0, 0, 0};

    for (int lane = 16; lane > 0; lane /= 2)
        own = combine_add(
            own, {__shfl_xor_sync(~0u, own.value, lane), __shfl_xor_sync(~0u, own.rest, lane), 0},
            false, true);
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        value[threadIdx.x / 32] = own.value;
        rest[threadIdx.x / 32] = own.rest;
    }
    __syncthreads();
    for (int i = 0; i < EXACT_THREADS / 32; i++)
        sum = combine_add(sum, {value[i], rest[i], 0}, false, true);
    return sum;
}

/* Returns `total` plus the sums of a window for one or two sets of terms, or, if `squares`, plus
 * the squares of these sums. All threads of the block must call this function. */
template <int SETS>
__device__ __forceinline__ real sum_window(const device_repair &repair, const uint32_t *sets,
                                           const int64_t *place, const char *own, double scale,
                                           bool squares, device_rows &rows, real total)
{
    real sums[2] = {{0, 0, 0}, {0, 0, 0}};

    /* One double holds a float, but the value outside may take two. */
    if (repair.job.src.type == SAMPLE_F32 && repair.job.outside_rest == 0)
        sum_share<SAMPLE_F32, SETS>(repair, sets, place, own, scale, rows, sums);
    else
        sum_share<ANY_TYPE, SETS>(repair, sets, place, own, scale, rows, sums);
#pragma unroll
    for (int s = 0; s < SETS; s++)
        total = combine_add(total, sum_of_block(sums[s]), squares, true);
    return total;
}

/* Computes one sample in two doubles, and stores the sample if its rounding is proven. Does nothing
 * if all passes have already summed in two doubles, if the peak is 0, if only exact sums are asked
 * for, or if a window has MOST_ROWS rows or more. Returns whether the sample is stored. All threads
 * of the block must call this function. */
__device__ bool close_sample(const device_repair &repair, const device_sample &wanted)
{
    const array_job &job = repair.job;
    const bool squares = job.combination == ARRAY_MAGNITUDE;
    const char *const own = exact_own(&job, wanted.place);
    const uint32_t *const sets = repair.set + wanted.result * repair.sets;
    const device_peak peak = (device_peak)repair.counts[GREATEST];
    const double scale = scale_of(peak, repair.gain, false, false);
    const double error = repair.per_peak * peak_value(peak) + repair.tiny;
    __shared__ device_rows rows;
    real total = {0, 0, peak_value(peak)};
    double sample;

    if (peak == 0 || repair.wide || job.exact_only || repair.rows == MOST_ROWS)
        return false;
    for (int i = 0; i < repair.sets; i += 2)
        total =
            sets[i + 1]
                ? sum_window<2>(repair, sets + i, wanted.place, own, scale, squares, rows, total)
                : sum_window<1>(repair, sets + i, wanted.place, own, scale, squares, rows, total);
    if (squares)
        total = combine_root(total, true);
    if (isinf(total.magnitude) || !isfinite(total.value) ||
        round_sample<true>(total, error, reinterpret_cast<char *>(&sample), job.dst.type))
        return false;
    if (threadIdx.x == 0)
        store_sample(
            repair, wanted.address,
            exact_bits_at(reinterpret_cast<const char *>(&sample), repair.common.to.bytes));
    return true;
}

/* --- The exact sum of a window, and the kernel. */

/* Sums a term's window exactly into memory->term of the block's first thread. part: whether
 * samples, weights or their products are summed. Returns which infinities or NaN are among the
 * samples (exact.h). */
__device__ __forceinline__ unsigned sum_part(const device_repair &repair, exact_part part, int term,
                                             const int64_t *place, exact_memory *memory)
{
    __shared__ unsigned kinds[EXACT_THREADS];
    exact_common common = repair.common;
    const int words = common.words, apart = EXACT_ARRAYS * words; /* from a thread to the next */

    common.part = part;
    common.to_alpha = exact_to_alpha(&repair.job, place);
    wide_clear(memory->term, words);
    kinds[threadIdx.x] =
        exact_add_rows(&repair.job, &common, term, place, threadIdx.x, EXACT_THREADS, memory);
    for (unsigned half = EXACT_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            wide_add_multiple(memory->term, words, memory->term + (int64_t)half * apart, words, 1,
                              0, false);
            kinds[threadIdx.x] |= kinds[threadIdx.x + half];
        }
    }
    __syncthreads();
    return kinds[0];
}

/* Computes exactly a sample that is a mean, and stores it. */
__device__ __noinline__ void repair_mean(const device_repair &repair, const int64_t *place,
                                         char *address, exact_memory *memory)
{
    const unsigned of_weights = sum_part(repair, EXACT_WEIGHTS, 0, place, memory);

    if (threadIdx.x == 0)
        for (int i = 0; i < repair.common.words; i++)
            memory->total[i] = memory->term[i];
    __syncthreads();

    const unsigned kinds = sum_part(repair, EXACT_WEIGHED, 0, place, memory);

    if (threadIdx.x == 0)
        store_sample(
            repair, address,
            exact_round_parts(&repair.job, &repair.common, place, of_weights, kinds, memory));
}

/* What the block has learned from its last flat window. In a flat window all samples have the same
 * value, here `sample`. In result `result`, every flat window of this value gives the sample
 * `bits`. Flat windows are frequent here: no estimate proves that the derivative of a flat
 * background is 0, and so these samples are unresolved. */
struct flat_result {
    int result; /* index of the result; -1: no flat window yet */
    uint64_t sample, bits;
};

/* Finds the sample that bit `bit` of a word of `open` stands for. */
__device__ __forceinline__ void find_sample(const device_repair &repair, int64_t word, int bit,
                                            device_sample *found)
{
    const array_job &job = repair.job;
    int64_t number;

    found->result = (int)quotient(word, repair.words);
    found->address = static_cast<char *>(job.dst.origin) + job.result[found->result];
    number = (word - found->result * repair.words) * 32 + bit;
    for (int axis = job.axes - 1; axis >= 0; axis--) {
        const int64_t next = quotient(number, job.extent[axis]);
        const int64_t at = number - next * job.extent[axis];

        found->place[axis] = job.first[axis] + at;
        found->address += at * job.dst.strides[axis];
        number = next;
    }
}

/* Goes through the samples that `bits` marks in a word of `open`. Stores each one whose window is
 * flat and has the value of `flat`, and returns the bits of the other samples. Each thread works on
 * a word of its own. */
__device__ __noinline__ uint32_t store_flat(const device_repair &repair, int64_t word,
                                            uint32_t bits, const flat_result &flat)
{
    uint32_t others = bits;
    device_sample it;

    for (; bits && flat.result >= 0; bits &= bits - 1) {
        find_sample(repair, word, __ffs((int)bits) - 1, &it);
        if (it.result == flat.result &&
            exact_is_flat(&repair.job, repair.common.from.bytes, it.place, flat.sample, 0, 1)) {
            store_sample(repair, it.address, flat.bits);
            others &= ~(bits & -bits);
        }
    }
    return others;
}

/* Computes exactly one sample that is not a mean. Returns the sample's bits to the first thread of
 * the block, and 0 to the other threads. */
__device__ __noinline__ uint64_t round_exactly(const device_repair &repair,
                                               const device_sample &wanted, exact_memory *memory)
{
    const array_job &job = repair.job;
    const int terms = job.terms / repair.results;
    unsigned kinds = EXACT_FINITE;

    wide_clear(memory->total, repair.common.words);
    wide_clear(memory->squares, 2 * repair.common.words);
    for (int t = wanted.result * terms; t < (wanted.result + 1) * terms; t++) {
        kinds |= exact_kinds_of(&job, sum_part(repair, EXACT_SAMPLES, t, wanted.place, memory));
        if (threadIdx.x == 0)
            exact_add_term(&job, &repair.common, memory);
        __syncthreads();
    }
    return threadIdx.x == 0 ? exact_round_result(&job, &repair.common, kinds, memory) : 0;
}

/* Computes and stores one sample. All threads of the block must call this function. own: the
 * thread's working memory. Returns whether the sample's window is flat; if it is, the first thread
 * stores the window's value and the sample in *flat. */
__device__ bool repair_sample(const device_repair &repair, const device_sample &wanted,
                              uint64_t *own, flat_result *flat)
{
    const array_job &job = repair.job;
    const int bytes = repair.common.from.bytes;
    struct exact_memory memory = exact_memory_at(own, repair.common.words);
    const uint64_t sample = exact_bits_at(exact_own(&job, wanted.place), bytes);
    const bool flat_here = job.weighing == ARRAY_ALIKE &&
                           !__syncthreads_or(!exact_is_flat(&job, bytes, wanted.place, sample,
                                                            threadIdx.x, EXACT_THREADS));

    if (exact_is_mean(&job, wanted.place)) {
        repair_mean(repair, wanted.place, wanted.address, &memory);
        return false;
    }
    if (!flat_here && job.filtered > 0 && close_sample(repair, wanted))
        return false;

    const uint64_t bits = round_exactly(repair, wanted, &memory);

    if (threadIdx.x == 0) {
        store_sample(repair, wanted.address, bits);
        if (flat_here)
            *flat = {wanted.result, sample, bits};
    }
    return flat_here;
}

/* Returns a word of `open`, with 0 for the bits after a result's last sample. Returns 0 if there is
 * no such word. */
__device__ __forceinline__ uint32_t open_word(const device_repair &repair, int64_t word)
{
    const int64_t left = repair.samples - 32 * (word % repair.words);

    return word < repair.results * repair.words ? repair.open[word] & (left >= 32 ? ~0u
                                                                       : left > 0 ? (1u << left) - 1
                                                                                  : 0)
                                                : 0;
}

__global__ void __launch_bounds__(EXACT_THREADS, REPAIR_BLOCKS)
    repair_array(const __grid_constant__ device_repair repair)
{
    __shared__ uint32_t open[EXACT_THREADS]; /* words of repair.open, from `first` on; a bit is
                                                cleared once its sample is computed */
    __shared__ flat_result flat;
    __shared__ device_sample wanted;
    __shared__ int64_t first;
    const int mine = (int)threadIdx.x;
    uint64_t *const own = repair.memory + ((int64_t)blockIdx.x * EXACT_THREADS + mine) *
                                              EXACT_ARRAYS * repair.common.words;

    if (repair.counts[OPENED] == repair.counts[CLOSED])
        return;
    if (mine == 0)
        flat.result = -1;
    for (;;) {
        __syncthreads();
        if (mine == 0)
            first = (int64_t)atomicAdd(&repair.counts[TAKEN], (unsigned long long)EXACT_THREADS);
        __syncthreads();
        if (first >= repair.results * repair.words)
            return;
        open[mine] = store_flat(repair, first + mine, open_word(repair, first + mine), flat);
        if (!__syncthreads_or(open[mine] != 0))
            continue;
        for (int i = 0; i < EXACT_THREADS; i++)
            while (const uint32_t left = open[i]) {
                if (mine == 0)
                    find_sample(repair, first + i, __ffs((int)left) - 1, &wanted);
                __syncthreads();

                const bool learned = repair_sample(repair, wanted, own, &flat);

                __syncthreads();
                if (mine == 0)
                    open[i] = left & (left - 1);
                __syncthreads();
                if (learned)
                    open[mine] = store_flat(repair, first + mine, open[mine], flat);
                __syncthreads();
            }
    }
}

#endif
