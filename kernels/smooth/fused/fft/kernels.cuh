/* SPDX-License-Identifier: MIT */
/* The separable smooth by Fourier transforms, for large halos: in the spectrum a filter is one
 * product for each frequency, however wide it is. fft_rows filters along the rows, into doubles in
 * scratch, and fft_columns down the columns, and rounds. A transform takes a segment of two rows or
 * columns, as real and imaginary parts; what a filter brings round from the segment's other end
 * falls on its first and last `halo` numbers, which the neighbouring segments give (overlap-save).
 *
 * Doubles leave about one sample in 10^8 of 8 bits in doubt. */
#ifndef SMOOTHIMG_FUSED_FFT_KERNELS_CUH
#define SMOOTHIMG_FUSED_FFT_KERNELS_CUH

#include "kernels/smooth/fused/fft/filter.cuh"
#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/source.cuh"

/* The rows' results, in scratch: rows 2p and 2p + 1 side by side, in grey levels. Row 0 belongs to
 * the image's row -halo_y. */
struct fft_sums {
    double2 *first;
    int64_t pitch; /* pairs from a channel to the next: the columns, and one more if they are odd */
    int channels;
    int64_t pairs; /* of rows */
};

__device__ __forceinline__ double2 *sums_of(const fft_sums &sums, int64_t pair, int channel)
{
    return sums.first + (pair * sums.channels + channel) * sums.pitch;
}

/* Multiplies each frequency by its value in the filter's spectrum. Leaves the results in
 * v[reversed<16>(k)], real and imaginary parts exchanged. */
template <int LENGTH>
__device__ __forceinline__ void filter_segment(sixteen &v, double2 *shared, const double2 *roots,
                                               const double *spectrum, int lane)
{
    using shape = fft_shape<LENGTH>;
    sixteen product;

    forward<LENGTH>(v, shared, roots, lane);
#pragma unroll
    for (int k = 0; k < 16; k++) {
        const double2 value = v[reversed<shape::second>(k)];
        const double factor = spectrum[k * shape::lanes + lane];

        product[k] = make_double2(value.y * factor, value.x * factor);
    }
#pragma unroll
    for (int k = 0; k < 16; k++)
        v[k] = product[k];
    backward<LENGTH>(v, shared, roots, lane);
}

/* Grid: pairs of rows, segments of a row, channels. */
template <int LENGTH, typename T>
__global__ void __launch_bounds__(FFT_THREADS, 2)
    fft_rows(const source src, const int halo_x, const int halo_y, const fft_tables tables,
             const fft_sums sums)
{
    using shape = fft_shape<LENGTH>;
    DYN_SHARED(double2, shared);
    const int lane = (int)threadIdx.x % shape::lanes, which = (int)threadIdx.x / shape::lanes;
    const int channel = (int)blockIdx.z;
    const int64_t pair = (int64_t)blockIdx.x * shape::in_block + which;
    const int64_t left = (int64_t)blockIdx.y * (LENGTH - 2 * halo_x) - halo_x;
    const bool busy = pair < sums.pairs;
    const int64_t y = busy ? 2 * pair - halo_y : 0;
    const T *row = source_line<T>(src, y), *below = source_line<T>(src, y + 1);
    const int last = (int)min(src.width + halo_x - 1 - left, (int64_t)LENGTH - 1);
    sixteen v;

    /* Beyond what is in reach any sample will do: no result has one. Loads behind a condition would
     * be done one after the other. */
    if (row && below && source_has_columns(src, left, left + last)) {
        const int64_t first = left * src.channels + channel;

#pragma unroll
        for (int k = 0; k < 16; k++) {
            const int at = min(lane + k * shape::lanes, last) * src.channels;

            v[k] = make_double2((double)row[first + at], (double)below[first + at]);
        }
    } else {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const int64_t x = left + lane + k * shape::lanes;

            v[k] = make_double2((double)source_get(src, row, x, channel, false),
                                (double)source_get(src, below, x, channel, false));
        }
    }
    filter_segment<LENGTH>(v, shared + which * shape::slots, tables.roots, tables.along, lane);
    if (!busy)
        return;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        const int number = lane + k * shape::lanes;
        const double2 value = v[reversed<16>(k)];

        if (number >= halo_x && number < LENGTH - halo_x && left + number < sums.pitch)
            sums_of(sums, pair, channel)[left + number] = make_double2(value.y, value.x);
    }
}

/* The samples of a part as fft_columns leaves them in scratch: column by column, since single
 * samples of many rows are slow to write. */
template <typename T> struct fft_results {
    T *first;
    int64_t pitch;         /* from a column to the next: the rows */
    int64_t columns, rows; /* of each channel */
};

