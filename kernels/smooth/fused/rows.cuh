/* SPDX-License-Identifier: MIT */
/* The fused smooth for halos to ROWS_MAX_HALO and any number of channels. A block moves down a
 * block of columns of one channel. For each row of outputs its threads sum down the columns, eight
 * side by side each, straight from memory (the window's rows are in the L1 cache but for the
 * lowest), and lay the sums into shared memory; after one barrier they sum along the row, again
 * eight outputs each, keeping 16 sums in registers that 8 taps pass over. Two buffers take turns,
 * so that one barrier a row is enough. */
#ifndef SMOOTHIMG_FUSED_ROWS_CUH
#define SMOOTHIMG_FUSED_ROWS_CUH

#include "kernels/smooth/fused/filter.cuh"
#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/source.cuh"

#define ROWS_THREADS 256
#define SIDE 8                     /* columns of a thread */
#define LINE (ROWS_THREADS * SIDE) /* column sums that a block makes at once */
#define ROWS_MAX_HALO 64           /* beyond it the integers of exact.cuh are quicker */
template <class Form> using any_filter = fused_filter<Form, ROWS_MAX_HALO + 1>;
template <class Form> using any_filter_of_two = fused_filter_of_two<Form, ROWS_MAX_HALO + 1>;

__host__ __device__ static inline int round_up(int halo)
{
    return (halo + SIDE - 1) / SIDE * SIDE;
}

/* Outputs of a thread block in a row. */
__host__ __device__ static inline int columns_of_block(int halo)
{
    return LINE - 2 * round_up(halo);
}

/* Where sum i lies: 16 bytes are left free after every eight sums, so that eight threads, each at
 * its own eight, read 16 bytes each from different banks. */
template <typename Sum> __host__ __device__ static inline int slot(int i)
{
    return i + i / SIDE * (int)(16 / sizeof(Sum));
}

template <typename Sum> static inline size_t line_slots(int halo)
{
    return (size_t)slot<Sum>(columns_of_block(halo) + 2 * round_up(halo) + 2 * SIDE);
}

/* Eight samples of a channel from `samples` on, in parts. DENSE: they lie side by side, aligned. */
template <class Form, bool DENSE>
__device__ __forceinline__ void
load_parts(uint32_t (&parts)[SIDE * sizeof(typename Form::sample) / 2],
           const typename Form::sample *samples, int32_t channels, int64_t last)
{
    constexpr int size = (int)sizeof(typename Form::sample);
    constexpr int words = SIDE * size / 4, in_word = 4 / size;

    if constexpr (DENSE && size == 1) {
        const uint2 in = *reinterpret_cast<const uint2 *>(samples);

        Form::unpack(parts, in.x);
        Form::unpack(parts + 2, in.y);
    } else if constexpr (DENSE) {
        const uint4 in = *reinterpret_cast<const uint4 *>(samples);

        Form::unpack(parts, in.x);
        Form::unpack(parts + 2, in.y);
        Form::unpack(parts + 4, in.z);
        Form::unpack(parts + 6, in.w);
    } else {
#pragma unroll
        for (int w = 0; w < words; w++) {
            uint32_t word = 0;

#pragma unroll
            for (int i = 0; i < in_word; i++) {
                const int64_t at = w * in_word + i;

                word |= (uint32_t)samples[min(at, last) * channels] << (i * 8 * size);
            }
            Form::unpack(parts + 2 * w, word);
        }
    }
}

/* Samples of row y from pixel x on, side by side, as many as 32 bits have, wherever they lie. Not
 * inline: it is rare, and its registers are not the loop's. */
template <typename Sample>
__device__ __noinline__ uint32_t gather_word(const source &src, int64_t x, int64_t y,
                                             int32_t channel)
{
    const Sample *line = source_line<Sample>(src, y);
    uint32_t word = 0;

#pragma unroll 1
    for (int i = 0; i < 4 / (int)sizeof(Sample); i++)
        word |= (uint32_t)source_get(src, line, x + i, channel, false)
                << (i * 8 * (int)sizeof(Sample));
    return word;
}

