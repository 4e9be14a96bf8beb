/* SPDX-License-Identifier: MIT */
/* filter_plane(): the kernel that filters along the last two axes. It sums down the columns into
 * shared memory, sums these sums along the rows, and rounds the results. Error bounds tell which
 * results may be wrong. A result that may be wrong is unresolved (`open`); storing its proven value
 * makes it resolved (`close`). pass.h defines the other terms.
 *
 * A tile is the part of the result that a block computes at a time. A part is the piece of a tile's
 * row that one thread computes. In shared memory a line is one value for each pixel of a row; a
 * struct device_line is the values down a column (load.cuh). A root is a sum of nodes filtered
 * along the rows (pass.h). The second level (engine.h) is a second run, in two doubles, for the
 * samples that the first one has left unresolved. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_PLANE_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_PLANE_CUH

#include "kernels/common/numbers.h"
#include "kernels/smooth/arrays/device/axis.cuh"
#include "kernels/smooth/arrays/device/means.cuh"

/* Blocks are small on the emulated device, so that small arrays have several tiles. */
#define PLANE_THREADS (IS_EMULATED ? 64 : 256)
#define THREADS_OF_MANY_ROWS (IS_EMULATED ? 64 : 128)

/* A block sums ROWS rows of a tile at the same time. A tile has ROWS rows, or MOST_TURNS times as
 * many, which the block then sums in MOST_TURNS turns. */
#define MOST_TURNS 2

/* Returns how many adjacent results of a row a thread computes, if a block sums `rows` rows at a
 * time. */
HOST_DEVICE constexpr int part_pixels(int rows)
{
    return rows > GROUP ? 2 * GROUP : GROUP;
}

HOST_DEVICE constexpr int threads_of(int rows)
{
    return rows > GROUP ? THREADS_OF_MANY_ROWS : PLANE_THREADS;
}

/* Returns how many blocks of the kernel a multiprocessor has registers for. */
HOST_DEVICE constexpr int blocks_of_processor(int rows)
{
    return 2 * PLANE_THREADS / threads_of(rows);
}

/* --- What a block's shared memory holds: sums, offsets, and then results in place of the sums. */

/* Returns how many pixels a row of a tile reads: its own, and those on both sides on which its
 * results depend. */
HOST_DEVICE int tile_pixels(const struct plane_pass *pass)
{
    return pass->tile - GROUP + axis_reads(pass->along.halo, GROUP);
}

/* Returns the index, in doubles, of a pixel's value in a line. A line has one value for each pixel
 * in a row. A gap of one double follows each GROUP values, so that threads that read GROUP values
 * apart use different banks. */
HOST_DEVICE int padded(int pixel)
{
    return pixel + pixel / GROUP;
}

/* Returns how many doubles a line takes in shared memory, with its gaps (padded()). A row of a tile
 * has one line for each value of a pixel: for each sample and for each weight. */
HOST_DEVICE int line_numbers(const struct plane_pass *pass)
{
    return padded(tile_pixels(pass));
}

/* The 16 bytes that a thread copies with one instruction. */
struct alignas(16) plane_word {
    uint32_t of[4];
};

/* Returns the bytes from a row of results to the next in shared memory. A row takes its whole
 * plane_words and one more, so that rows begin in different banks. Results overwrite the doubles
 * that they were summed from, whose rows take at least as many bytes. */
HOST_DEVICE int64_t results_pitch(const struct plane_pass *pass)
{
    const int64_t bytes = (int64_t)pass->tile * pass->pixel.samples * pass->to_format.bytes;

    return (bytes / (int64_t)sizeof(struct plane_word) + 1) * (int64_t)sizeof(struct plane_word);
}

/* numbers_bytes() returns the bytes of a tile's sums in shared memory. After the sums comes the
 * table of set_offsets() for the positions down the columns. shared_bytes() returns the bytes of
 * the sums and the table, in whole plane_words: nvcc loads two offsets with one instruction, even
 * if the second one is after the end of the table. */
HOST_DEVICE int64_t numbers_bytes(const struct plane_pass *pass, bool wide)
{
    return to_rest(pass) * (int64_t)sizeof(double) * (wide ? 2 : 1);
}