template <typename T>
__device__ __forceinline__ T *column_of(const fft_results<T> &results, int64_t x, int channel)
{
    return results.first + (channel * results.columns + x) * results.pitch;
}

/* Where the samples that are not certain go. */
struct fft_doubt {
    unresolved_list *list;
    int64_t capacity;
    double bound;             /* fft_bound_of() */
    int64_t first_x, first_y; /* the part's first pixel in the image */
};

__device__ __forceinline__ double round_estimate(double estimate, int64_t x, int64_t y, int channel,
                                                 double maxval, const fft_doubt &doubt)
{
    const double shifted = estimate + 0.5, whole = floor(shifted), rest = shifted - whole;

    if (rest <= doubt.bound || rest >= 1 - doubt.bound)
        add_unresolved(doubt.list, {doubt.first_x + x, doubt.first_y + y, channel, 1},
                       doubt.capacity);
    return min(max(whole, 0.0), maxval);
}

/* Grid: pairs of columns, segments of a column, channels. */
template <int LENGTH, typename T>
__global__ void __launch_bounds__(FFT_THREADS, 2)
    fft_columns(const fft_results<T> results, const int halo_y, const uint32_t maxval,
                const fft_tables tables, const fft_sums sums, const fft_doubt doubt)
{
    using shape = fft_shape<LENGTH>;
    DYN_SHARED(double2, shared);
    const int lane = (int)threadIdx.x % shape::lanes, which = (int)threadIdx.x / shape::lanes;
    const int channel = (int)blockIdx.z;
    const int64_t x = 2 * ((int64_t)blockIdx.x * shape::in_block + which);
    const int64_t top = (int64_t)blockIdx.y * (LENGTH - 2 * halo_y), first = top + lane;
    const double *sum =
        reinterpret_cast<const double *>(sums_of(sums, 0, channel) + min(x, sums.pitch - 2)) +
        first % 2;
    const int64_t pitch = 2 * sums.pitch * sums.channels;
    sixteen v;

    /* Below the last pair any sum will do, as above. */
#pragma unroll
    for (int k = 0; k < 16; k++) {
        const double *at = sum + min((first + k * shape::lanes) / 2, sums.pairs - 1) * pitch;

        v[k] = make_double2(at[0], at[2]);
    }
    filter_segment<LENGTH>(v, shared + which * shape::slots, tables.roots, tables.down, lane);
#pragma unroll
    for (int k = 0; k < 16; k++) {
        const int number = lane + k * shape::lanes;
        const int64_t y = top + number - halo_y;

        if (number < halo_y || number >= LENGTH - halo_y || y >= results.rows)
            continue;
        if (x < results.columns)
            column_of(results, x, channel)[y] =
                (T)round_estimate(v[reversed<16>(k)].y, x, y, channel, maxval, doubt);
        if (x + 1 < results.columns)
            column_of(results, x + 1, channel)[y] =
                (T)round_estimate(v[reversed<16>(k)].x, x + 1, y, channel, maxval, doubt);
    }
}

#define FFT_TILE 32 /* rows and columns that fft_turn turns at once */
#define FFT_TILE_ROWS 8

/* Writes the results in rows. Grid: tiles along the rows, down the columns, channels. */
template <typename T>
__global__ void __launch_bounds__(FFT_TILE *FFT_TILE_ROWS)
    fft_turn(const fft_results<T> results, const view dst)
{
    __shared__ T tile[FFT_TILE][FFT_TILE + 4 / sizeof(T)];
    const int64_t left = (int64_t)blockIdx.x * FFT_TILE, top = (int64_t)blockIdx.y * FFT_TILE;
    const int columns = (int)min(results.columns - left, (int64_t)FFT_TILE);
    const int rows = (int)min(results.rows - top, (int64_t)FFT_TILE);
    const int channel = (int)blockIdx.z, across = (int)threadIdx.x;
    const T *from = column_of(results, left + threadIdx.y, channel) + top + across;
    T *to = row_of<T>(dst, top + threadIdx.y) + (left + across) * dst.channels + channel;

    for (int i = (int)threadIdx.y; i < columns; i += FFT_TILE_ROWS) {
        if (across < rows)
            tile[i][across] = *from;
        from += FFT_TILE_ROWS * results.pitch;
    }
    __syncthreads();
    for (int i = (int)threadIdx.y; i < rows; i += FFT_TILE_ROWS) {
        if (across < columns)
            *to = tile[across][i];
        to += FFT_TILE_ROWS * dst.stride_bytes / (int)sizeof(T);
    }
}

#endif