/* The same as load_parts where the source ends: of row y, from pixel x on. */
template <class Form>
__device__ __forceinline__ void
gather_parts(uint32_t (&parts)[SIDE * sizeof(typename Form::sample) / 2], const source &src,
             int64_t x, int64_t y, int32_t channel)
{
    constexpr int in_word = 4 / (int)sizeof(typename Form::sample);

#pragma unroll
    for (int w = 0; w < SIDE / in_word; w++)
        Form::unpack(parts + 2 * w,
                     gather_word<typename Form::sample>(src, x + w * in_word, y, channel));
}

template <class Form>
__device__ __forceinline__ void add_tap(typename Form::product (&products)[SIDE],
                                        const uint32_t *parts, typename Form::column_weight weight)
{
#pragma unroll
    for (int i = 0; i < SIDE; i++)
        Form::add_column(products[i], weight, parts, i);
}

/* The sums down eight columns from pixel x on, which are needed up to number `last`, in the row y
 * of the outputs. INSIDE: they lie in src. */
template <class Form, bool DENSE, bool INSIDE, class Filter>
__device__ __forceinline__ void
sum_eight_columns(typename Form::sum (&sums)[SIDE], const source &src, const Filter &filter,
                  int64_t x, int64_t y, int32_t channel, int64_t last)
{
    typedef typename Form::sample sample;
    constexpr int count = SIDE * (int)sizeof(sample) / 2;
    const auto load = [&](uint32_t(&to)[count], int row) {
        if constexpr (INSIDE)
            load_parts<Form, DENSE>(to,
                                    row_of<const sample>(src, y + row) + x * src.channels + channel,
                                    src.channels, last);
        else
            gather_parts<Form>(to, src, x, y + row, channel);
    };
    uint32_t parts[count], others[count];
    typename Form::product products[SIDE];

#pragma unroll
    for (int i = 0; i < SIDE; i++)
        products[i] = filter.half;
#pragma unroll(INSIDE ? 4 : 1)
    for (int k = filter.halo_y(); k > 0; k--) {
        load(parts, -k);
        load(others, k);
#pragma unroll
        for (int p = 0; p < count; p++)
            parts[p] += others[p];
        add_tap<Form>(products, parts, filter.columns[k]);
    }
    load(parts, 0);
    add_tap<Form>(products, parts, filter.columns[0]);
#pragma unroll
    for (int i = 0; i < SIDE; i++)
        sums[i] = Form::end_column(products[i], filter.shift);
}

/* Makes the line of sums for the outputs from pixel x on. */
template <class Form, bool DENSE, class Filter>
__device__ __forceinline__ void sum_line(typename Form::sum *line, const source &src, int64_t x,
                                         int64_t y, int32_t channel, const Filter &filter)
{
    const int halo = filter.halo_x(), before = round_up(halo);
    const int count = columns_of_block(halo) + 2 * before;
    const int64_t end = src.width + halo;

    for (int at = (int)threadIdx.x * SIDE; at < count; at += LINE) {
        const int64_t first = x - before + at; /* column of the sum */
        typename Form::sum sums[SIDE];

        if (first >= end)
            return;
        const int64_t skip = DENSE || first >= -halo ? 0 : -halo - first;
        const int64_t own = first + skip, needed = max(first, (int64_t)-halo);
        const int64_t last = min(first + SIDE, end) - 1;

        if (skip >= SIDE)
            continue;
        if (source_has_rows(src, y - filter.halo_y(), y + filter.halo_y()) &&
            source_has_columns(src, needed, last))
            sum_eight_columns<Form, DENSE, true>(sums, src, filter, own, y, channel, last - own);
        else
            sum_eight_columns<Form, DENSE, false>(sums, src, filter, own, y, channel, 0);
#pragma unroll
        for (int i = 0; i < SIDE; i++) {
            const int to = at + (int)skip + i - (before - halo);

            if (to >= 0 && skip + i < SIDE)
                line[slot<typename Form::sum>(to)] = sums[i];
        }
    }
}

