/* SPDX-License-Identifier: MIT */
/* Launches the transforms: whether they serve a piece, of which length, how an image is cut, and
 * what lies where in scratch. What they leave unresolved is repaired; if that is too much,
 * exact.cuh computes the image instead. The kernels for both are launched, so that the host need
 * not wait to know. */
#ifndef SMOOTHIMG_FUSED_FFT_LAUNCH_CUH
#define SMOOTHIMG_FUSED_FFT_LAUNCH_CUH

#include "kernels/smooth/fused/exact_launch.cuh"
#include "kernels/smooth/fused/fft/filter.cuh"
#include "kernels/smooth/fused/fft/kernels.cuh"
#include "kernels/smooth/fused/launch.cuh"
#include "kernels/smooth/fused/lines/launch.cuh"

#ifndef FFT_PART_PAIRS           /* a test sets it */
#define FFT_PART_PAIRS (1 << 24) /* of sums: 256 MiB */
#endif
#define FFT_PART_SIDE (1 << 20) /* rows or columns at most, whatever they are few of */

/* How an image is cut into parts, and these into segments. */
struct fft_plan {
    int length;
    int64_t columns, rows; /* of a part: whole segments, or the image's */
};

/* Segments along an axis of `pixels`. 0: most of each would be halo. */
static inline int64_t segments_of(int64_t pixels, int64_t halo, int length)
{
    const int64_t inner = length - 2 * halo;

    return inner >= length / 2 ? blocks_for(pixels, inner) : 0;
}

/* Both axes of a channel, in clocks of a multiprocessor, measured on an H200: about three for each
 * number, less where the last pass is shorter. Infinite: no transform serves. */
static inline double fft_clocks(const struct request *request, int length)
{
    const int64_t width = request->src.width, height = request->src.height;
    const int64_t along = segments_of(width, request->halo_x, length);
    const int64_t down = segments_of(height, request->halo_y, length);
    const double transforms = (double)along * (double)(height + 2 * request->halo_y) / 2 +
                              (double)down * (double)width / 2;

    return along && down ? transforms * length * (length == 1024 ? 2.5 : 3) : INFINITY;
}

/* The length of transforms that is cheaper. */
static inline int fft_length(const struct request *request)
{
    return fft_clocks(request, 1024) < fft_clocks(request, 4096) ? 1024 : 4096;
}

/* So many whole segments of the given size as there is room for; at least one. */
static inline int64_t whole_segments(int64_t room, int64_t inner)
{
    return max(min(room, (int64_t)FFT_PART_SIDE) / inner, (int64_t)1) * inner;
}

/* So many columns as fit into a part with all rows; then so many rows. */
static inline fft_plan plan_fft(const struct request *request)
{
    const int length = fft_length(request);
    const int64_t pairs_of_column =
        (request->src.height / 2 + request->halo_y + 1) * request->src.channels;
    const int64_t columns =
        min(whole_segments(FFT_PART_PAIRS / pairs_of_column, length - 2 * request->halo_x),
            request->src.width);
    const int64_t pairs = FFT_PART_PAIRS / (columns * request->src.channels) - request->halo_y;

    return {length, columns,
            min(whole_segments(2 * pairs, length - 2 * request->halo_y), request->src.height)};
}

/* For integers without a weight. */
static inline bool fft_serves(const struct request *request)
{
    return request->src.channels <= 64 &&
           (size_t)attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin) >=
               fft_shape<4096>::shared_bytes &&
           fft_bound_of(request, fft_length(request)) < 1e-3;
}

/* What lies in scratch behind the list, one after another: the tables, the sums of a part, and its
 * samples. */
static inline size_t fft_tables_bytes(int length)
{
    return 2 * (size_t)length * sizeof(double2);
}

template <int LENGTH> static fft_tables tables_at(char *memory)
{
    double *spectra = reinterpret_cast<double *>(memory + (size_t)LENGTH * sizeof(double2));

    return {reinterpret_cast<double2 *>(memory), spectra, spectra + LENGTH};
}

static inline fft_sums sums_of_part(const struct request *request, int64_t columns, int64_t rows,
                                    char *memory)
{
    return {reinterpret_cast<double2 *>(memory), (columns + 1) / 2 * 2, request->src.channels,
            (rows + 1) / 2 + request->halo_y};
}

static inline size_t fft_sums_bytes(const fft_sums &sums)
{
    return (size_t)(sums.pairs * sums.channels * sums.pitch) * sizeof(double2);
}

/* The sums of exact.cuh take the place of all that follows the tables. */
static inline size_t fft_scratch_bytes(const struct request *request)
{
    const fft_plan plan = plan_fft(request);
    const size_t samples = (size_t)(plan.columns * plan.rows * request->src.channels);
    const size_t part = fft_sums_bytes(sums_of_part(request, plan.columns, plan.rows, NULL)) +
                        samples * (size_t)request->src.sample_bytes;

    return aligned_list_bytes(request) + fft_tables_bytes(plan.length) +
           max(part, exact_scratch_bytes(request, 2 * FFT_PART_PAIRS));
}

