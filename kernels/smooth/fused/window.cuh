/* SPDX-License-Identifier: MIT */
/* The kernel fused_window smooths with halos 1 and 2, but only with halo 1 if an image of 8 bits
 * has several channels.
 *
 * Both passes of separable.cu are here in one kernel, whose sums stay in registers. A warp moves
 * down some adjacent columns and keeps the window: each lane holds 16 bytes of each of the last 2
 * halo + 1 rows. These registers are the ring: a new row takes the place of the oldest one. For
 * each row of outputs, output_row() calls:
 *
 *   sum_columns   first pass: a lane sums down its columns, and gets the sums of the columns beside
 *                 them from its neighbours by shuffles
 *   sum_row       second pass: it sums along the row, in doubles
 *   Form::pack    rounds these estimates
 *   store_lane    writes 16 bytes
 *   queue_lane    queues the unresolved samples, whose rounding the error bound does not prove
 *
 * After its last row a warp computes the queued samples again, exactly, as the definition
 * (smooth/reference.c) does. The first and the last lane of a warp have no outputs; they only give
 * their sums to their neighbours. Begin to read at the loop of fused_window(), at the end.
 *
 * Form is a class with the number formats (arithmetic.cuh), for samples of 8 or 16 bits. With
 * several channels, taps along a row are CHANNELS samples apart; everything else is the same. A
 * warp unpacks each of its samples once; window_rows.cuh loads the rows. */
#ifndef SMOOTHIMG_FUSED_WINDOW_CUH
#define SMOOTHIMG_FUSED_WINDOW_CUH

#include "kernels/smooth/fused/filter.cuh"
#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/fused/window_rows.cuh"

template <class Form> struct window_of {
    static constexpr int columns = 16 / (int)sizeof(typename Form::sample); /* samples of a lane */
    static constexpr int in_word = columns / 4;                             /* samples in 32 bits */
    static constexpr int warp_columns = USEFUL_LANES * columns; /* outputs of a warp in a row */
};

/* Sums down the columns for one row of outputs. Two rows at the same distance k from the output
 * have one weight, so they are added before they are multiplied. sums[REACH + i] is the sum of the
 * lane's column i; the REACH elements on either side are the sums of the neighbouring lanes'
 * columns. ring: the window's rows, 16 bytes of each, unpacked (Form::unpack). oldest: index of the
 * window's top row in the ring. */
template <class Form, int HALO, int REACH>
__device__ __forceinline__ void
    sum_columns(typename Form::sum (&sums)[window_of<Form>::columns + 2 * REACH],
                const uint32_t (&ring)[2 * HALO + 1][8], int oldest,
                const fused_filter<Form, HALO + 1> &filter)
{
    constexpr int columns = window_of<Form>::columns, rows = 2 * HALO + 1;
    typename Form::sum own[columns] = {};

#pragma unroll
    for (int k = HALO; k >= 0; k--) {
        uint32_t parts[8];

#pragma unroll
        for (int p = 0; p < 8; p++)
            parts[p] = k ? ring[(oldest + HALO - k) % rows][p] + ring[(oldest + HALO + k) % rows][p]
                         : ring[(oldest + HALO) % rows][p];
#pragma unroll
        for (int i = 0; i < columns; i++)
            Form::add_column(own[i], filter.columns[k], parts, i);
    }
#pragma unroll
    for (int i = 0; i < columns; i++)
        sums[REACH + i] = own[i];
#pragma unroll
    for (int i = 0; i < REACH; i++) {
        sums[i] = __shfl_up_sync(0xffffffff, sums[columns + i], 1);
        sums[REACH + columns + i] = __shfl_down_sync(0xffffffff, sums[REACH + i], 1);
    }
}

/* Sums along the row into totals t (fused/arithmetic.cuh). Returns the lowest of their
 * fractions. */
