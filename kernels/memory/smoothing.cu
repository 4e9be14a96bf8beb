/* SPDX-License-Identifier: MIT */
/* Look at the sectors (of 32 bytes) that the loads touch: with lanes along the rows there are a
 * fifth as many as with lanes down the columns. On a GPU, look at the time: if every tap computes
 * an exp in double, fewer sectors save little time; if the weights come from a table, fewer sectors
 * save much time.
 *
 * This is the smoothing of a CUDA course, with its formula and layout. The image has bytes, and
 * `halo` pixels around it:
 *
 *     out(r, c) = round(sum over the window of in(i, j) exp(-((i-r)^2 + (j-c)^2) / s) / (pi s)),
 *     s = 2/9 halo^2.
 *
 * This is what smoothimg computes with --norm analytic. Weights are computed for every tap, or come
 * from a table.
 *
 * Easily wrong: at halo 1 the weights sum to 1.5, so a result may exceed 255. C does not define
 * what such a double becomes as a byte, so results are clamped. With expf and roundf, which are
 * single precision, a few pixels would differ, so the kernels and the reference use double. A halo
 * of 0 would divide by 0, so it is refused. The output's border is never written, so it is not
 * compared. */
#include "kernels/memory/experiment.cuh"

#include <math.h>

#define EDGE 16
#define PI 3.14159265358979323846

struct smoothing { /* parameters of the kernels */
    const uint8_t *in;
    uint8_t *out;
    int64_t width, height; /* pixels, without the border */
    int64_t pitch;         /* pixels from one row of `in` and `out` to the next */
    int halo;
    double scale; /* s of the formula */
};

__device__ __forceinline__ uint8_t rounded(double mean)
{
    const double whole = round(mean);

    return (uint8_t)(whole < 255 ? whole : 255);
}

__device__ __forceinline__ uint8_t by_exp(const smoothing &p, const uint8_t *in)
{
    double sum = 0;

    for (int i = -p.halo; i <= p.halo; i++, in += p.pitch)
        for (int j = -p.halo; j <= p.halo; j++)
            sum += in[j + p.halo] * exp(-(double)(i * i + j * j) / p.scale);
    return rounded(sum / (p.scale * PI));
}

/* Like by_exp, with a table of 2 halo + 1 entries exp(-i^2 / s): a weight is the product of two
 * entries. */
__device__ __forceinline__ uint8_t by_table(const smoothing &p, const uint8_t *in,
                                            const double *table)
{
    double sum = 0;

    for (int i = 0; i <= 2 * p.halo; i++, in += p.pitch) {
        double row = 0;

        for (int j = 0; j <= 2 * p.halo; j++)
            row += in[j] * table[j];
        sum += row * table[i];
    }
    return rounded(sum / (p.scale * PI));
}

/* X_ROWS: neighbouring lanes compute pixels of neighbouring rows instead of columns, so accesses
 * are uncoalesced. TABLE: each block computes the table in shared memory. */
template <bool X_ROWS, bool TABLE>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS) smoothing_kernel(const smoothing p)
{
    DYN_SHARED(double, table);
    const int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.y * blockDim.x + threadIdx.x;

    if (TABLE) {
        for (int i = lane; i <= 2 * p.halo; i += blockDim.x * blockDim.y)
            table[i] = exp(-(double)((i - p.halo) * (i - p.halo)) / p.scale);
        __syncthreads();
    }
    if (x >= (X_ROWS ? p.height : p.width))
        return;
    for (int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
         y < (X_ROWS ? p.width : p.height); y += (int64_t)gridDim.y * blockDim.y) {
        const int64_t window = X_ROWS ? x * p.pitch + y : y * p.pitch + x;
        const int64_t centre = window + p.halo * p.pitch + p.halo;

        p.out[centre] = TABLE ? by_table(p, p.in + window, table) : by_exp(p, p.in + window);
    }
}

static const char *refuses(const struct experiment *row, const struct problem_size *size)
{
    return size->halo < 1 || size->halo > MAX_HALO ? "the formula needs a halo of 1 to 1024"
                                                   : refuses_block(row, size);
}

static void shape(const struct experiment *, const struct problem_size *size,
                  struct array_specs *shape)
{
    shape->in[0] = shape->out = image_array(size, size->halo);
}

static smoothing operands(const struct experiment_job *job)
{
    const struct problem_size *size = &job->size;

    return {input<uint8_t>(job, 0),
            output<uint8_t>(job),
            size->width,
            size->height,
            size->width + 2 * size->halo,
            (int)size->halo,
            2. / 9. * (double)(size->halo * size->halo)};
}

