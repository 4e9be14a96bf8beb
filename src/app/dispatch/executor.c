/* SPDX-License-Identifier: MIT */
/* Operations where chooser.c has put them: on a GPU that is waited for, or opened, and under auto
 * elsewhere if it fails. A lane is one opening of a device; what is not done in bands is on lane 0.
 */
#include "chooser_state.h"
#include "registry.h"

/* Lanes of a device that pay for one file: while one reads or writes, the other copies and
 * computes. More of them wait for each other to write: kernels/NOTES.md has figures. */
#define LANES_OF_DEVICE 2

void chooser_give_up(struct chooser *chooser, const struct error *failure)
{
    chooser->failed = true;
    chooser->failure = *failure;
    chooser->machine.no_gpu = "the GPU failed";
}

/* Operations i.. are done on the CPU, since there is no GPU for them. */
static void keep_to_cpu(struct chooser *chooser, int i, const char *why)
{
    for (int j = i; j < chooser->options->op_count; j++) {
        chooser->choice.ops[j].on_gpu = false;
        chooser->choice.ops[j].no_gpu = why;
        chooser->variants[j] = registry_best((enum op)chooser->options->ops[j], ON_CPU, NULL);
    }
}

void chooser_settle_for_cpu(struct chooser *chooser, const char *why)
{
    if (chooser->automatic)
        keep_to_cpu(chooser, 0, why);
}

/* Waits for the lane's GPU, and opens it if nobody has begun to. */
static enum status wait_for(struct chooser *chooser, int lane, struct error *error)
{
    struct gpu_opening *opening = &chooser->lanes[lane];

    if (!opening->begun)
        gpu_opening_do(opening, chooser->first + (chooser->any ? lane : 0), chooser->any);
    return gpu_opening_wait(opening, error);
}

/* A GPU's variant has failed that the command line names. */
static void note_loss(struct chooser *chooser, int lane)
{
    const struct gpu *gpu = chooser->lanes[lane].gpu;

    if (gpu && gpu_alive(gpu))
        return;
    pthread_mutex_lock(&chooser->mutex);
    chooser->lost = true;
    pthread_mutex_unlock(&chooser->mutex);
}

/* Under auto, `tried` has refused operation i, or failed: what to try next, which is the next best
 * of the GPU's variants, or the CPU's best, and that for all that follows. Another lane may have
 * come here before. */
static const struct variant *step_down(struct chooser *chooser, int i, const struct variant *tried,
                                       enum status status, const struct error *error)
{
    const struct variant *next =
        status == STATUS_UNSUPPORTED ? registry_best(tried->op, ON_GPU, tried) : NULL;

    pthread_mutex_lock(&chooser->mutex);
    if (chooser->variants[i] == tried && next) {
        chooser->variants[i] = next;
    } else if (chooser->variants[i] == tried) {
        chooser_give_up(chooser, error);
        keep_to_cpu(chooser, i, chooser->machine.no_gpu);
    }
    next = chooser->variants[i];
    pthread_mutex_unlock(&chooser->mutex);
    return next;
}

static const struct variant *variant_now(struct chooser *chooser, int i)
{
    const struct variant *variant;

    pthread_mutex_lock(&chooser->mutex);
    variant = chooser->variants[i];
    pthread_mutex_unlock(&chooser->mutex);
    return variant;
}

/* Has a GPU's variant ended so that under auto another one takes over? */
static bool others_may(const struct chooser *chooser, enum status status)
{
    return chooser->automatic && (status == STATUS_UNSUPPORTED || status == STATUS_DEVICE);
}

enum status chooser_check(struct chooser *chooser, struct error *error)
{
    enum status status = STATUS_OK;

    if (!chooser->automatic && chooser->lanes[0].begun)
        status = wait_for(chooser, 0, error);
    if (status == STATUS_DEVICE)
        note_loss(chooser, 0);
    return status;
}

enum status chooser_run(struct chooser *chooser, int i, const struct image *src,
                        const struct run_options *options, int64_t dst_halo, struct image *dst,
                        struct error *error)
{
    struct run_options equipped = *options;
    const struct variant *variant = chooser->variants[i];
    enum status status;