static inline int64_t shared_bytes(const struct plane_pass *pass, bool wide)
{
    const int64_t offsets =
        (int64_t)count_bits(pass->down.edges) * axis_reads(pass->down.halo, pass->rows);

    return round_up(numbers_bytes(pass, wide) + offsets * (int64_t)sizeof(int64_t),
                    (int64_t)sizeof(struct plane_word));
}

/* Returns how many rows of a tile are inside the result. down: position of the tile's first row. */
HOST_DEVICE int rows_within(const struct plane_pass *pass, int64_t down)
{
    const int64_t left = pass->down.extent - down;

    return left < pass->rows ? (int)left : pass->rows;
}

/* --- The sums of a tile: down its columns into shared memory, then along its rows. */

__device__ __forceinline__ plane_tile tile_at(const plane_pass &pass, int64_t down, int64_t outer)
{
    const device_batch &batch = pass.batch;

    return {down,
            (int64_t)blockIdx.x * pass.tile,
            offset_of(batch.extent, batch.from, 0, batch.axes, outer),
            offset_of(batch.extent, batch.to, 0, batch.axes, outer),
            offset_of(batch.extent, batch.number, 0, batch.axes, outer),
            offset_of(batch.extent, batch.own, 0, batch.axes, outer)};
}

/* Returns i / of_each. Skips the division where of_each is 1, the most frequent case. */
__device__ __forceinline__ int pixel_of(int i, int of_each)
{
    return of_each == 1 ? i : i / of_each;
}

/* Returns the position, along a row of the array, of a pixel that the tile reads. pixel: the
 * pixel's index, counted from the first pixel on which the tile's results depend. Returns -1 if the
 * pixel is outside of the array and the edge rule puts a constant there. */
__device__ __forceinline__ int64_t place_of_pixel(const plane_pass &pass, const plane_tile &tile,
                                                  enum edge edge, int pixel)
{
    return place_at(edge, pass.along.first + tile.along + pixel - pass.along.halo,
                    pass.along.length);
}

/* Returns the line that goes down a column of pixels and has value number `number` of each pixel.
 * index: the column's position along the row. If `index` is -1, since the edge rule takes no
 * column, returns the line of column 0, whose sums the caller replaces. */
template <int FROM>
__device__ __forceinline__ device_line column_at(const plane_pass &pass, const plane_tile &tile,
                                                 int64_t index, int number)
{
    return line_of_number<FROM>(
        pass.pixel, number, pass.from.origin + tile.from + max(index, (int64_t)0) * pass.along.from,
        pass.from_sample);
}

/* Sums down the columns for one node, which is a sum of filtered inputs: in the columns of the
 * tile, and in those on its left and right on which its results depend. */
template <int FROM, bool WIDE, int ROWS, int HALO>
__device__ __forceinline__ void sum_columns(const plane_pass &pass, const plane_tile &tile,
                                            const device_node &node, const int64_t *offsets,
                                            bool outside, device_peak peak, double *numbers,
                                            device_measure<FROM> &measure)
{
    const int each = pass.pixel.numbers, rows = rows_within(&pass, tile.down);

    for (int i = (int)threadIdx.x; i < tile_pixels(&pass) * each; i += (int)blockDim.x) {
        const int pixel = pixel_of(i, each), number = i - pixel * each;
        const int64_t index = place_of_pixel(pass, tile, node.row_edge, pixel);
        const device_line line = column_at<FROM>(pass, tile, index, number);
        double *const to = numbers + number * line_numbers(&pass) + padded(pixel);

        for (int row = 0; row < rows; row += ROWS)
            for (int j = 0; j < node.count; j++) {
                const device_input &input = node.inputs[j];
                const double scale =
                    WIDE ? scale_of(peak, input.gain, pass.pixel.drops, line.is_weight) : 0;

                sum_input<FROM, WIDE, ROWS, HALO>(
                    scale, input, pass.down, pass.down_taps, pass.from, line,
                    offsets_of(pass.down, input.edge, pass.rows, offsets) + row, outside, measure,
                    [&](int r, real sum) {
                        double *const there = to + (row + r) * pass.pitch;

                        if (j > 0)
                            sum = sum_with<WIDE>(there, to_rest(&pass), sum);
                        put_sum<WIDE>(there, to_rest(&pass), sum);
                    });
            }
        if (index < 0)
            for (int row = 0; row < pass.rows; row++)
                put_sum<WIDE>(to + row * pass.pitch, to_rest(&pass),
                              {node.outside[line.is_weight], node.outside_rest[line.is_weight], 0});
    }
}

