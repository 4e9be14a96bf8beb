/* SPDX-License-Identifier: MIT */
/* Look at how many sectors of 32 bytes a warp's load touches: 32 for a load of the matrix A if it
 * is stored by rows, 8 if it is stored by columns, and one for a load of the vector x in both
 * cases.
 *
 * The kernels compute y' = alpha A x + beta y in double, with a thread for each row of A. The order
 * of A in memory decides the speed: if A is stored by rows, as in C, neighbouring threads read
 * elements that are a row apart; if it is stored by columns, as in Fortran, they read neighbouring
 * elements.
 *
 * Easily wrong: in the experiment with shared memory, threads beyond the last row must not return
 * before the barrier: they copy elements of x for the other threads. */
#include "kernels/memory/experiment.cuh"

#define THREADS 128 /* also how many elements of x a block copies to shared memory at a time */
#define ALPHA 2.0
#define BETA -3.0

struct gemv { /* operands, as the kernels take them */
    const double *a, *x, *y;
    double *out;
    int64_t rows, columns;
};

/* An experiment's parameter, which says how A is stored. STAGED: A is stored by columns, and each
 * block copies x to shared memory, a part at a time. */
enum layout { BY_ROWS, BY_COLUMNS, STAGED };

template <layout LAYOUT> __global__ void __launch_bounds__(THREADS) gemv_plain(const gemv p)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;

    if (row >= p.rows)
        return;
    for (int64_t column = 0; column < p.columns; column++)
        sum +=
            p.a[LAYOUT == BY_ROWS ? row * p.columns + column : column * p.rows + row] * p.x[column];
    p.out[row] = ALPHA * sum + BETA * p.y[row];
}

__global__ void __launch_bounds__(THREADS) gemv_shared(const gemv p)
{
    __shared__ double piece[THREADS];
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;

    for (int64_t first = 0; first < p.columns; first += THREADS) {
        const int64_t left = p.columns - first;
        const int length = left < THREADS ? (int)left : THREADS;

        if ((int)threadIdx.x < length)
            piece[threadIdx.x] = p.x[first + threadIdx.x];
        __syncthreads();
        if (row < p.rows)
            for (int i = 0; i < length; i++)
                sum += p.a[(first + i) * p.rows + row] * piece[i];
        __syncthreads(); /* before the piece is overwritten */
    }
    if (row < p.rows)
        p.out[row] = ALPHA * sum + BETA * p.y[row];
}

/* The products are at most 64 in magnitude, and a row that fits in memory has far fewer than
 * 2^53 / 64 of them. So sums are exact in any order. */
static void shape(const struct experiment *, const struct problem_size *size,
                  struct array_specs *shape)
{
    shape->in[0] = number_array(ELEMENT_F64, element_count(size), -8, 8);
    shape->in[1] = number_array(ELEMENT_F64, size->width, -8, 8);
    shape->in[2] = number_array(ELEMENT_F64, size->height, -1000, 1000);
    shape->out = result_array(ELEMENT_F64, size->height);
}

static void (*kernel_of(const struct experiment *row))(gemv)
{
    return row->parameter == BY_ROWS      ? gemv_plain<BY_ROWS>
           : row->parameter == BY_COLUMNS ? gemv_plain<BY_COLUMNS>
                                          : gemv_shared;
}

static const char *run(const struct experiment_job *job)
{
    void (*const kernel)(gemv) = kernel_of(job->row);
    const gemv operands = {input<double>(job, 0), input<double>(job, 1), input<double>(job, 2),
                           output<double>(job),   job->size.height,      job->size.width};

    LAUNCH(kernel, grid_for(job->size.height, THREADS), THREADS, 0, job->stream, operands);
    return launched();
}

static void reference(const struct experiment_job *job)
{
    const int64_t rows = job->size.height, columns = job->size.width;
    const double *a = input<double>(job, 0), *x = input<double>(job, 1);

    for (int64_t row = 0; row < rows; row++) {
        double sum = 0;

        for (int64_t column = 0; column < columns; column++)
            sum += x[column] *
                   a[job->row->parameter == BY_ROWS ? row * columns + column : column * rows + row];
        output<double>(job)[row] = ALPHA * sum + BETA * input<double>(job, 2)[row];
    }
}

/* asked_bytes counts all loads of x: every thread loads all of x; if x is staged, every block
 * does. */
static void work(const struct experiment *row, const struct problem_size *size,
                 struct experiment_work *work)
{
    const double rows = (double)size->height, columns = (double)size->width;
    const double readers =
        row->parameter == STAGED ? (double)blocks_for(size->height, THREADS) : rows;

    *work = {.useful_bytes = 8 * (rows * columns + columns + 2 * rows),
             .asked_bytes = 8 * (rows * columns + readers * columns + 2 * rows),
             .flops = 2 * rows * columns + 3 * rows};
}

static void geometry(const struct experiment *row, const struct problem_size *,
                     struct launch_geometry *geometry)
{
    *geometry = {(const void *)kernel_of(row), THREADS, 0};
}

#define ROW(NAME, LAYOUT, SHOWS)                                                                   \
    {                                                                                              \
        .group = "gemv", .row = NAME, .shows = SHOWS, .parameter = LAYOUT, .place = ON_GPU,        \
        .shape = shape, .run = run, .reference = reference, .work = work, .geometry = geometry     \
    }

DEFINE_EXPERIMENTS(gemv) = {
    ROW("by rows", BY_ROWS,
        "A warp reads a column of a matrix that lies by rows: 32 sectors of A, used up later if "
        "the "
        "cache holds them, and one of x, 16.5 sectors a load."),
    ROW("by columns", BY_COLUMNS,
        "The same sums with the matrix turned: 8 sectors of A's doubles, all of them used, and one "
        "of x, 4.5 sectors a load. With a thread a row, 4096 rows are too few threads for an H200 "
        "to gain by it."),
    ROW("by columns, x shared", STAGED,
        "Staging x in shared memory saves its loads, and leaves 8 sectors a load. Each was one "
        "broadcast from the L1 cache; barriers come in their place, and the time changes little."),
    {}};
