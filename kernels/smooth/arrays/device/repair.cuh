/* SPDX-License-Identifier: MIT */
/* Computes the samples that are still unresolved (`open`): no error bound has proven their
 * rounding. A block computes one sample at a time, and its threads share the rows of the sample's
 * window. The threads first sum the window in two doubles (double-double). If that does not prove
 * the rounding, they sum it exactly.
 *
 * A term of the filter is a product of one filter for each axis. `kinds` is a set of flags: whether
 * a NaN, +infinity or -infinity is among the samples (exact.h). */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_REPAIR_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_REPAIR_CUH

#include "kernels/common/launch.cuh"
#include "kernels/smooth/arrays/device/store.cuh"
#include "kernels/smooth/arrays/device/sums.cuh"

#ifdef __NVCC__
#define EXACT_THREADS 128
#else
#define EXACT_THREADS 32 /* fewer, since the emulated device is slow */
#endif

/* The arguments of repair_array(). Bit i of `open` is set if sample i of the result is unresolved.
 * Samples are counted with the last axis varying fastest. */
struct device_repair {
    struct array_job job;
    struct exact_common common;
    uint64_t *words; /* working memory: EXACT_ARRAYS * common.words words for each thread */
    const uint32_t *open;
    /* [0]: how many samples became unresolved. [1]: how many of these have been resolved since.
     * [2]: the greatest peak of all tiles; 0 if there were no tiles. */
    const unsigned long long *counts;
    int64_t samples;
    uint64_t most;                  /* a greater sample becomes this; UINT64_MAX: no limit */
    const struct device_taps *taps; /* in the order of job.taps, as doubles */
    /* The error of a sum in two doubles is at most per_peak times the peak counts[2], plus tiny. */
    double per_peak, tiny;
    double gain; /* product of the gains (scheme.h) of all stages */
    bool wide;   /* the passes summed in two doubles, so exact sums follow at once */
};

__device__ __forceinline__ void store_sample(const device_repair &repair, char *address,
                                             uint64_t bits)
{
    exact_put_bits(address, repair.common.to.bytes, min(bits, repair.most));
}

/* --- Sums of two doubles. */

/* A row of the window of one term (addend) of the filter. It lies along the last filtered axis. */
struct device_row {
    const char *own; /* its sample in the middle; NULL: all its samples have the value outside */
    real weight;     /* the product of its taps along the other axes */
};

/* Returns row number `row` of a term's window. own: the sample in the middle of the window. */
__device__ __forceinline__ device_row row_of(const device_repair &repair, int term,
                                             const int64_t *place, int64_t row, const char *own)
{
    const array_job &job = repair.job;
    device_row found = {own, {1, 0, 0}};

    for (int i = job.filtered - 2; i >= 0; i--) {
        const int number = term * job.filtered + i, axis = job.axis[i];
        const device_taps taps = repair.taps[number];
        const int64_t before = quotient(row, 2 * taps.halo + 1);
        const int64_t k = row - before * (2 * taps.halo + 1) - taps.halo, distance = k < 0 ? -k : k;
        const int64_t from = edge_index(job.taps[number].edge, place[axis] + k, job.shape[axis]);
        const double sign = taps.odd && k < 0 ? -1 : 1;

        found.weight =
            times(found.weight, {sign * taps.taps[distance], sign * taps.rests[distance], 0});
        if (from < 0)
            found.own = NULL;
        else if (found.own)
            found.own += (from - place[axis]) * job.src.strides[axis];
        row = before;
    }
    return found;
}

/* Returns the sum of one row of a term's window. own: its sample in the middle; NULL: all its
 * samples have the value outside. TYPE: the type of samples, or ANY_TYPE. scale: U of bounds.h. */
template <int TYPE>
__device__ __forceinline__ real sum_row(const device_repair &repair, int term, const int64_t *place,
                                        const char *own, double scale)
{
    const array_job &job = repair.job;
    const int last = job.filtered - 1, number = term * job.filtered + last;
    const int64_t at = place[job.axis[last]], length = job.shape[job.axis[last]];
    const int64_t stride = job.src.strides[job.axis[last]];
    const device_taps taps = repair.taps[number];
    const enum edge edge = job.taps[number].edge;
    const bool is_inside = at >= taps.halo && at + taps.halo < length;

    return sum_carefully<true>(scale, taps, [&](int k) {
        const int64_t from = is_inside ? at + k : edge_index(edge, at + k, length);
        const bool is_sample = own && from >= 0;

        return is_sample ? load_sample<TYPE>(own + (from - at) * stride, job.src.type)
                         : real{job.outside, job.outside_rest, 0};
    });
}