/* Measures the samples from which the tile's results are computed, before they are summed. */
template <int FROM>
__device__ __forceinline__ void measure_tile(const plane_pass &pass, const plane_tile &tile,
                                             const int64_t *offsets, device_measure<FROM> &measure)
{
    const int each = pass.pixel.numbers;
    const int count = count_bits(pass.down.edges) * axis_reads(pass.down.halo, pass.rows);

    for (int i = (int)threadIdx.x; i < tile_pixels(&pass) * each; i += (int)blockDim.x) {
        const int pixel = pixel_of(i, each), number = i - pixel * each;

        for (unsigned left = pass.along.edges; left; left &= left - 1) {
            const enum edge edge = (enum edge)(__ffs((int)left) - 1);
            const int64_t index = place_of_pixel(pass, tile, edge, pixel);

            if (index >= 0)
                measure_line(pass.from, column_at<FROM>(pass, tile, index, number), offsets, count,
                             measure);
        }
    }
}

template <int ROWS> __device__ __forceinline__ plane_part part_of(const plane_pass &pass)
{
    const int each = pass.pixel.numbers;
    const int rest = (int)threadIdx.x / ROWS, group = pixel_of(rest, each);
    const int pixel = group * part_pixels(ROWS), number = rest - group * each;
    const bool is_own = pixel < pass.tile;

    return {(int)threadIdx.x % ROWS,
            pixel,
            number,
            pass.pixel.drops ? number / 2 : number,
            part_pixels(ROWS),
            NULL,
            is_own,
            is_own && !(pass.pixel.drops && is_weight(pass.pixel, number))};
}

/* Totals that are kept in memory while the columns for the next input are summed. `volatile` keeps
 * them out of registers, because the sums down the columns need all registers. */
template <bool WIDE, int N> struct kept_sums {
    volatile double value[N], rest[WIDE ? N : 1];

    __device__ __forceinline__ void set_all(const device_sums<WIDE, N> &sums)
    {
#pragma unroll
        for (int i = 0; i < N; i++) {
            value[i] = sums.value[i];
            if (WIDE)
                rest[i] = sums.rest[i];
        }
    }

    __device__ __forceinline__ real get(int i) const
    {
        return {value[i], WIDE ? rest[i] : 0, 0};
    }
};

/* Returns the number at this pixel of a line in shared memory. rest: doubles from the number to its
 * lower double. */
template <bool WIDE>
__device__ __forceinline__ real number_at(const double *line, int64_t rest, int pixel)
{
    const double *const at = line + padded(pixel);

    return {at[0], WIDE ? at[rest] : 0, 0};
}

/* Returns the sum over the window along a line that has its centre at this pixel. Skips taps of 0,
 * so that a NaN or an infinity whose tap is 0 does not affect the sum. */
template <bool WIDE>
__device__ __noinline__ real sum_row_carefully(double scale, device_taps taps, const double *line,
                                               int64_t rest, int pixel)
{
    return sum_carefully<WIDE>(scale, taps,
                               [=](int k) { return number_at<WIDE>(line, rest, pixel + k); });
}

/* Computes a thread's sums along a row for one input of a root. A root is a sum of nodes filtered
 * along the rows. */
template <bool WIDE, int HALO, int N>
__device__ __forceinline__ void sum_rows(const plane_pass &pass, const device_input &input,
                                         const plane_part &part, device_peak peak,
                                         const double *numbers, device_sums<WIDE, N> &total)
{
    constexpr int S = AT_A_TIME<WIDE, N>;
    const int halo = HALO > 0 ? HALO : pass.along.halo;
    const int64_t rest = to_rest(&pass);
    const double scale =
        WIDE ? scale_of(peak, input.gain, pass.pixel.drops, is_weight(pass.pixel, part.number)) : 0;
    const double *const row =
        numbers + part.row * pass.pitch + part.number * line_numbers(&pass) + padded(part.pixel);

#pragma unroll
    for (int begin = 0; begin < N; begin += S) {
        device_sums<WIDE, S> sums;
        const auto read = [&](int k) { return number_at<WIDE>(row, rest, halo + begin + k); };
        const auto itself = [](const real &number) { return number; };

        if constexpr (HALO > 0)
            sum_short_of<HALO>(input.set, sums, pass.along_taps, read, itself);
        else
            sum_inwards<false>(
                sums, scale, input.taps,
                [&](int first, int i) {
                    return number_at<WIDE>(row + padded(halo + begin + first), rest, i);
                },
                itself);
        if (sums.has_nan())
#pragma unroll
            for (int i = 0; i < S; i++)
                sums.set(i,
                         sum_row_carefully<WIDE>(scale, input.taps, row, rest, halo + begin + i));
#pragma unroll
        for (int i = 0; i < S; i++)
            total.set(begin + i, sums.get(i));
    }
}

