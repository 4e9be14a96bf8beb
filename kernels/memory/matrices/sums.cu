/* SPDX-License-Identifier: MIT */
/* Compare the sums of rows with the sums of columns. On a GPU the loads for sums of columns are
 * coalesced: a warp's load of floats touches 4 sectors (of 32 bytes); for sums of rows it touches
 * 32. On a CPU, sums of rows are the fast ones (sums_cpu.c).
 *
 * The kernels sum the rows or the columns of a matrix, with a thread for each sum. The sums of an
 * image of bytes are its projection profiles; other experiments sum floats. For column sums
 * neighbouring threads read neighbouring elements; for row sums their elements are a whole row
 * apart.
 *
 * Easily wrong: sums of floats are exact only below 2^24; the data here are small for that reason,
 * and for floats a width or height above 2^20 is refused. */
#include "kernels/memory/experiment.cuh"

#define THREADS 256
#define HIGH 15 /* greatest value of the floats */

template <typename T, typename S>
__global__ void __launch_bounds__(THREADS)
    sum_rows(const T *__restrict__ matrix, S *__restrict__ sums, int64_t width, int64_t height)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    S sum = 0;

    if (row >= height)
        return;
    for (int64_t column = 0; column < width; column++)
        sum += matrix[row * width + column];
    sums[row] = sum;
}

template <typename T, typename S>
__global__ void __launch_bounds__(THREADS)
    sum_columns(const T *__restrict__ matrix, S *__restrict__ sums, int64_t width, int64_t height)
{
    const int64_t column = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    S sum = 0;

    if (column >= width)
        return;
    for (int64_t row = 0; row < height; row++)
        sum += matrix[row * width + column];
    sums[column] = sum;
}

static int64_t sums_of(const struct experiment *row, const struct problem_size *size)
{
    return row->profile == PROFILE_OF_ROWS ? size->height : size->width;
}

static const char *refuses_floats(const struct experiment *, const struct problem_size *size)
{
    return size->width > (1 << 20) || size->height > (1 << 20)
               ? "sums of more than 1048576 floats would not be exact"
               : NULL;
}

static void shape_u8(const struct experiment *row, const struct problem_size *size,
                     struct array_specs *shape)
{
    shape->in[0] = image_array(size, 0);
    shape->out = result_array(ELEMENT_I64, sums_of(row, size));
}

static void shape_f32(const struct experiment *row, const struct problem_size *size,
                      struct array_specs *shape)
{
    shape->in[0] = number_array(ELEMENT_F32, element_count(size), 0, HIGH);
    shape->out = result_array(ELEMENT_F32, sums_of(row, size));
}

template <typename T, typename S> static const char *run(const struct experiment_job *job)
{
    const dim3 grid = grid_for(job->out.count, THREADS);

    if (job->row->profile == PROFILE_OF_ROWS)
        LAUNCH((sum_rows<T, S>), grid, THREADS, 0, job->stream, input<T>(job, 0), output<S>(job),
               job->size.width, job->size.height);
    else
        LAUNCH((sum_columns<T, S>), grid, THREADS, 0, job->stream, input<T>(job, 0), output<S>(job),
               job->size.width, job->size.height);
    return launched();
}

template <typename T, typename S> static void reference(const struct experiment_job *job)
{
    const int64_t width = job->size.width;

    for (int64_t i = 0; i < job->out.count; i++)
        output<S>(job)[i] = 0;
    for (int64_t i = 0; i < width * job->size.height; i++)
        output<S>(job)[job->row->profile == PROFILE_OF_ROWS ? i / width : i % width] +=
            input<T>(job, 0)[i];
}

template <typename T, typename S>
static void work(const struct experiment *row, const struct problem_size *size,
                 struct experiment_work *work)
{
    const double elements = (double)element_count(size);
    const double bytes = elements * sizeof(T) + (double)sums_of(row, size) * sizeof(S);

    *work = {.useful_bytes = bytes, .asked_bytes = bytes, .flops = elements};
}

template <typename T, typename S>
static void geometry(const struct experiment *row, const struct problem_size *,
                     struct launch_geometry *geometry)
{
    *geometry = {row->profile == PROFILE_OF_ROWS ? (const void *)sum_rows<T, S>
                                                 : (const void *)sum_columns<T, S>,
                 THREADS, 0};
}

#define ROW(NAME, PROFILE, REFUSES, SHAPE, T, S, SHOWS)                                            \
    {                                                                                              \
        .group = "sums", .row = NAME, .shows = SHOWS, .profile = PROFILE, .place = ON_GPU,         \
        .refuses = REFUSES, .shape = SHAPE, .run = run<T, S>, .reference = reference<T, S>,        \
        .work = work<T, S>, .geometry = geometry<T, S>                                             \
    }

DEFINE_EXPERIMENTS(sums) = {
    ROW("rows of floats", PROFILE_OF_ROWS, refuses_floats, shape_f32, float, float,
        "A warp reads from 32 rows at once: 32 sectors a load, of which the L1 cache may keep the "
        "rest until the threads come to it."),
    ROW("columns of floats", PROFILE_OF_COLUMNS, refuses_floats, shape_f32, float, float,
        "A warp reads 32 neighbours: 4 sectors a load, and no cache is needed."),
    ROW("rows of bytes", PROFILE_OF_ROWS, NULL, shape_u8, uint8_t, int64_t,
        "The image's profile by rows: a sector serves 32 loads of one thread, if it stays cached."),
    ROW("columns of bytes", PROFILE_OF_COLUMNS, NULL, shape_u8, uint8_t, int64_t,
        "The image's profile by columns: coalesced, yet bytes are only 1 sector a load."),
    {}};