template <class Form, int HALO, int CHANNELS>
__device__ __forceinline__ uint32_t
sum_row(double (&results)[window_of<Form>::columns],
        const typename Form::sum (&sums)[window_of<Form>::columns + 2 * HALO * CHANNELS],
        const fused_filter<Form, HALO + 1> &filter)
{
    uint32_t lowest = 0xffffffff;

#pragma unroll
    for (int i = 0; i < window_of<Form>::columns; i++) {
        results[i] = filter.offset;
#pragma unroll
        for (int k = HALO; k >= 1; k--)
            Form::add_rows(results[i], filter.rows[k], sums[i + (HALO - k) * CHANNELS],
                           sums[i + (HALO + k) * CHANNELS]);
        Form::add_row(results[i], filter.rows[0], sums[i + HALO * CHANNELS]);
        lowest = min(lowest, Form::fraction(results[i]));
    }
    return lowest;
}

/* Writes a lane's 16 bytes. If the image's row ends within them, writes only the `left` samples up
 * to the end of the row. */
template <class Form>
__device__ __forceinline__ void store_lane(typename Form::sample *out, const uint32_t (&words)[4],
                                           int64_t left)
{
    constexpr int columns = window_of<Form>::columns, in_word = window_of<Form>::in_word;

    if (left >= columns) {
        *reinterpret_cast<uint4 *>(out) = make_uint4(words[0], words[1], words[2], words[3]);
    } else {
#pragma unroll
        for (int i = 0; i < columns; i++)
            if (i < left)
                out[i] =
                    (typename Form::sample)(words[i / in_word] >> (i % in_word * (32 / in_word)));
    }
}

/* Queues the unresolved samples among a lane's first `left` outputs in one row: those whose
 * fraction is below `below`. */
template <class Form>
__device__ __forceinline__ void queue_lane(unresolved_queue &queue,
                                           const double (&results)[window_of<Form>::columns],
                                           uint32_t below, int row, int64_t left)
{
    constexpr int columns = window_of<Form>::columns;
    uint32_t which = 0;

#pragma unroll
    for (int i = 0; i < columns; i++)
        which |= (Form::fraction(results[i]) < below && i < left ? 1u : 0u) << i;
    for (; which; which &= which - 1)
        queue_sample(queue, row, ((int)threadIdx.x % 32 - 1) * columns + __ffs((int)which) - 1);
}

/* Computes a lane's outputs of a row, writes them to `out`, and queues the unresolved ones. row:
 * index of the row among the thread block's rows. left: number of outputs from the lane's first one
 * to the end of the image's row; if it is 0 or less, the lane has no outputs. */
template <class Form, int HALO, int CHANNELS>
__device__ __forceinline__ void output_row(typename Form::sample *out,
                                           const uint32_t (&ring)[2 * HALO + 1][8], int oldest,
                                           const fused_filter<Form, HALO + 1> &filter, int row,
                                           int64_t left, unresolved_queue &queue)
{
    constexpr int columns = window_of<Form>::columns;
    typename Form::sum sums[columns + 2 * HALO * CHANNELS];
    double results[columns];
    uint32_t words[4];

    sum_columns<Form, HALO, HALO * CHANNELS>(sums, ring, oldest, filter);
    const uint32_t lowest = sum_row<Form, HALO, CHANNELS>(results, sums, filter);
#pragma unroll
    for (int w = 0; w < 4; w++)
        words[w] = Form::pack(results + w * window_of<Form>::in_word);
    if (left <= 0)
        return;
    store_lane<Form>(out, words, left);
    if (lowest < filter.unresolved)
        queue_lane<Form>(queue, results, filter.unresolved, row, left);
}

/* How many thread blocks a multiprocessor is to hold, which limits the registers that nvcc uses.
 * For one channel of 16 bits, 3 blocks leave so many registers that none is spilled. 0: nvcc
 * chooses. */
template <class Form, int HALO, int CHANNELS>
constexpr int window_blocks = sizeof(typename Form::sample) > 1 && CHANNELS == 1 ? 3 : 0;

