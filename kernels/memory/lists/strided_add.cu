/* SPDX-License-Identifier: MIT */
/* Look at how many sectors a warp's load touches as the stride grows: 4 at stride 1, 32 from stride
 * 8 on, for the same useful bytes.
 *
 * The kernel computes out[i] = a[k i] + b[k i], which takes the same number of additions for every
 * stride k. A warp's load touches each sector of 32 bytes that has one of its elements.
 *
 * Easily wrong: a launch does not wait for its kernel. To time it, wait for the stream, as the
 * caller of run() does. */
#include "kernels/memory/experiment.cuh"

#define THREADS 1024 /* any size would do */

__global__ void __launch_bounds__(THREADS)
    strided_add(const int32_t *__restrict__ a, const int32_t *__restrict__ b,
                int32_t *__restrict__ out, int64_t count, int64_t stride)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = a[stride * i] + b[stride * i];
}

/* The arrays a and b end with the last element that is read. */
static void shape(const struct experiment *row, const struct problem_size *size,
                  struct array_specs *shape)
{
    const int64_t count = element_count(size);

    for (int i = 0; i < 2; i++)
        shape->in[i] =
            number_array(ELEMENT_I32, (count - 1) * row->parameter + 1, -1000000, 1000000);
    shape->out = result_array(ELEMENT_I32, count);
}

static const char *run(const struct experiment_job *job)
{
    LAUNCH(strided_add, grid_for(job->out.count, THREADS), THREADS, 0, job->stream,
           input<int32_t>(job, 0), input<int32_t>(job, 1), output<int32_t>(job), job->out.count,
           job->row->parameter);
    return launched();
}

static void reference(const struct experiment_job *job)
{
    const int32_t *a = input<int32_t>(job, 0), *b = input<int32_t>(job, 1);

    for (int64_t i = 0; i < job->out.count; i++)
        output<int32_t>(job)[i] = a[job->row->parameter * i] + b[job->row->parameter * i];
}

#define ROW(NAME, STRIDE, SHOWS)                                                                   \
    {                                                                                              \
        .group = "strided-add", .row = NAME, .shows = SHOWS, .parameter = STRIDE, .place = ON_GPU, \
        .shape = shape, .run = run, .reference = reference, .work = elementwise_work<12, 0>,       \
        .geometry = list_geometry<strided_add, THREADS>                                            \
    }

DEFINE_EXPERIMENTS(strided_add) = {
    ROW("unit", 1,
        "Neighbouring lanes read neighbouring words: 4 sectors a load, and every byte is used."),
    ROW("stride 2", 2, "8 sectors a load, and half of each is thrown away."),
    ROW("stride 4", 4, "16 sectors a load, of which a quarter is used: two words of eight."),
    ROW("stride 8", 8,
        "32 sectors a load: each lane has one of its own, of which one word of eight is used."),
    ROW("stride 16", 16,
        "Still 32 sectors a load, but they are no longer neighbours: the further loss is beyond "
        "the "
        "L2 cache."),
    ROW("stride 32", 32,
        "Still 32 sectors a load, each in a 128-byte line of its own: a load needs 32 tags."),
    {}};