    while (variant->place == ON_GPU) {
        status = wait_for(chooser, 0, error);
        equipped.gpu = chooser->lanes[0].gpu;
        if (status == STATUS_OK)
            status = run_variant(variant, src, &equipped, dst_halo, dst, error);
        if (status == STATUS_DEVICE && !chooser->automatic)
            note_loss(chooser, 0);
        if (!others_may(chooser, status))
            return status;
        variant = step_down(chooser, i, variant, status, error);
    }
    return run_variant(variant, src, options, dst_halo, dst, error);
}

static enum status open_lane(void *context, int lane, struct gpu **gpu, struct error *error)
{
    struct chooser *chooser = context;
    const struct variant *variant = variant_now(chooser, 0);
    enum status status;

    *gpu = NULL;
    if (variant->place == ON_CPU)
        return STATUS_OK;
    status = wait_for(chooser, lane, error);
    *gpu = chooser->lanes[lane].gpu;
    if (status == STATUS_OK || lane > 0) /* the others go on without this one */
        return status;
    if (!chooser->automatic)
        note_loss(chooser, lane);
    if (!others_may(chooser, status))
        return status;
    step_down(chooser, 0, variant, status, error);
    return STATUS_OK;
}

/* Rows first..first+count-1 of the job's source alone: those above and below are their border. */
static struct job part_of(const struct job *job, enum op op, int64_t first, int64_t count)
{
    const int64_t to = op == OP_REVERSE ? job->src.height - first - count : first;
    struct job part = *job;

    part.src.origin = (char *)job->src.origin + first * job->src.stride_bytes;
    part.dst.origin = (char *)job->dst.origin + to * job->dst.stride_bytes;
    part.src.height = part.dst.height = count;
    return part;
}

/* The band at once; or by halves, where the device has not the memory for it. */
static enum status run_band(struct gpu *gpu, const struct variant *variant, const struct job *job,
                            bool by_halves, struct gpu_times *times, struct error *error)
{
    enum status status = run_job(variant, job, gpu, error);
    const int64_t rows = job->src.height, half = rows / 2;

    if (status == STATUS_OK)
        gpu_times_add(times, gpu_last_times(gpu));
    if (status != STATUS_DEVICE || !by_halves || rows == 1 || !gpu_lacked_memory(gpu))
        return status;
    for (int i = 0; i < 2; i++) {
        const struct job part = part_of(job, variant->op, i * half, i == 0 ? half : rows - half);

        status = run_band(gpu, variant, &part, by_halves, times, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status run_on_lane(void *context, int lane, const struct job *job,
                               struct gpu_times *times, struct error *error)
{
    struct chooser *chooser = context;
    struct gpu *gpu = chooser->lanes[lane].gpu;
    const struct variant *variant = variant_now(chooser, 0);
    enum status status;

    *times = (struct gpu_times){0};
    while (variant->place == ON_GPU) {
        status = run_band(gpu, variant, job, !chooser->automatic, times, error);
        if (status == STATUS_DEVICE && !chooser->automatic)
            note_loss(chooser, lane);
        if (!others_may(chooser, status))
            return status;
        variant = step_down(chooser, 0, variant, status, error);
    }
    return run_job(variant, job, NULL, error);
}

const struct band_lanes *chooser_lanes(struct chooser *chooser)
{
    struct error unused;
    int devices = 1;

    if (chooser->any && chooser->variants[0]->place == ON_GPU &&
        gpu_count(&devices, &unused) != STATUS_OK)
        devices = 1;
    chooser->of_bands.most = LANES_OF_DEVICE * devices;
    return &chooser->of_bands;
}

struct gpu *chooser_gpu(const struct chooser *chooser)
{
    return chooser->lanes[0].joined ? chooser->lanes[0].gpu : NULL;
}

void chooser_make_lanes(struct chooser *chooser)
{
    chooser->of_bands =
        (struct band_lanes){.context = chooser, .open = open_lane, .run = run_on_lane};
}