/* Adds the totals of earlier inputs, `kept`, to these sums, or, if `squares`, to the squares of
 * these sums. are_first: there are no totals yet. */
template <bool WIDE, int N>
__device__ __forceinline__ void add_to_kept(bool squares, bool are_first,
                                            const kept_sums<WIDE, N> &kept,
                                            device_sums<WIDE, N> &sums)
{
    if (are_first && !squares)
        return;
#pragma unroll
    for (int i = 0; i < N; i++)
        sums.set(i, combine_add(are_first ? real{} : kept.get(i), sums.get(i), squares, WIDE));
}

#define PEAK_NUMBERS (2 * STRIP)

/* Returns the peak (a bound on magnitudes) of the samples from which the tile's results are
 * computed. All threads of the block must call this function. */
template <int FROM>
__device__ __forceinline__ device_peak peak_of_tile(const plane_pass &pass, const plane_tile &tile,
                                                    const int64_t *offsets,
                                                    const device_measure<FROM> &measure)
{
    __shared__ device_peak most;
    device_peak peak = measure.peak();

    if constexpr (IS_SCRATCH<FROM>) {
        const int64_t first = pass.along.first + tile.along - pass.along.halo;
        const int64_t end = first + pass.tile + 2 * pass.along.halo;
        const bool is_inside = (first >= 0 && end <= pass.along.length) ||
                               !(pass.along.edges & ~(1u << EDGE_CLAMP | 1u << EDGE_ZERO));
        const int64_t low = is_inside ? max(first, (int64_t)0) : 0;
        const int64_t high = is_inside ? min(end, pass.along.length) : pass.along.length;

        const int entries = count_bits(pass.down.edges) * axis_reads(pass.down.halo, pass.rows);

        /* A thread takes PEAK_NUMBERS adjacent values at a time. */
        const int64_t numbers =
            (high - low - 1) * pass.along.from / (int64_t)sizeof(double) + pass.pixel.numbers;
        const int64_t pieces = (numbers + PEAK_NUMBERS - 1) / PEAK_NUMBERS;

        for (int64_t i = threadIdx.x; i < entries * pieces; i += blockDim.x) {
            const int64_t row = quotient(i, pieces), begin = (i - row * pieces) * PEAK_NUMBERS;
            const int64_t count = min((int64_t)PEAK_NUMBERS, numbers - begin);

            const int64_t from = tile.from + offsets[row] + low * pass.along.from;

            if (offsets[row] != OUTSIDE)
                peak = join_peaks(
                    peak,
                    peak_of_numbers(pass.peaks, from / (int64_t)sizeof(double) + begin, count));
        }
    }
    if (threadIdx.x == 0)
        most = pass.bound.peak & ~NOT_PLAIN;
    __syncthreads();

    device_peak of_warp = peak & ~NOT_PLAIN;

#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2)
        of_warp = max(of_warp, __shfl_xor_sync(~0u, of_warp, apart));
    if (threadIdx.x % 32 == 0)
        atomicMax(&most, of_warp);

    const bool plain = !__syncthreads_or(((peak | pass.bound.peak) & NOT_PLAIN) != 0);

    return most | (plain ? 0 : NOT_PLAIN);
}

/* --- The results of a tile: rounds the sums, marks unresolved samples, and stores the tile. */

/* Returns how many results a thread's part gives. A part that sums only weights gives none. A part
 * that reaches beyond the end of the result gives fewer than it has pixels. */
