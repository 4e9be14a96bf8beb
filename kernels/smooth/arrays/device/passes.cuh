/* SPDX-License-Identifier: MIT */
/* The kernels that filter along one axis: across lines that lie side by side, and along a line. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_PASSES_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_PASSES_CUH

#include "kernels/common/launch.cuh"
#include "kernels/smooth/arrays/device/load.cuh"
#include "kernels/smooth/arrays/device/store.cuh"
#include "kernels/smooth/arrays/device/sums.cuh"

#define ACROSS_THREADS 128
#define ALONG_WARPS 4
#define ALONG_BLOCKS 5 /* of a multiprocessor: so many threads hide what loads take */

/* Sums that a thread makes at a time. */
template <bool WIDE> constexpr int SUMS = WIDE ? 4 : 8;

/* Where a place lies, which is the index'th along axes first..end-1, the last of them fastest. */
__device__ __forceinline__ int64_t offset_of(const device_array &array, int first, int end,
                                             int64_t index)
{
    int64_t offset = 0;

    for (int axis = end - 1; axis > first; axis--) {
        const int64_t extent = array.extent[axis];
        const int64_t next = (uint64_t)index >> 32 || extent >> 32
                                 ? index / extent
                                 : (int64_t)((uint32_t)index / (uint32_t)extent);

        offset += (index - next * extent) * array.stride[axis];
        index = next;
    }
    return first < end ? offset + index * array.stride[first] : 0;
}

/* Of the line that has these numbers among those before and after the axis. */
__device__ __forceinline__ char *line_of(const device_array &array, int axis, int64_t outer,
                                         int64_t inner)
{
    return array.origin + offset_of(array, 0, axis, outer) +
           offset_of(array, axis + 1, array.axes, inner);
}

/* Where the line's results lie, if the pass gives samples: else any address. */
__device__ __forceinline__ char *samples_of(const device_pass &pass, int64_t outer, int64_t inner)
{
    return pass.is_last ? line_of(pass.dst, pass.axis, outer, inner) : pass.dst.origin;
}

/* Doubles of the taps in shared memory, for R sums at a time. */
HOST_DEVICE int taps_room(int halo, int sums)
{
    return 2 * (sums - 1 + sums_reads(halo, sums));
}

/* Into shared memory, for the whole block. Returns what comes after them there. */
__device__ __forceinline__ double *load_taps(const device_pass &pass, double *shared, int sums,
                                             device_taps *taps)
{
    const int each = taps_room(pass.halo, sums) / 2;
    const int threads = (int)(blockDim.x * blockDim.y);

    for (int i = (int)(threadIdx.y * blockDim.x + threadIdx.x); i < each; i += threads) {
        const int k = i - (sums - 1);
        const bool there = k >= 0 && k <= 2 * pass.halo;

        shared[i] = there ? pass.taps[k] : 0;
        shared[each + i] = there ? pass.rests[k] : 0;
    }
    __syncthreads();
    *taps = {shared + sums - 1, shared + each + sums - 1, 2 * pass.halo};
    return shared + 2 * each;
}

/* Whether numbers are plain: what the pass reads, what it gives. */
struct device_plain {
    bool in, out;
    unsigned kinds;

    __device__ __forceinline__ explicit device_plain(const device_pass &pass)
    {
        kinds = pass.kinds ? *pass.kinds : 0;
        in = pass.in_stays_plain && !(kinds & KIND_NOT_PLAIN);
        out = pass.out_stays_plain && !(kinds & KIND_NOT_PLAIN);
    }
};

/* --- Across: threads take lines that lie side by side. Blocks x: lines; y: groups of places. */

/* R results, which read from place `begin` of the line on. INSIDE: all that they read is in the
 * line.
 */
template <bool INSIDE, int TYPE, bool WIDE, int R>
__device__ __forceinline__ void
sum_across(const device_line<TYPE, WIDE> &numbers, const device_taps &taps, int64_t begin,
           const device_plain &plain, device_sums<WIDE, R> &sums, device_sums<false, R> &sizes)
{
    const device_pass &pass = numbers.pass;
    const device_line<TYPE, WIDE> from = INSIDE ? numbers.moved(begin) : numbers;
    const auto place = [&](int i) {
        return INSIDE ? (int64_t)i : edge_index(pass.edge, begin + i, pass.length);
    };

    sum_numbers<false>(sums, taps,
                       [&](int i) { return from.template read<false>(place(i), plain.in); });
    if (pass.magnitudes && !plain.out)
        sum_numbers<true>(sizes, taps,
                          [&](int i) { return from.template read<true>(place(i), plain.in); });
}

