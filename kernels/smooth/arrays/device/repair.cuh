/* SPDX-License-Identifier: MIT */
/* Samples that may be wrong, by the definition: each by a block, whose threads share in the rows of
 * its window. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_REPAIR_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_REPAIR_CUH

#include "kernels/common/launch.cuh"
#include "kernels/smooth/arrays/device/store.cuh"

#define EXACT_THREADS 128

/* The result's samples, counted with the last axis fastest, are bits of `open`. */
struct device_repair {
    struct array_job job;
    struct exact_common common;
    uint64_t *words; /* EXACT_ARRAYS * common.words of each thread of the grid */
    const uint32_t *open;
    const unsigned long long *counts; /* how many were opened, and were closed */
    int64_t samples;
};

/* The sums and kinds of the block's threads, in the first one's. */
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

/* The result of windows whose samples all are the same, of the last such value: derivatives of
 * backgrounds are 0, which no estimate proves. */
struct flat_result {
    bool known;
    uint64_t sample, bits;
};

/* Finds the place of a result's sample; returns where it goes. */
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

/* Stores, of samples 32 word.. with these bits, those whose windows are flat and have a result that
 * is known. Returns the others. Each thread by itself. */
__device__ uint32_t store_flat(const device_repair &repair, int64_t word, uint32_t bits,
                               const flat_result &flat)
{
    uint32_t others = bits;
    int64_t place[ARRAY_AXES];

    for (; bits && flat.known; bits &= bits - 1) {
        char *const address = find_place(repair, word * 32 + __ffs((int)bits) - 1, place);

        if (exact_is_flat(&repair.job, repair.common.from.bytes, place, flat.sample, 0, 1)) {
            store_bits(address, repair.common.to.bytes, flat.bits);
            others &= ~(bits & -bits);
        }
    }
    return others;
}

/* Computes one sample. The whole block calls it; own: the thread's words. Returns whether its
 * window is flat: then *flat is its result. */
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
        !__syncthreads_or(!exact_is_flat(&job, bytes, place, sample, threadIdx.x, EXACT_THREADS));
    unsigned kinds = EXACT_FINITE;

    wide_clear(memory.total, words);
    wide_clear(memory.squares, 2 * words);
    for (int t = 0; t < job.terms; t++) {
        wide_clear(memory.term, words);

        const unsigned found =
            exact_add_rows(&job, &repair.common, t, place, threadIdx.x, EXACT_THREADS, &memory);

        kinds |= exact_kinds_of(&job, join_terms(repair, memory.term, found));
        if (threadIdx.x == 0)
            exact_add_term(&job, &repair.common, &memory);
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        const uint64_t bits = exact_round_result(&job, &repair.common, kinds, &memory);

        store_bits(address, repair.common.to.bytes, bits);
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
        const uint32_t open = first + mine < words ? repair.open[first + mine] : 0;

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