__device__ __forceinline__ int results_of(const plane_pass &pass, const plane_tile &tile,
                                          const plane_part &part)
{
    const int64_t left = pass.along.extent - tile.along - part.pixel;

    return !part.gives || tile.down + part.row >= pass.down.extent || left <= 0
               ? 0
               : (int)min(left, (int64_t)part.pixels);
}

/* Returns the index, in the whole result, of the i-th sample of a thread's part. */
__device__ __forceinline__ int64_t number_of(const plane_pass &pass, const plane_tile &tile,
                                             const plane_part &part, int i)
{
    return pass.first_sample + tile.number + (tile.down + part.row) * pass.down_number +
           (tile.along + part.pixel + i) * pass.along_number + part.sample;
}

/* Returns where a row of results goes in shared memory. Threads compute ROWS rows at a time. The
 * results overwrite the doubles from which they were summed. */
template <int ROWS>
__device__ __forceinline__ char *results_row(const plane_pass &pass, double *numbers, int row)
{
    return reinterpret_cast<char *>(numbers + row / ROWS * ROWS * pass.pitch) +
           row % ROWS * results_pitch(&pass);
}

/* Rounds those results of a thread that have a bit in `which`. Returns a bit for each result that
 * may be wrong. */
template <bool WIDE, int N>
__device__ __noinline__ unsigned round_slowly(const plane_pass &pass, const plane_part &part,
                                              const device_sums<WIDE, N> &sums,
                                              const device_error &error, unsigned which)
{
    /* A copy in memory, since registers cannot be indexed. */
    const device_sums<WIDE, N> there = sums;
    unsigned open = 0;

#pragma unroll 1
    for (int i = 0; i < N; i++)
        if (which >> i & 1 &&
            store_result<WIDE>(pass, there.get(i), error,
                               part.results + i * pass.pixel.samples * pass.to_format.bytes,
                               pass.to_type))
            open |= 1u << i;
    return open;
}

/* Rounds a thread's results by quick_ends, the fast way. Returns a bit for each result whose
 * rounding quick_ends does not prove. */
template <class T, bool WIDE, int N>
__device__ __forceinline__ unsigned round_quickly(const plane_pass &pass, const plane_part &part,
                                                  const device_sums<WIDE, N> &sums, double error)
{
    struct alignas(N * sizeof(T) < sizeof(plane_word) ? N * sizeof(T) : sizeof(plane_word)) {
        T of[N];
    } rounded;
    quick_ends<T> ends(error);
    unsigned unknown = 0;

#pragma unroll
    for (int i = 0; i < N; i++)
        rounded.of[i] = ends.round(sums.get(i), error);
    if (pass.pixel.samples == 1)
        *reinterpret_cast<decltype(rounded) *>(part.results) = rounded;
    else
#pragma unroll
        for (int i = 0; i < N; i++)
            reinterpret_cast<T *>(part.results)[i * pass.pixel.samples] = rounded.of[i];
    if (ends.are_known())
        return 0;

    /* A copy in memory, since registers cannot be indexed. */
    const device_sums<WIDE, N> there = sums;

#pragma unroll 1
    for (int i = 0; i < N; i++) {
        quick_ends<T> own(error);

        own.round(there.get(i), error);
        unknown |= (unsigned)!own.are_known() << i;
    }
    return unknown;
}

/* Rounds a thread's results into shared memory. Returns a bit for each result that may be wrong. */
template <bool WIDE, int N>
__device__ __forceinline__ unsigned round_part(const plane_pass &pass, const plane_part &part,
                                               const device_sums<WIDE, N> &sums,
                                               const device_error &error)
{
    unsigned unknown = (1u << N) - 1;

    if constexpr (WIDE) {
        if (error.most < INFINITY && pass.to_type == SAMPLE_F64)
            unknown = round_quickly<double>(pass, part, sums, error.most);
    } else if (error.most < INFINITY) {
        if (pass.to_type == SAMPLE_F32)
            unknown = round_quickly<float>(pass, part, sums, error.most);
        else if (pass.to_type == SAMPLE_U16)
            unknown = round_quickly<uint16_t>(pass, part, sums, error.most);
        else if (pass.to_type == SAMPLE_U8)
            unknown = round_quickly<uint8_t>(pass, part, sums, error.most);
    }
    if (unknown)
        unknown = round_slowly<WIDE>(pass, part, sums, error, unknown);
    return unknown;
}