template <int TYPE, bool WIDE>
__global__ void __launch_bounds__(ACROSS_THREADS)
    array_pass_across(const __grid_constant__ device_pass pass)
{
    constexpr int R = SUMS<WIDE>;
    DYN_SHARED(double, shared);
    device_taps taps;
    const int64_t line = (int64_t)blockIdx.x * ACROSS_THREADS + threadIdx.x;
    const int64_t outer = line / pass.inner, inner = line - outer * pass.inner;
    const device_plain plain(pass);
    const int reads = sums_reads(pass.halo, R);

    load_taps(pass, shared, R, &taps);
    if (line >= pass.outer * pass.inner)
        return;

    const device_line<TYPE, WIDE> numbers = {
        pass, TYPE == SCRATCH ? NULL : line_of(pass.src, pass.axis, outer, inner),
        outer * pass.length * pass.inner + inner};
    char *const samples = samples_of(pass, outer, inner);

    for (int64_t group = (int64_t)blockIdx.y * R; group < pass.extent;
         group += (int64_t)gridDim.y * R) {
        const int64_t begin = pass.first + group - pass.halo;
        const int64_t index = (outer * pass.extent + group) * pass.inner + inner;
        device_sums<WIDE, R> sums;
        device_sums<false, R> sizes;

        if (begin >= 0 && begin + reads <= pass.length)
            sum_across<true>(numbers, taps, begin, plain, sums, sizes);
        else
            sum_across<false>(numbers, taps, begin, plain, sums, sizes);
#pragma unroll
        for (int r = 0; r < R; r++)
            if (group + r < pass.extent)
                give_number<WIDE>(pass, {sums.value[r], sums.rest[r], sizes.value[r]}, plain.out,
                                  plain.kinds, index + r * pass.inner,
                                  samples + (group + r) * pass.dst.stride[pass.axis]);
    }
}

/* --- Along: a warp takes a segment of a line, of pixels of `inner` numbers, into shared memory.
 * Blocks x: segments; y: lines. */

/* Threads of a warp that take the same number of a pixel. */
HOST_DEVICE int along_groups(int64_t inner)
{
    return (int)(32 / inner);
}

/* Places of a warp's part of a line, with those in reach; and doubles. */
HOST_DEVICE int along_places(int64_t inner, int halo, int sums)
{
    return (along_groups(inner) - 1) * sums + sums_reads(halo, sums);
}

/* Where number i is in shared memory: a gap after as many as a thread makes, so that the threads of
 * a warp find theirs in different banks. */
HOST_DEVICE constexpr int along_at(int i, int sums)
{
    return i + i / sums;
}

HOST_DEVICE int along_numbers(int64_t inner, int halo, int sums)
{
    return along_at((int)(along_places(inner, halo, sums) * inner), sums) + 1;
}

/* A plane of results. */
HOST_DEVICE constexpr int along_results(int sums)
{
    return along_at(32 * sums, sums);
}

/* Doubles that a warp has there: numbers, with rests; then values, rests and sizes of results. */
HOST_DEVICE int along_room(int64_t inner, int halo, int sums, bool wide)
{
    const int numbers = along_numbers(inner, halo, sums) * (wide ? 2 : 1);
    const int results = 3 * along_results(sums);

    return numbers < results ? results : numbers;
}

/* A warp's part of a line in shared memory. */
struct device_segment {
    double *values, *rests;
    int64_t begin; /* its first place in reach */
    int places;    /* in reach */
    int inner;
};

/* A number of it, or its magnitude. */
template <bool MAGNITUDE, int TYPE, bool WIDE>
__device__ __forceinline__ void put_in_segment(const device_segment &segment, int i,
                                               const real &number)
{
    const int at = along_at(i, SUMS<WIDE>);

    segment.values[at] = number.value;
    if (WIDE && !MAGNITUDE)
        segment.rests[at] = number.rest;
}

/* A number of it that is outside of the line, or whose numbers do not lie one after the other. */
template <bool MAGNITUDE, int TYPE, bool WIDE>
__device__ __forceinline__ real read_anywhere(const device_segment &segment,
                                              const device_line<TYPE, WIDE> &numbers,
                                              const device_plain &plain, int i)
{
    const device_pass &pass = numbers.pass;
    const int place = i / segment.inner, sample = i - place * segment.inner;
    device_line<TYPE, WIDE> own = numbers;

    own.index += sample;
    if (TYPE != SCRATCH && sample > 0)
        own.samples += offset_of(pass.src, pass.axis + 1, pass.src.axes, sample);
    return own.template read<MAGNITUDE>(edge_index(pass.edge, segment.begin + place, pass.length),
                                        plain.in);
}

/* Fills it; MAGNITUDE: with magnitudes. */
template <bool MAGNITUDE, int TYPE, bool WIDE>
__device__ __forceinline__ void load_segment(const device_segment &segment,
                                             const device_line<TYPE, WIDE> &numbers,
                                             const device_plain &plain)
{
    const int inner = segment.inner, count = segment.places * inner;
    const bool dense = TYPE == SCRATCH || inner == 1;
    /* Those inside of the line: */
    const int64_t before = -segment.begin * inner;
    const int64_t after = (numbers.pass.length - segment.begin) * inner;
    const device_line<TYPE, WIDE> from = numbers.moved(segment.begin);

    __syncwarp();
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < count; i += 32)
        put_in_segment<MAGNITUDE, TYPE, WIDE>(
            segment, i,
            dense && i >= before && i < after
                ? from.template read_after<MAGNITUDE>(i, plain.in)
                : read_anywhere<MAGNITUDE>(segment, numbers, plain, i));
    __syncwarp();
}