/* A thread block computes WINDOW_WARPS * warp_columns samples of each of segment_rows rows. exact:
 * the weights of the definition (smooth/reference.c), for unresolved samples. The inner loop is
 * unrolled over plan::round rows, so that every index into the ring is a constant. BY_UNIT: the GPU
 * has a copy unit (window_rows.cuh). */
template <class Form, int HALO, int CHANNELS, bool BY_UNIT>
__global__ void __launch_bounds__(32 * (WINDOW_WARPS + 1), window_blocks<Form, HALO, CHANNELS>)
    fused_window(const __grid_constant__ stack images,
                 const __grid_constant__ fused_filter<Form, HALO + 1> filter,
                 const __grid_constant__ two_axes_to<HALO> exact, const int segment_rows)
{
    constexpr int columns = window_of<Form>::columns, rows = 2 * HALO + 1;
    constexpr int warp_columns = window_of<Form>::warp_columns;
    typedef window_rows<HALO, typename Form::sample, BY_UNIT> plan;
    typedef typename plan::type coming_rows;
    __shared__ typename coming_rows::memory memory;
    __shared__ unresolved_queue queues[WINDOW_WARPS];
    const source src = image_of_block(images.src, images.src_apart);
    const view dst = image_of_block(images.dst, images.dst_apart);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t samples = dst.width * CHANNELS; /* samples in a row */
    /* Index, in the image's row, of the first sample that lane 0 of warp 0 holds. */
    const int64_t first = (int64_t)blockIdx.x * WINDOW_WARPS * warp_columns - columns;
    const int64_t x = first + warp * warp_columns + lane * columns;
    const int64_t y = (int64_t)blockIdx.y * segment_rows;
    const int outputs = (int)min((int64_t)segment_rows, dst.height - y);
    const int64_t left = lane == 0 || lane > USEFUL_LANES ? 0 : samples - x;
    /* The first `warps` warps have outputs. */
    const int64_t warps = (samples - first - columns + warp_columns - 1) / warp_columns;
    const window_image image = {images,          first,    samples + HALO * CHANNELS,
                                HALO * CHANNELS, y - HALO, outputs + 2 * HALO};
    uint32_t ring[rows][8];
    coming_rows coming;

    coming_rows::open(memory, (int)min(warps, (int64_t)WINDOW_WARPS));
    await_kernel_before();
    if (warp == WINDOW_WARPS)
        coming_rows::bring(memory, image);
    if (warp == WINDOW_WARPS || warp >= warps)
        return;
    unresolved_queue &queue = queues[warp];

    if (lane == 0)
        queue.count = 0;
    __syncwarp();
    coming.begin(memory, image, warp, lane);
    for (int i = 0; i < outputs + 2 * HALO; i += plan::round) {
        coming.begin_round(image, lane);
#pragma unroll
        for (int phase = 0; phase < plan::round; phase++) {
            const int row = i + phase; /* counted from the top of the first window */

            if (row >= outputs + 2 * HALO)
                break;
            const uint4 in = coming.take(phase);
            const uint32_t words[4] = {in.x, in.y, in.z, in.w};

#pragma unroll
            for (int w = 0; w < 4; w++)
                Form::unpack(ring[phase % rows] + 2 * w, words[w]);
            if (row >= 2 * HALO)
                output_row<Form, HALO, CHANNELS>(
                    row_of<typename Form::sample>(dst, y + row - 2 * HALO) + x, ring,
                    (phase + 1) % rows, filter, row - 2 * HALO, left, queue);
        }
    }
    __syncwarp();
    if (queue.count > 0) {
        const int64_t begin = x - (lane - 1) * columns;
        const queue_part part = {begin, y, (int)min(samples - begin, (int64_t)warp_columns),
                                 outputs};

        repair_queued<typename Form::sample>(queue, part, src, dst, exact);
    }
}

#endif