/* Marks as unresolved those samples of the thread's part that have a bit in `open`. */
__device__ __forceinline__ void mark_open(const plane_pass &pass, const plane_tile &tile,
                                          const plane_part &part, unsigned open)
{
    for (; open; open &= open - 1) {
        const int64_t number = number_of(pass, tile, part, __ffs((int)open) - 1);

        atomicOr(&pass.open[number / 32], 1u << (number % 32));
    }
}

__device__ __forceinline__ char *address_of(const plane_pass &pass, const plane_tile &tile, int row,
                                            int pixel, int sample)
{
    return pass.to + tile.to + (tile.down + row) * pass.down_to +
           (tile.along + pixel) * pass.along_to + sample * pass.to_sample;
}

/* Returns whether the pass belongs to the second level, which stores only unresolved samples. */
template <bool WIDE> __device__ __forceinline__ bool is_second(const plane_pass &pass)
{
    return WIDE && pass.level.least > 0;
}

/* At the second level, stores those unresolved samples of a thread's part whose rounding is proven
 * now, and clears their bits. Returns how many it has stored. */
template <bool WIDE, int N>
__device__ __forceinline__ int
close_part(const plane_pass &pass, const plane_tile &tile, const plane_part &part, unsigned open,
           const device_sums<WIDE, N> &sums, const device_error &error)
{
    int closed = 0;

    for (int i = 0; i < results_of(pass, tile, part); i++) {
        const int64_t number = number_of(pass, tile, part, i);
        double sample;

        if (!(open >> i & 1) || store_result<WIDE>(pass, sums.get(i), error,
                                                   reinterpret_cast<char *>(&sample), pass.to_type))
            continue;
        exact_put_bits(
            address_of(pass, tile, part.row, part.pixel + i, part.sample), pass.to_format.bytes,
            min(exact_bits_at(reinterpret_cast<const char *>(&sample), pass.to_format.bytes),
                pass.most));
        atomicAnd(&pass.open[number / 32], ~(1u << (number % 32)));
        closed++;
    }
    return closed;
}

/* Copies the tile from shared memory into the result. Each row is copied by a whole warp, one T by
 * each thread at a time. WORDS: rows are whole plane_words, and T is plane_word; otherwise T has
 * the size of a sample. bytes: the length of a row. */
template <class T, bool WORDS, int ROWS>
__device__ __forceinline__ void give_as(const plane_pass &pass, const plane_tile &tile, int bytes,
                                        double *numbers)
{
    const int rows = rows_within(&pass, tile.down), each = pass.pixel.samples;
    const int count = bytes / (int)sizeof(T);

    for (int row = (int)threadIdx.x / 32; row < rows; row += (int)blockDim.x / 32) {
        const T *const from = reinterpret_cast<const T *>(results_row<ROWS>(pass, numbers, row));
        char *const to = address_of(pass, tile, row, 0, 0);

        for (int i = (int)threadIdx.x % 32; i < count; i += 32) {
            const int pixel = WORDS ? 0 : pixel_of(i, each);
            const int64_t at = WORDS ? i * (int64_t)sizeof(T)
                                     : pixel * pass.along_to + (i - pixel * each) * pass.to_sample;

            if constexpr (WORDS)
                *reinterpret_cast<T *>(to + at) = from[i];
            else
                *reinterpret_cast<T *>(to + at) = (T)min((uint64_t)from[i], pass.most);
        }
    }
}

/* Copies the tile from shared memory into the result: by units of 16 bytes if gives_words allows
 * that, otherwise sample by sample. */
template <int ROWS>
__device__ __forceinline__ void give_tile(const plane_pass &pass, const plane_tile &tile,
                                          double *numbers)
{
    const int bytes = (int)min((int64_t)pass.tile, pass.along.extent - tile.along) *
                      pass.pixel.samples * pass.to_format.bytes;

    if (pass.gives_words && bytes % (int)sizeof(plane_word) == 0)
        give_as<plane_word, true, ROWS>(pass, tile, bytes, numbers);
    else if (pass.to_format.bytes == 1)
        give_as<uint8_t, false, ROWS>(pass, tile, bytes, numbers);
    else if (pass.to_format.bytes == 2)
        give_as<uint16_t, false, ROWS>(pass, tile, bytes, numbers);
    else if (pass.to_format.bytes == 4)
        give_as<uint32_t, false, ROWS>(pass, tile, bytes, numbers);
    else
        give_as<uint64_t, false, ROWS>(pass, tile, bytes, numbers);
}