/* Returns the sum of the thread's rows of a term's window, each times its weight. */
template <int TYPE>
__device__ __forceinline__ real sum_rows_of(const device_repair &repair, int term,
                                            const int64_t *place, const char *own, double scale)
{
    int64_t rows = 1;
    real sum = {0, 0, 0};

    for (int i = 0; i < repair.job.filtered - 1; i++)
        rows *= 2 * repair.taps[term * repair.job.filtered + i].halo + 1;
    for (int64_t row = threadIdx.x; row < rows; row += EXACT_THREADS) {
        const device_row its = row_of(repair, term, place, row, own);

        sum =
            combine_add(sum, times(its.weight, sum_row<TYPE>(repair, term, place, its.own, scale)),
                        false, true);
    }
    return sum;
}

/* Returns the sum of a term's window to all threads of the block, which must all call it. */
__device__ real sum_window(const device_repair &repair, int term, const int64_t *place,
                           const char *own, double scale)
{
    __shared__ real sums[EXACT_THREADS];
    real sum;

    if (repair.job.src.type == SAMPLE_F32)
        sum = sum_rows_of<SAMPLE_F32>(repair, term, place, own, scale);
    else
        sum = sum_rows_of<ANY_TYPE>(repair, term, place, own, scale);
    __syncthreads();
    sums[threadIdx.x] = sum;
    for (unsigned half = EXACT_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] =
                combine_add(sums[threadIdx.x], sums[threadIdx.x + half], false, true);
    }
    __syncthreads();
    return sums[0];
}

/* Computes one sample in two doubles, and stores it if its rounding is proven. Returns whether it
 * has stored the sample. All threads of the block call it. */
__device__ bool close_sample(const device_repair &repair, const int64_t *place, char *address)
{
    const array_job &job = repair.job;
    const bool squares = job.combination == ARRAY_MAGNITUDE;
    const char *const own = exact_own(&job, place);
    const device_peak peak = (device_peak)repair.counts[2];
    const double scale = scale_of(peak, repair.gain, false, false);
    const double error = repair.per_peak * peak_value(peak) + repair.tiny;
    real total = {0, 0, peak_value(peak)};
    double sample;

    if (peak == 0 || repair.wide || job.exact_only)
        return false;
    for (int t = 0; t < job.terms; t++)
        total = combine_add(total, sum_window(repair, t, place, own, scale), squares, true);
    if (squares)
        total = combine_root(total, true);
    if (isinf(total.magnitude) || !isfinite(total.value) ||
        round_sample<true>(total, error, reinterpret_cast<char *>(&sample), job.dst.type))
        return false;
    if (threadIdx.x == 0)
        store_sample(
            repair, address,
            exact_bits_at(reinterpret_cast<const char *>(&sample), repair.common.to.bytes));
    return true;
}

/* --- Exact sums. */

/* Adds the sums of all threads to the first thread's sum. Returns the union of all threads'
 * `kinds`: the infinities and NaN that they have met (exact.h). */
__device__ __forceinline__ unsigned join_terms(const device_repair &repair, uint64_t *term,
                                               unsigned kinds)
{
    __shared__ unsigned all[EXACT_THREADS];
    const int apart = EXACT_ARRAYS * repair.common.words; /* from a thread's words to the next's */

    all[threadIdx.x] = kinds;
    for (unsigned half = EXACT_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            wide_add_multiple(term, repair.common.words, term + (int64_t)half * apart,
                              repair.common.words, 1, 0, false);
            all[threadIdx.x] |= all[threadIdx.x + half];
        }
    }
    __syncthreads();
    return all[0];
}

/* Sums a term's window exactly into memory->term of the block's first thread. part: whether
 * samples, weights or their products are summed. Returns which infinities or NaN are among the
 * samples (exact.h). */
__device__ __forceinline__ unsigned sum_part(const device_repair &repair, exact_part part, int term,
                                             const int64_t *place, exact_memory *memory)
{
    exact_common common = repair.common;

    common.part = part;
    common.to_alpha = exact_to_alpha(&repair.job, place);
    wide_clear(memory->term, common.words);
    return join_terms(
        repair, memory->term,
        exact_add_rows(&repair.job, &common, term, place, threadIdx.x, EXACT_THREADS, memory));
}

/* Computes a sample that is a mean, exactly. */
__device__ void repair_mean(const device_repair &repair, const int64_t *place, char *address,
                            exact_memory *memory)
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

/* The result of the flat window that the block has computed last. In a flat window all samples have
 * the same value, `sample`, so other flat windows of this value have the same result, `bits`. Flat
 * windows are frequent here: no estimate proves that the derivative of a flat background is 0, and
 * so these samples are unresolved. */
struct flat_result {
    bool known;
    uint64_t sample, bits;
};