template <typename Sum> __device__ __forceinline__ void load_eight(Sum *sums, const Sum *from)
{
    struct alignas(16) unit {
        Sum sums[16 / sizeof(Sum)];
    };
    constexpr int in_unit = (int)(16 / sizeof(Sum));

#pragma unroll
    for (int i = 0; i < SIDE; i += in_unit) {
        const unit four = *reinterpret_cast<const unit *>(from + i);

#pragma unroll
        for (int j = 0; j < in_unit; j++)
            sums[i + j] = four.sums[j];
    }
}

/* Eight sums along the row. from: in the line, of the first tap of the first output; a multiple of
 * eight. Each sum is loaded once. */
template <class Form>
__device__ __forceinline__ void sum_eight_along(typename Form::total (&results)[SIDE],
                                                const typename Form::sum *line, int from,
                                                const any_filter<Form> &filter)
{
    typename Form::sum near[2 * SIDE];
    const int taps = 2 * filter.halo + 1;

    load_eight(near, line + slot<typename Form::sum>(from));
#pragma unroll
    for (int i = 0; i < SIDE; i++)
        results[i] = filter.offset;
    for (int tap = 0; tap < taps; tap += SIDE) {
        load_eight(near + SIDE, line + slot<typename Form::sum>(from + tap + SIDE));
#pragma unroll
        for (int j = 0; j < SIDE; j++) {
            const int k = tap + j - filter.halo;

            if (tap + j < taps) {
                const typename Form::row_weight weight = filter.rows[k < 0 ? -k : k];

#pragma unroll
                for (int i = 0; i < SIDE; i++)
                    Form::add_row(results[i], weight, near[i + j]);
            }
        }
#pragma unroll
        for (int i = 0; i < SIDE; i++)
            near[i] = near[SIDE + i];
    }
}

/* Rounds and writes eight outputs; left: pixels to the end of the row. */
template <class Form>
__device__ __forceinline__ void store_eight(typename Form::sample *out, int32_t channels,
                                            const typename Form::total (&results)[SIDE],
                                            int64_t left, uint32_t maxval)
{
#pragma unroll
    for (int i = 0; i < SIDE; i++)
        if (i < left)
            out[i * channels] = (typename Form::sample)min(Form::whole(results[i]), maxval);
}

template <class Form, bool DENSE, class Filter>
__global__ void __launch_bounds__(ROWS_THREADS)
    fused_rows(const __grid_constant__ source src, const view dst,
               const __grid_constant__ Filter filter, const int segment_rows, unresolved_list *list,
               const int64_t capacity)
{
    DYN_SHARED(typename Form::sum, lines);
    const int columns = columns_of_block(filter.halo);
    const int size = slot<typename Form::sum>(columns + 2 * round_up(filter.halo) + 2 * SIDE);
    const int64_t x = (int64_t)blockIdx.x * columns;
    const int64_t y = (int64_t)blockIdx.y * segment_rows;
    const int64_t end = min(y + segment_rows, dst.height);
    int turn = 0;

    for (int i = threadIdx.x; i < 2 * size; i += ROWS_THREADS)
        lines[i] = 0; /* what lies beyond the sums is loaded with them, and not used */
    await_kernel_before();
    __syncthreads();
    for (int32_t channel = blockIdx.z; channel < src.channels; channel += gridDim.z)
        for (int64_t row = y; row < end; row++) {
            typename Form::sum *line = lines + turn * size;

            turn ^= 1;
            sum_line<Form, DENSE>(line, src, x, row, channel, filter);
            __syncthreads();
            for (int at = (int)threadIdx.x * SIDE; at < columns; at += LINE) {
                const int64_t left = dst.width - x - at;
                typename Form::total results[SIDE];
                uint32_t which = 0;

                if (left <= 0)
                    break;
                sum_eight_along<Form>(results, line, at, filter);
                store_eight<Form>(row_of<typename Form::sample>(dst, row) +
                                      (x + at) * dst.channels + channel,
                                  dst.channels, results, left, filter.maxval);
#pragma unroll
                for (int i = 0; i < SIDE; i++)
                    which |= (Form::fraction(results[i]) < filter.unresolved && i < left ? 1u : 0u)
                             << i;
                if (which)
                    add_unresolved(list, {x + at, row, channel, which}, capacity);
            }
        }
}

#endif