/* Returns a bit for each result of the thread's part that is unresolved. */
__device__ __forceinline__ unsigned open_of(const plane_pass &pass, const plane_tile &tile,
                                            const plane_part &part)
{
    unsigned open = 0;

    for (int i = 0; i < results_of(pass, tile, part); i++) {
        const int64_t number = number_of(pass, tile, part, i);

        open |= (atomicOr(&pass.open[number / 32], 0u) >> (number % 32) & 1) << i;
    }
    return open;
}

/* Sums `own` over all threads of the block, and adds that sum to the counter. All threads of the
 * block must call this function. */
__device__ __forceinline__ void count_up(int own, unsigned long long *counter)
{
    __shared__ int all;

    __syncthreads();
    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    if (own > 0)
        atomicAdd(&all, own);
    __syncthreads();
    if (threadIdx.x == 0 && all > 0)
        atomicAdd(counter, (unsigned long long)all);
}

/* Replaces sums of squares by their square roots. */
template <bool WIDE, int N>
__device__ __forceinline__ void take_roots(device_peak peak, device_sums<WIDE, N> &total)
{
#pragma unroll
    for (int i = 0; i < N; i++) {
        real square = total.get(i);

        square.magnitude = peak_value(peak);
        square = combine_root(square, WIDE);
        if (isinf(square.magnitude))
            square.value = NAN; /* not proven: stays unresolved */
        total.set(i, square);
    }
}

/* Rounds the sums of a thread's part to samples; at the second level, only those that are
 * unresolved. Returns how many samples of the part are unresolved; at the second level, how many
 * have been resolved. */
template <int FROM, bool WIDE, int N>
__device__ __forceinline__ int finish_part(const plane_pass &pass, const plane_tile &tile,
                                           const plane_part &part, device_peak peak,
                                           double *numbers, device_sums<WIDE, N> &total)
{
    const device_bound &bound = pass.bound;
    const bool is_zero = (peak & ~NOT_PLAIN) == 0;
    device_error error = {peak, is_zero ? 0 : bound.per_peak * peak_value(peak) + bound.tiny,
                          bound.relative};
    device_means known = {0, 0};
    unsigned open = 0;

    if constexpr (IS_WEIGHED<FROM>)
        known = take_means<WIDE>(pass, part, numbers, total, &error);
    if (pass.squares)
        take_roots<WIDE>(peak, total);
    if (is_second<WIDE>(pass))
        return close_part<WIDE>(pass, tile, part, open_of(pass, tile, part), total, error);
    __syncthreads(); /* results overwrite numbers that other threads read */
    if (part.gives)
        open =
            round_part<WIDE>(pass, part, total, error) & ((1u << results_of(pass, tile, part)) - 1);
    if (open & (known.none | known.zero)) {
        store_known(pass, tile, part, open, known, part.results);
        open &= ~(known.none | known.zero);
    }
    if (open)
        mark_open(pass, tile, part, open);
    return __popc(open);
}

/* Filters one input of a root along a tile's rows, and adds the sums, or their squares, to the
 * totals of earlier inputs. After the last input, rounds the totals, and returns how many of this
 * thread's samples are unresolved; at the second level, how many have been resolved. After other
 * inputs, keeps the totals and returns 0. */
template <int FROM, bool WIDE, int ROWS, int HALO>
__device__ __forceinline__ int filter_rows(const plane_pass &pass, const plane_tile &tile,
                                           const device_input &input, bool are_first, bool are_last,
                                           device_peak peak, double *numbers,
                                           kept_sums<WIDE, part_pixels(ROWS)> *kept)
{
    plane_part part = part_of<ROWS>(pass);
    int count = 0;

#pragma unroll 1
    for (int row = 0; row < rows_within(&pass, tile.down); row += ROWS, part.row += ROWS, kept++) {
        device_sums<WIDE, part_pixels(ROWS)> total;

        part.results = results_row<ROWS>(pass, numbers, part.row) +
                       (part.pixel * pass.pixel.samples + part.sample) * pass.to_format.bytes;
        if (part.is_own) {
            sum_rows<WIDE, HALO>(pass, input, part, peak, numbers, total);
            add_to_kept<WIDE>(pass.squares, are_first, *kept, total);
        }
        if (are_last)
            count += finish_part<FROM, WIDE>(pass, tile, part, peak, numbers, total);
        else if (part.is_own)
            kept->set_all(total);
    }
    return count;
}