/* Sets place[] to the position, along each axis, of sample number `number` of the result. Returns
 * the address of that sample. */
__device__ __forceinline__ char *find_place(const device_repair &repair, int64_t number,
                                            int64_t *place)
{
    const array_job &job = repair.job;
    char *address = static_cast<char *>(job.dst.origin);

    for (int axis = job.axes - 1; axis >= 0; axis--) {
        const int64_t next = number / job.extent[axis], at = number - next * job.extent[axis];

        place[axis] = job.first[axis] + at;
        address += at * job.dst.strides[axis];
        number = next;
    }
    return address;
}

/* Bit i of `bits` stands for sample number 32 * word + i. Stores those samples whose window is flat
 * and has the value of `flat`, and returns the bits of the others. Each thread works on a word of
 * its own. */
__device__ uint32_t store_flat(const device_repair &repair, int64_t word, uint32_t bits,
                               const flat_result &flat)
{
    uint32_t others = bits;
    int64_t place[ARRAY_AXES];

    for (; bits && flat.known; bits &= bits - 1) {
        char *const address = find_place(repair, word * 32 + __ffs((int)bits) - 1, place);

        if (exact_is_flat(&repair.job, repair.common.from.bytes, place, flat.sample, 0, 1)) {
            store_sample(repair, address, flat.bits);
            others &= ~(bits & -bits);
        }
    }
    return others;
}

/* Computes one sample. All threads of the block call it. own: the thread's working memory. Returns
 * whether the sample's window is flat, and then sets *flat to its result. */
__device__ bool repair_sample(const device_repair &repair, int64_t number, uint64_t *own,
                              flat_result *flat)
{
    const array_job &job = repair.job;
    const int words = repair.common.words;
    struct exact_memory memory = exact_memory_at(own, words);
    int64_t place[ARRAY_AXES];
    char *const address = find_place(repair, number, place);
    const int bytes = repair.common.from.bytes;
    const uint64_t sample = exact_bits_at(exact_own(&job, place), bytes);
    const bool flat_here =
        job.weighing == ARRAY_ALIKE &&
        !__syncthreads_or(!exact_is_flat(&job, bytes, place, sample, threadIdx.x, EXACT_THREADS));
    unsigned kinds = EXACT_FINITE;

    if (exact_is_mean(&job, place)) {
        repair_mean(repair, place, address, &memory);
        return false;
    }
    if (!flat_here && job.filtered > 0 && close_sample(repair, place, address))
        return false;
    wide_clear(memory.total, words);
    wide_clear(memory.squares, 2 * words);
    for (int t = 0; t < job.terms; t++) {
        kinds |= exact_kinds_of(&job, sum_part(repair, EXACT_SAMPLES, t, place, &memory));
        if (threadIdx.x == 0)
            exact_add_term(&job, &repair.common, &memory);
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        const uint64_t bits = exact_round_result(&job, &repair.common, kinds, &memory);

        store_sample(repair, address, bits);
        if (flat_here)
            *flat = {true, sample, bits};
    }
    return flat_here;
}

__global__ void __launch_bounds__(EXACT_THREADS)
    repair_array(const __grid_constant__ device_repair repair)
{
    __shared__ uint32_t found[EXACT_THREADS];
    __shared__ flat_result flat;
    const int64_t words = (repair.samples + 31) / 32, mine = threadIdx.x;
    uint64_t *const own = repair.words + ((int64_t)blockIdx.x * EXACT_THREADS + threadIdx.x) *
                                             EXACT_ARRAYS * repair.common.words;

    if (repair.counts[0] == repair.counts[1])
        return;
    if (threadIdx.x == 0)
        flat.known = false;
    __syncthreads();
    for (int64_t first = (int64_t)blockIdx.x * EXACT_THREADS; first < words;
         first += (int64_t)gridDim.x * EXACT_THREADS) {
        const int64_t left = repair.samples - 32 * (first + mine);
        const uint32_t there = left >= 32 ? ~0u : left > 0 ? (1u << left) - 1 : 0;
        const uint32_t open = there ? repair.open[first + mine] & there : 0;

        if (!__syncthreads_or(open != 0))
            continue;
        found[mine] = store_flat(repair, first + mine, open, flat);
        __syncthreads();
        for (int i = 0; i < EXACT_THREADS; i++)
            while (const uint32_t left = found[i]) {
                const bool learned =
                    repair_sample(repair, (first + i) * 32 + __ffs((int)left) - 1, own, &flat);

                __syncthreads();
                if (threadIdx.x == 0)
                    found[i] = left & (left - 1);
                __syncthreads();
                if (learned)
                    found[mine] = store_flat(repair, first + mine, found[mine], flat);
                __syncthreads();
            }
    }
}

#endif