enum { X_ROWS = 1, TABLE = 2 }; /* bits of an experiment's parameter */

template <int FORM>
constexpr auto kernel_of = smoothing_kernel<(FORM & X_ROWS) != 0, (FORM & TABLE) != 0>;

/* Returns the bytes of the table plus one entry, or 0 for an experiment without a table. ptxas
 * loads pairs of entries, and the table has an odd number of them, so that the last pair ends after
 * the table. */
static size_t table_bytes(const struct experiment *row, const struct problem_size *size)
{
    return row->parameter & TABLE ? sizeof(double) * (size_t)(2 * size->halo + 2) : 0;
}

template <int FORM> static const char *run(const struct experiment_job *job)
{
    const int edge = block_edge(&job->size, EDGE);
    const dim3 block(edge, edge);
    const int64_t width = job->size.width, height = job->size.height;
    const dim3 grid =
        FORM & X_ROWS ? grid_over(height, width, block) : grid_over(width, height, block);

    LAUNCH(kernel_of<FORM>, grid, block, table_bytes(job->row, &job->size), job->stream,
           operands(job));
    return launched();
}

/* Computes the mean in double, not rounded. The output has a border too. */
static void reference(const struct experiment_job *job)
{
    const smoothing p = operands(job); /* p.out is unused: this output has doubles */
    double table[2 * MAX_HALO + 1];

    for (int i = 0; i <= 2 * p.halo; i++)
        table[i] = exp(-(double)((i - p.halo) * (i - p.halo)) / p.scale);
    for (int64_t y = 0; y < p.height; y++)
        for (int64_t x = 0; x < p.width; x++) {
            double sum = 0;

            for (int i = 0; i <= 2 * p.halo; i++) {
                double row = 0;

                for (int j = 0; j <= 2 * p.halo; j++)
                    row += p.in[(y + i) * p.pitch + x + j] * table[j];
                sum += row * table[i];
            }
            sum /= p.scale * PI;
            output<double>(job)[(y + p.halo) * p.pitch + x + p.halo] = sum < 255 ? sum : 255;
        }
}

/* The bound is half a grey level for the rounding, plus the greatest difference of two sums in
 * double. Let u = 2^-53. The argument of exp() is from -9 to 0, and its error at most 9 u. So the
 * relative error of the result is 9 u, to which exp() itself adds 2 u. A weight from the table is a
 * product of two such factors, which gives twice 11 u; products add 3 u. So the relative error of a
 * term is below 32 u. Adding n terms adds n u. The mean is below 1.5 x 255 < 384. The sums of run()
 * and of reference() may both have this error: 2 x 384 (n + 32) u. */
static double bound(const struct experiment_job *job)
{
    const double taps = (double)((2 * job->size.halo + 1) * (2 * job->size.halo + 1));

    return 0.5 + 2 * 384 * (taps + 32) * 0x1p-53;
}

static void work(const struct experiment *row, const struct problem_size *size,
                 struct experiment_work *work)
{
    const double pixels = (double)element_count(size), edge = (double)(2 * size->halo + 1);

    *work = {
        .useful_bytes =
            (double)((size->width + 2 * size->halo) * (size->height + 2 * size->halo)) + pixels,
        .asked_bytes = pixels * (edge * edge + 1),
        .flops = pixels *
                 (row->parameter & TABLE ? 2 * edge * edge + 2 * edge + 1 : 4 * edge * edge + 1)};
}

#define ROW(NAME, FORM, SHOWS)                                                                     \
    {                                                                                              \
        .group = "smoothing", .row = NAME, .shows = SHOWS, .parameter = FORM, .place = ON_GPU,     \
        .refuses = refuses, .shape = shape, .run = run<FORM>, .reference = reference,              \
        .bound = bound, .work = work,                                                              \
        .geometry = square_geometry<kernel_of<FORM>, EDGE, table_bytes>                            \
    }

DEFINE_EXPERIMENTS(smoothing) = {
    ROW("exp, uncoalesced", X_ROWS,
        "An exp in double for every tap: the arithmetic takes so long that it hides much of what "
        "five times the sectors cost."),
    ROW("exp, coalesced", 0, "A fifth of the sectors, and what is left is the time of the exps."),
    ROW("table, uncoalesced", X_ROWS | TABLE,
        "Weights from a table: the exps are gone, and the price of the strided walk shows."),
    ROW("table, coalesced", TABLE,
        "The same sums, lanes along the rows, a fifth of the sectors: what is left is conversions "
        "and products in double, and loads that the L1 cache answers."),
    {}};