/* Filters a tile and stores its samples; at the second level, only those that it resolves. */
template <int FROM, bool WIDE, int ROWS, int HALO>
__device__ __forceinline__ void filter_tile(const plane_pass &pass, const plane_tile &tile,
                                            char *shared)
{
    double *const numbers = reinterpret_cast<double *>(shared);
    int64_t *const offsets = reinterpret_cast<int64_t *>(shared + numbers_bytes(&pass, WIDE));
    kept_sums<WIDE, part_pixels(ROWS)> kept[MOST_TURNS];
    device_measure<FROM> measure;
    device_peak peak = pass.bound.peak;
    int loaded = -1, count = 0;

    const bool outside = __syncthreads_or(
        set_offsets(pass.down, tile.down, pass.rows, (int)threadIdx.x, (int)blockDim.x, offsets));

    if constexpr (WIDE) {
        if constexpr (!IS_SCRATCH<FROM>)
            measure_tile<FROM>(pass, tile, offsets, measure);
        peak = peak_of_tile<FROM>(pass, tile, offsets, measure);
    }
    for (int r = 0; r < pass.root_count; r++)
        for (int i = 0; i < pass.roots[r].count; i++) {
            const device_input input = pass.roots[r].inputs[i];
            const bool are_last = r + 1 == pass.root_count && i + 1 == pass.roots[r].count;

            if (input.plane != loaded) {
                __syncthreads();
                sum_columns<FROM, WIDE, ROWS, HALO>(pass, tile, pass.nodes[input.plane], offsets,
                                                    outside, peak, numbers, measure);
                __syncthreads();
                loaded = input.plane;
            }
            if (!WIDE && are_last && pass.bound.scans)
                peak = peak_of_tile<FROM>(pass, tile, offsets, measure);
            count += filter_rows<FROM, WIDE, ROWS, HALO>(pass, tile, input, r + i == 0, are_last,
                                                         peak, numbers, kept);
        }
    if (threadIdx.x == 0 && pass.counts[GREATEST] < (peak & ~NOT_PLAIN))
        atomicMax(&pass.counts[GREATEST], (unsigned long long)(peak & ~NOT_PLAIN));
    if (__syncthreads_or(count > 0))
        count_up(count, &pass.counts[is_second<WIDE>(pass) ? CLOSED : OPENED]);
    if (!is_second<WIDE>(pass))
        give_tile<ROWS>(pass, tile, numbers);
}

/* ROWS: how many rows a block sums at the same time: 1, GROUP or 2 GROUP. HALO: the halo of both
 * axes; 0: any. The grid's x counts tiles along the rows, y tiles down the columns, z positions
 * along all other axes. */
template <int FROM, bool WIDE, int ROWS, int HALO>
__global__ void __launch_bounds__(threads_of(ROWS), blocks_of_processor(ROWS))
    filter_plane(const __grid_constant__ plane_pass pass)
{
    DYN_SHARED(char, shared);
    __shared__ plane_tile tile; /* in shared memory, since there are too few registers */

    if (is_spared(pass.level))
        return;
    for (int64_t outer = blockIdx.z; outer < pass.batch.count; outer += gridDim.z)
        for (int64_t down = (int64_t)blockIdx.y * pass.rows; down < pass.down.extent;
             down += (int64_t)gridDim.y * pass.rows) {
            __syncthreads();
            if (threadIdx.x == 0)
                tile = tile_at(pass, down, outer);
            __syncthreads();

            if (is_second<WIDE>(pass)) {
                plane_part part = part_of<ROWS>(pass);
                unsigned open = 0;

                for (; part.row < rows_within(&pass, tile.down) && open == 0; part.row += ROWS)
                    open = open_of(pass, tile, part);
                if (!__syncthreads_or(open != 0))
                    continue;
            }
            filter_tile<FROM, WIDE, ROWS, HALO>(pass, tile, shared);
        }
}

#endif
