/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* Idea:         several smooths, one after the other, in one kernel: a row that comes in goes through
 *               all of them, and what lies between two stays in registers (layers/kernel.cuh). Each
 *               is rounded exactly, and has its own pixels outside of the image.
 * Mends:        a launch a layer reads and writes the whole image for each, and fills its border.
 *               Sums in floats, of distances from the middle grey, which whole numbers become by one
 *               addition, take 8 instructions a sample at halo 1, where fused takes 16.
 * Still slow:   halos above 2, where registers hold the rows of one layer only, more than four
 *               channels, and colours that alpha weighs: a launch a layer, by fused. */
/* clang-format on */
#include "kernels/border/fill.h"
#include "kernels/common/engine.h"
#include "kernels/smooth/layers/launch.cuh"

#define BETWEEN_UNIT 256 /* bytes: alignment of images between launches and of their rows */

extern "C" {
extern const struct variant variant_smooth_fused;
}

static int layers_of(const struct job *job)
{
    return job->layers > 1 ? job->layers : 1;
}

/* Layers of the launch that begins with layer `done`. */
static int step_layers(const struct job *job, int done)
{
    return layers_serve(job) ? layers_at_once(job->halo, layers_of(job) - done) : 1;
}

static int64_t round_up_to(int64_t bytes, int64_t unit)
{
    return blocks_for(bytes, unit) * unit;
}

/* Images between launches have a border where fused needs it. Their pixels begin at the address
 * that it likes best. */
struct between {
    int64_t lead; /* bytes of a row before its first pixel */
    int64_t border, stride, bytes;
};

static int64_t fused_phase(const struct job *job)
{
    const struct job by_fused = unplanned(job);

    return src_phase_of(&variant_smooth_fused, &by_fused);
}

static struct between between_of(const struct job *job)
{
    const int64_t pixel_bytes = (int64_t)job->src.channels * job->src.sample_bytes;
    const int64_t border = layers_serve(job) ? 0 : job->halo;
    const int64_t phase = border ? fused_phase(job) % BETWEEN_UNIT : 0;
    const int64_t lead = round_up_to(border * pixel_bytes, BETWEEN_UNIT) + phase;
    const int64_t stride =
        round_up_to(lead + (job->src.width + border) * pixel_bytes, BETWEEN_UNIT);

    return {lead, border, stride, stride * (job->src.height + 2 * border)};
}

/* Rows first..last-1 of src that are computed of layer `done`: those of dst, and those around them
 * that the next layers reach. */
struct layer_rows {
    int64_t first, last;
};

static layer_rows rows_of_layer(const struct job *job, int done)
{
    const int64_t reach = (layers_of(job) - done) * job->halo_y;

    return {max(job->above - reach, (int64_t)0),
            min(job->above + job->dst.height + reach, job->src.height)};
}

/* Image number 0 or 1, with these rows. Scratch begins with room to align it. */
static struct view image_between(const struct job *job, const layer_rows &rows, int number)
{
    const struct between between = between_of(job);
    const uintptr_t memory = (uintptr_t)job->scratch + BETWEEN_UNIT - 1;
    struct view view = job->src;

    view.height = rows.last - rows.first;
    view.stride_bytes = between.stride;
    view.origin = reinterpret_cast<void *>(
        memory - memory % BETWEEN_UNIT +
        (uintptr_t)(number * between.bytes + between.border * between.stride + between.lead));
    return view;
}

/* The launch of number `index`, whose first layer is number `done`. Images between are used in
 * turns. */
static layers_step step_of(const struct job *job, int index, int done)
{
    const int layers = step_layers(job, done), all = layers_of(job);
    const layer_rows to = rows_of_layer(job, done + layers);
    const layer_rows from = index == 0 ? layer_rows{0, job->src.height} : rows_of_layer(job, done);

    return {index == 0 ? job->src : image_between(job, from, (index - 1) % 2),
            done + layers == all ? job->dst : image_between(job, to, index % 2), layers,
            to.first - from.first};
}

/* One layer, as fused does it, of a step between images with a border. */
static struct job job_of_step(const struct job *job, const layers_step &step)
{
    struct job one = unplanned(job);

    one.src = step.src;
    one.src.origin = static_cast<char *>(step.src.origin) + step.above * step.src.stride_bytes;
    one.src.height = step.dst.height;
    one.dst = step.dst;
    one.layers = 1;
    one.above = 0;
    return one;
}

/* Images between that the job needs: none, one, or two. */
static int images_between(const struct job *job)
{
    int launches = 0;

    for (int done = 0; done < layers_of(job) && launches < 3; launches++)
        done += step_layers(job, done);
    return launches - 1;
}

/* Bytes of scratch before fused's. */
static size_t bytes_between(const struct job *job)
{
    const int images = images_between(job);

    return images > 0 ? (size_t)(images * between_of(job).bytes) + BETWEEN_UNIT : 0;
}

/* fused's may depend on where images lie: of the first, a middle and the last layer. */
static size_t fused_bytes(const struct job *job)
{
    const int all = layers_of(job);
    size_t most = 0;

    for (int index = 0; index < all; index += index < 1 || index >= all - 2 ? 1 : all - 2 - index) {
        const struct job one = job_of_step(job, step_of(job, index, index));
        const size_t bytes = scratch_bytes_of(&variant_smooth_fused, &one);

        most = bytes > most ? bytes : most;
    }
    return most;
}

static size_t scratch_bytes(const struct job *job)
{
    return bytes_between(job) + (layers_serve(job) ? 0 : fused_bytes(job));
}

static const char *run_by_fused(const struct job *job, const layers_step &step, bool last)
{
    struct job one = job_of_step(job, step);
    const char *failure;

    one.scratch = static_cast<char *>(job->scratch) + bytes_between(job);
    failure = run_stack(&variant_smooth_fused, &one);
    if (failure || last)
        return failure;
    const struct border border = {(enum edge)job->edge, job->halo, job->halo, job->halo, 0,
                                  step.dst.height};

    return border_fill(&step.dst, &border, job->stream);
}

static const char *run(const struct job *job)
{
    const bool serves = layers_serve(job);
    const char *failure = NULL;
    int done = 0;

    for (int index = 0; done < layers_of(job) && !failure; index++) {
        const layers_step step = step_of(job, index, done);

        done += step.layers;
        if (!serves)
            failure = run_by_fused(job, step, done == layers_of(job));
        else
            failure = job->src.sample_bytes == 1 ? launch_layers<uint8_t>(job, step)
                                                 : launch_layers<uint16_t>(job, step);
    }
    return failure;
}

static int64_t src_phase(const struct job *job)
{
    return layers_serve(job) ? 0 : fused_phase(job);
}

/* On an H200 at halo 1, time of two layers and of four, of that of as many calls of fused: 8192^2,
 * 8 bits 0.86, 0.79; 2048^2 0.72, 0.76; 4096^2, three channels 0.80, 0.76; with longer segments at
 * the edges, 16 bits 0.78, 0.68, four channels 0.90, 0.94. At halo 2 1.24. */
static bool layers_pay(const struct job *job)
{
    return job->halo == 1 && layers_serve(job);
}

DEFINE_VARIANT(smooth_layers) = {
    .op = OP_SMOOTH,
    .name = "layers",
    .backend = ON_GPU,
    .description = "several smooths, one after the other, in one kernel",
    .layers_pay = layers_pay,
    .refuses = refuses_floats,
    .scratch_bytes = scratch_bytes,
    .run = run,
    .src_phase = src_phase,
};
