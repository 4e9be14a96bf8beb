/* SPDX-License-Identifier: MIT */
/* Look at loads and stores together: here both are strided. With stride 3, and a start 4 floats
 * into a sector (of 32 bytes), a warp touches 13 sectors where 4 would do.
 *
 * The kernel computes y[i] = a x[i] + b, with a thread for each element. With a stride the threads
 * walk through the list `stride` times: walk w takes the elements w, w + stride, w + 2 stride, ...
 * So all experiments use each element once.
 *
 * Easily wrong: a rate that counts all bytes that cross the bus. By that rate a large stride looks
 * fast although it is slow, since it moves more bytes. So this suite counts useful bytes only. */
#include "kernels/memory/experiment.cuh"

#define THREADS 256
#define A 3.0f
#define B 7.0f
#define HIGH 4000000 /* the greatest x: A * HIGH + B is below 2^24, exact in a float */

/* The threads walk through the list `stride` times; blockIdx.y is the index of the walk. */
__global__ void __launch_bounds__(THREADS) saxpb(const float *__restrict__ x, float *__restrict__ y,
                                                 int64_t count, int64_t stride, int64_t first)
{
    int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * stride + blockIdx.y;

    if (i >= count)
        return;
    i += first; /* walk 0 begins at element `first`; indices beyond the end wrap around */
    i -= i < count ? 0 : count;
    y[i] = A * x[i] + B;
}

static const char *run(const struct experiment_job *job)
{
    const int64_t stride = job->row->parameter, count = job->out.count;

    dim3 grid = grid_for(blocks_for(count, stride), THREADS);

    grid.y = (unsigned)stride;
    LAUNCH(saxpb, grid, THREADS, 0, job->stream, input<float>(job, 0), output<float>(job), count,
           stride, stride == 3 ? 4 % count : 0);
    return launched();
}

static void reference(const struct experiment_job *job)
{
    for (int64_t i = 0; i < job->out.count; i++)
        output<float>(job)[i] = A * input<float>(job, 0)[i] + B;
}

#define ROW(NAME, STRIDE, SHOWS)                                                                   \
    {                                                                                              \
        .group = "saxpb", .row = NAME, .shows = SHOWS, .parameter = STRIDE, .place = ON_GPU,       \
        .shape = equal_arrays<ELEMENT_F32, 1, HIGH>, .run = run, .reference = reference,           \
        .work = elementwise_work<8, 2>, .geometry = list_geometry<saxpb, THREADS>                  \
    }

DEFINE_EXPERIMENTS(saxpb) = {
    ROW("unit", 1, "4 sectors a load and 4 sectors a store: nothing is moved for nothing."),
    ROW("stride 2", 2,
        "8 sectors a load and 8 sectors a store; the other half is used by a later walk, from the "
        "L2 cache if it is still there."),
    ROW("stride 3, 4 floats off", 3,
        "13 sectors a load where 4 would do: 4/13 of what is moved is used at once."),
    ROW("stride 8", 8, "A sector for every lane: 32 sectors a load and 32 sectors a store."),
    ROW("stride 32", 32,
        "No more sectors than at stride 8, but each is in another line; when the list is larger "
        "than the L2 cache each sector crosses the bus eight times, and partly written ones too."),
    {}};