/* A few samples in 100,000 at most are in doubt, unless they are contrived. */
static inline int64_t fft_capacity(const struct piece *piece)
{
    return piece->src.width * piece->src.height * piece->src.channels / 16384 + 256;
}

/* Lets the kernels have their shared memory. Returns NULL, or the failure. */
template <int LENGTH, typename T> static const char *allow_fft_memory()
{
    const void *const kernels[] = {(const void *)fft_spectra<LENGTH>,
                                   (const void *)fft_rows<LENGTH, T>,
                                   (const void *)fft_columns<LENGTH, T>};

    for (const void *kernel : kernels) {
        const cudaError_t error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)fft_shape<LENGTH>::shared_bytes);

        if (error != cudaSuccess)
            return cudaGetErrorString(error);
    }
    return NULL;
}

template <int LENGTH, typename T>
static void launch_fft_part(const struct piece *piece, const fft_plan &plan,
                            const fft_tables &tables, char *memory, const fft_doubt &doubt,
                            int64_t x, int64_t y)
{
    using shape = fft_shape<LENGTH>;
    const source src = part_of(source_of(piece), plan.columns, plan.rows, x, y);
    const struct view dst = part_of(piece->dst, plan.columns, plan.rows, x, y);
    const fft_sums sums = sums_of_part(piece->request, src.width, src.height, memory);
    const fft_results<T> results = {reinterpret_cast<T *>(memory + fft_sums_bytes(sums)),
                                    src.height, src.width, src.height};
    const fft_doubt here = {doubt.list, doubt.capacity, doubt.bound, x, y};

    LAUNCH((fft_rows<LENGTH, T>),
           dim3((unsigned)blocks_for(sums.pairs, shape::in_block),
                (unsigned)segments_of(sums.pitch, piece->request->halo_x, LENGTH),
                (unsigned)src.channels),
           dim3(FFT_THREADS), shape::shared_bytes, piece->stream, src, (int)piece->request->halo_x,
           (int)piece->request->halo_y, tables, sums);
    LAUNCH((fft_columns<LENGTH, T>),
           dim3((unsigned)blocks_for(sums.pitch / 2, shape::in_block),
                (unsigned)segments_of(src.height, piece->request->halo_y, LENGTH),
                (unsigned)src.channels),
           dim3(FFT_THREADS), shape::shared_bytes, piece->stream, results,
           (int)piece->request->halo_y, piece->request->maxval, tables, sums, here);
    LAUNCH((fft_turn<T>),
           dim3((unsigned)blocks_for(src.width, FFT_TILE),
                (unsigned)blocks_for(src.height, FFT_TILE), (unsigned)src.channels),
           dim3(FFT_TILE, FFT_TILE_ROWS), 0, piece->stream, results, dst);
}

template <int LENGTH, typename T> static const char *launch_fft_by(const struct piece *piece)
{
    using shape = fft_shape<LENGTH>;
    const fft_plan plan = plan_fft(piece->request);
    const two_axes filter = filter_of<two_axes>(piece->request);
    const fft_doubt doubt = {list_of(piece), fft_capacity(piece),
                             fft_bound_of(piece->request, LENGTH), 0, 0};
    char *const memory = static_cast<char *>(piece->scratch) + aligned_list_bytes(piece->request);
    char *const part = memory + fft_tables_bytes(LENGTH);
    const fft_tables tables = tables_at<LENGTH>(memory);
    const char *failure = allow_fft_memory<LENGTH, T>();

    if (failure)
        return failure;
    LAUNCH((fft_roots<LENGTH>), dim3(LENGTH / 16 / 64), dim3(64), 0, piece->stream, tables);
    LAUNCH((fft_spectra<LENGTH>), dim3(1), dim3(FFT_THREADS), shape::shared_bytes, piece->stream,
           filter, tables);
    for (int64_t y = 0; y < piece->src.height; y += plan.rows)
        for (int64_t x = 0; x < piece->src.width; x += plan.columns)
            launch_fft_part<LENGTH, T>(piece, plan, tables, part, doubt, x, y);
    LAUNCH((repair_by_blocks<T, false>), dim3(1024), dim3(REPAIR_THREADS), 0, piece->stream,
           source_of(piece), piece->dst, filter, doubt.list, doubt.capacity);
    return launch_exact(piece, {part, 2 * FFT_PART_PAIRS, {doubt.list, doubt.capacity}});
}

/* Enqueues all. piece->scratch has fft_scratch_bytes(). Returns NULL, or the failure. */
template <typename T> static const char *launch_fft(const struct piece *piece)
{
    LAUNCH(begin_estimate, 1, 1, 0, piece->stream, list_of(piece));
    return fft_length(piece->request) == 1024 ? launch_fft_by<1024, T>(piece)
                                              : launch_fft_by<4096, T>(piece);
}

#endif
