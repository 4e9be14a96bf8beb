/* SPDX-License-Identifier: MIT */
/* filter_axis(): the kernel that filters along one axis into a plane, an array of doubles in
 * scratch memory. Values that lie along the filtered axis form a line; the lanes of a warp filter
 * adjacent lines. Peaks, and the other terms, are defined in pass.h.
 *
 * A strip is STRIP adjacent lines. A sample is unresolved while its rounding is not proven; the
 * second level (engine.h) runs only if many samples are unresolved. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_AXIS_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_AXIS_CUH

#include "kernels/common/launch.cuh"
#include "kernels/smooth/arrays/device/sums.cuh"

/* Warps of a block; each filters its own strip of STRIP adjacent lines. */
#define AXIS_WARPS 4

/* Returns the offset of element number `index` along axes first..end-1. Elements are counted with
 * the last axis varying fastest. */
__device__ __forceinline__ int64_t offset_of(const int64_t *extents, const int64_t *strides,
                                             int first, int end, int64_t index)
{
    int64_t offset = 0;

    for (int axis = end - 1; axis > first; axis--) {
        const int64_t extent = extents[axis];
        const int64_t next = quotient(index, extent);

        offset += (index - next * extent) * strides[axis];
        index = next;
    }
    return first < end ? offset + index * strides[first] : 0;
}

/* True if the kernel has no work, because it belongs to the second level and too few samples are
 * unresolved. */
__device__ __forceinline__ bool is_spared(const device_level &level)
{
    return level.least > 0 && *level.opened < level.least;
}

/* Returns the line that a thread reads. outer: index of the line along all axes before the filtered
 * one; inner: the line's index along all axes after it, where each value of a pixel counts. */
template <int FROM>
__device__ __forceinline__ device_line line_of(const axis_pass &pass, int64_t outer, int64_t inner)
{
    const device_array &source = pass.source;
    const char *base = pass.from.origin;

    base += offset_of(source.extent, source.stride, 0, pass.number, outer);
    if constexpr (IS_SCRATCH<FROM>) {
        const int number = IS_WEIGHED<FROM> ? (int)(inner % pass.pixel.numbers) : 0;

        return line_of_number<FROM>(pass.pixel, number,
                                    base + (inner - number) * (int64_t)sizeof(double), 0);
    }
    if constexpr (IS_WEIGHED<FROM>) {
        const int64_t pixel = inner / pass.pixel.numbers;
        const int number = (int)(inner - pixel * pass.pixel.numbers);
        const int64_t sample = source.stride[source.axes - 1];

        return line_of_number<FROM>(pass.pixel, number,
                                    base + offset_of(source.extent, source.stride, pass.number + 1,
                                                     source.axes, pixel * pass.pixel.samples),
                                    sample);
    }
    return {base + offset_of(source.extent, source.stride, pass.number + 1, source.axes, inner),
            false, false, 0};
}

/* Returns the peak (a bound on magnitudes) of the samples from which a strip's results are
 * computed. All lanes of the warp must call this function. base, inner: address and index of lane
 * 0's line. offsets: for each edge rule, a table of `reads` offsets. */
template <int FROM>
__device__ __forceinline__ device_peak peak_of_strip(const axis_pass &pass, const int64_t *offsets,
                                                     int reads, const char *base, int64_t inner,
                                                     const device_measure<FROM> &measure)
{
    device_peak peak = 0;

    if constexpr (IS_SCRATCH<FROM>) {
        const int64_t from = (base - pass.from.origin) / (int64_t)sizeof(double);
        const int64_t count = min((int64_t)STRIP, pass.inner - inner);

        for (int i = (int)threadIdx.x; i < count_bits(pass.axis.edges) * reads; i += STRIP)
            if (offsets[i] != OUTSIDE)
                peak = join_peaks(peak, peak_of_numbers(pass.peaks_from,
                                                        from + offsets[i] / (int64_t)sizeof(double),
                                                        count));
    } else
        peak = measure.peak();
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2)
        peak = join_peaks(peak, __shfl_xor_sync(~0u, peak, apart));
    return peak;
}

