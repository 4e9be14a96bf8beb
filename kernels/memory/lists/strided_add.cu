/* SPDX-License-Identifier: MIT */
/* out[i] = a[k i] + b[k i]: the same additions for every stride k, and the same useful bytes. What
 * grows with k is how many sectors of 32 bytes a warp's load touches: 4 at stride 1, 32 from stride
 * 8 on.
 *
 * Mended: the original timed `...; cuda.synchronize` without parentheses, that is no wait at all,
 * and so the queueing of launches. Here whoever times run() waits for the stream. */
#include "experiment.cuh"

#define THREADS 1024 /* as in the original; nothing depends on it */

__global__ void __launch_bounds__(THREADS)
    strided_add(const int32_t *__restrict__ a, const int32_t *__restrict__ b,
                int32_t *__restrict__ out, int64_t count, int64_t stride)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = a[stride * i] + b[stride * i];
}

/* The last element that is read is the last of a and b: not one element is made for nothing. */
static void shape(const struct experiment *row, const struct lab_size *size,
                  struct lab_shape *shape)
{
    const int64_t count = lab_elements(size);

    for (int i = 0; i < 2; i++)
        shape->in[i] = lab_numbers(LAB_I32, (count - 1) * row->parameter + 1, -1000000, 1000000);
    shape->out = lab_results(LAB_I32, count);
}

static const char *run(const struct lab_job *job)
{
    LAUNCH(strided_add, lab_grid(job->out.count, THREADS), THREADS, 0, job->stream,
           lab_in<int32_t>(job, 0), lab_in<int32_t>(job, 1), lab_out<int32_t>(job), job->out.count,
           job->row->parameter);
    return launched();
}

static void reference(const struct lab_job *job)
{
    const int32_t *a = lab_in<int32_t>(job, 0), *b = lab_in<int32_t>(job, 1);

    for (int64_t i = 0; i < job->out.count; i++)
        lab_out<int32_t>(job)[i] = a[job->row->parameter * i] + b[job->row->parameter * i];
}

static void work(const struct experiment *, const struct lab_size *size, struct lab_work *work)
{
    *work = {.useful_bytes = 12.0 * (double)lab_elements(size),
             .asked_bytes = 12.0 * (double)lab_elements(size),
             .flops = 0};
}

static void geometry(const struct experiment *, const struct lab_size *,
                     struct lab_geometry *geometry)
{
    *geometry = {(const void *)strided_add, THREADS, 0};
}

#define ROW(NAME, STRIDE, SHOWS)                                                                   \
    {                                                                                              \
        .group = "strided-add", .row = NAME, .shows = SHOWS, .parameter = STRIDE,                  \
        .profile = LAB_NO_PROFILE, .place = ON_GPU, .refuses = NULL, .shape = shape, .run = run,   \
        .reference = reference, .bound = NULL, .work = work, .geometry = geometry                  \
    }

DEFINE_EXPERIMENTS(strided_add) = {
    ROW("unit", 1, "Neighbouring lanes read neighbouring words: every byte of a sector is used."),
    ROW("stride 2", 2, "Half of each sector that is loaded is thrown away."),
    ROW("stride 4", 4, "A quarter of each loaded sector is used: two words of eight."),
    ROW("stride 8", 8, "Each lane has a sector of its own, of which one word of eight is used."),
    ROW("stride 16", 16,
        "No more sectors than at stride 8, but they are no longer neighbours: what is lost beyond "
        "is "
        "lost behind the L2 cache."),
    ROW("stride 32", 32, "Each lane touches a 128-byte line of its own: a load needs 32 tags."),
    {}};