/* A thread's numbers go to shared memory, from which they are given side by side. first: where its
 * first one goes. */
template <int R>
__device__ __forceinline__ void put_sums(const double (&numbers)[R], double *plane, int first,
                                         int inner)
{
#pragma unroll
    for (int r = 0; r < R; r++)
        plane[along_at(first + r * inner, R)] = numbers[r];
}

template <int TYPE, bool WIDE>
__global__ void __launch_bounds__(32 * ALONG_WARPS, ALONG_BLOCKS)
    array_pass_along(const __grid_constant__ device_pass pass)
{
    constexpr int R = SUMS<WIDE>, plane = along_results(R);
    DYN_SHARED(double, shared);
    device_taps taps;
    double *const memory = load_taps(pass, shared, R, &taps);
    const int inner = (int)pass.inner, groups = along_groups(inner);
    const int lane = (int)threadIdx.x, sample = lane % inner, group = lane / inner;
    double *const results = memory + threadIdx.y * along_room(inner, pass.halo, R, WIDE);
    const int64_t first = (int64_t)blockIdx.x * groups * R; /* place of the segment */
    const device_plain plain(pass);
    device_segment segment = {results, NULL, pass.first + first - pass.halo,
                              along_places(inner, pass.halo, R), inner};
    /* A thread without a place of its own reads the first one's numbers. */
    const int own = group < groups ? group * R * inner + sample : 0;

    segment.rests = results + along_numbers(inner, pass.halo, R);
    for (int64_t outer = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; outer < pass.outer;
         outer += (int64_t)gridDim.y * blockDim.y) {
        const device_line<TYPE, WIDE> line = {
            pass, TYPE == SCRATCH ? NULL : line_of(pass.src, pass.axis, outer, 0),
            outer * pass.length * inner};
        char *const samples = samples_of(pass, outer, 0);
        device_sums<WIDE, R> sums;
        device_sums<false, R> sizes;

        load_segment<false>(segment, line, plain);
        sum_numbers<false>(sums, taps, [&](int i) {
            return real{segment.values[along_at(own + i * inner, R)],
                        WIDE ? segment.rests[along_at(own + i * inner, R)] : 0, 0};
        });
        if (pass.magnitudes && !plain.out) {
            load_segment<true>(segment, line, plain);
            sum_numbers<true>(sizes, taps, [&](int i) {
                return real{segment.values[along_at(own + i * inner, R)], 0, 0};
            });
        }
        __syncwarp();
        if (group < groups) {
            put_sums(sums.value, results, own, inner);
            if (WIDE)
                put_sums(sums.rest, results + plane, own, inner);
            if (pass.magnitudes && !plain.out)
                put_sums(sizes.value, results + 2 * plane, own, inner);
        }
        __syncwarp();
#pragma unroll 1
        for (int at = lane; at < groups * R * inner; at += 32) {
            const int place = inner == 1 ? at : at / inner;
            const double *const from = results + along_at(at, R);

            if (first + place < pass.extent)
                give_number<WIDE>(pass, {from[0], from[plane], from[2 * plane]}, plain.out,
                                  plain.kinds, (outer * pass.extent + first) * inner + at,
                                  samples + (first + place) * pass.dst.stride[pass.axis] +
                                      (inner > 1 ? offset_of(pass.dst, pass.axis + 1, pass.dst.axes,
                                                             at - place * inner)
                                                 : 0));
        }
    }
}

/* --- What numbers the source has. Blocks x: lines; y: groups of places along the pass' axis. */

#define MEASURED 16 /* places in a group */

template <int TYPE>
__global__ void __launch_bounds__(ACROSS_THREADS)
    measure_array(const __grid_constant__ device_pass pass, unsigned *kinds)
{
    const int64_t line = (int64_t)blockIdx.x * ACROSS_THREADS + threadIdx.x;
    const int64_t outer = line / pass.inner, inner = line - outer * pass.inner;
    unsigned found = 0;

    if (line < pass.outer * pass.inner) {
        const char *const samples = line_of(pass.src, pass.axis, outer, inner);

        for (int64_t group = (int64_t)blockIdx.y * MEASURED; group < pass.length;
             group += (int64_t)gridDim.y * MEASURED)
#pragma unroll 4
            for (int i = 0; i < MEASURED; i++) {
                const int64_t at = min(group + i, pass.length - 1);
                const double value =
                    load_sample<TYPE>(samples + at * pass.src.stride[pass.axis], pass.src.type)
                        .value;

                found |= real_kinds(value);
            }
    }
    found = (__syncthreads_or(found & KIND_NOT_PLAIN) ? KIND_NOT_PLAIN : 0) |
            (__syncthreads_or(found & KIND_HUGE) ? KIND_HUGE : 0);
    if (found && threadIdx.x == 0)
        atomicOr(kinds, found);
}

#endif