/* A block computes tiles, one after the other. A tile is AXIS_WARPS strips wide and R positions
 * long along the axis. Each warp computes a strip. Each thread computes R results along the axis.
 * HALO: the axis' halo; 0: any. */
template <int FROM, bool WIDE, int HALO>
__global__ void __launch_bounds__(STRIP *AXIS_WARPS, WIDE ? 4 : 5)
    filter_axis(const __grid_constant__ axis_pass pass)
{
    DYN_SHARED(int64_t, offsets);
    constexpr int R = results_by(HALO);
    const int64_t strips = (pass.inner + STRIP - 1) / STRIP;
    const int64_t columns = (pass.outer * strips + AXIS_WARPS - 1) / AXIS_WARPS;
    const int64_t groups = (pass.axis.extent + R - 1) / R;
    const int thread = (int)(threadIdx.y * STRIP + threadIdx.x);

    if (is_spared(pass.level))
        return;
    for (int64_t tile = blockIdx.x; tile < columns * groups; tile += gridDim.x) {
        const int64_t group = quotient(tile, columns);
        const int64_t number = (tile - group * columns) * AXIS_WARPS + threadIdx.y;
        const int64_t strip = min(number, pass.outer * strips - 1);
        const int64_t outer = quotient(strip, strips), first = (strip - outer * strips) * STRIP;
        const int64_t inner = min(first + threadIdx.x, pass.inner - 1);
        const bool is_own = strip == number && first + threadIdx.x == inner;
        const int64_t place = group * R;
        const device_line line = line_of<FROM>(pass, outer, inner);
        const int64_t strip_to = (outer * pass.axis.extent + place) * pass.pitch + first;
        double *const to = pass.to + strip_to + inner - first;
        const int left = is_own ? (int)min(pass.axis.extent - place, (int64_t)R) : 0;
        const int reads = axis_reads(pass.axis.halo, R);
        device_measure<FROM> measure;
        device_peak peak = 0;

        __syncthreads();

        const bool outside =
            __syncthreads_or(set_offsets(pass.axis, place, R, thread, STRIP * AXIS_WARPS, offsets));

        const auto find_peak = [&] {
            const device_line lane_0 = IS_SCRATCH<FROM> ? line_of<FROM>(pass, outer, first) : line;

            peak = peak_of_strip(pass, offsets, reads, lane_0.base, first, measure);
        };

        if constexpr (WIDE) {
            if constexpr (!IS_SCRATCH<FROM>)
                measure_line(pass.from, line, offsets, count_bits(pass.axis.edges) * reads,
                             measure);
            find_peak();
            peak = join_peaks(peak, pass.peak);
        }
        for (int i = 0; i < pass.node.count; i++) {
            const device_input &input = pass.node.inputs[i];
            const double scale =
                WIDE ? scale_of(peak, input.gain, pass.pixel.drops, line.is_weight) : 0;

            sum_input<FROM, WIDE, R, HALO>(scale, input, pass.axis, pass.taps, pass.from, line,
                                           offsets_of(pass.axis, input.edge, R, offsets), outside,
                                           measure, [&](int r, real sum) {
                                               double *const there = to + r * pass.pitch;

                                               if (r >= left)
                                                   return;
                                               if (i > 0)
                                                   sum = sum_with<WIDE>(there, pass.to_rest, sum);
                                               put_sum<WIDE>(there, pass.to_rest, sum);
                                           });
        }
        if (pass.peaks_to) {
            if (!WIDE)
                find_peak();
            if (strip == number && threadIdx.x < R && place + threadIdx.x < pass.axis.extent) {
                device_peak *const there =
                    &pass.peaks_to[(strip_to + threadIdx.x * pass.pitch) / STRIP];

                *there = pass.joins_peaks ? join_peaks(*there, peak) : peak;
            }
        }
    }
}

#endif
