/* SPDX-License-Identifier: MIT */
#include "src/lib/gpu/arrays.h"
#include "src/bench/memory/experiments.h"
#include "src/bench/memory/occupancy.h"

static void print_head(FILE *stream, const struct sm *sm)
{
    fprintf(stream, "%s: an SM holds %d threads (%d warps) in %d blocks, %d registers, %lld KiB\n",
            sm->name, sm->threads, sm->threads / WARP_THREADS, sm->blocks, sm->registers,
            (long long)sm->shared_bytes / 1024);
    fprintf(stream, "%-34s %7s %6s %5s %8s %s\n", "block of", "threads", "blocks", "warps",
            "occupied", "limit");
}

static void print_line(FILE *stream, const char *name, const struct block_needs *needs,
                       const struct occupancy *occupancy)
{
    fprintf(stream, "%-34.34s %7d %6d %5d %6.1f %% %s\n", name, needs->threads, occupancy->blocks,
            occupancy->warps, 100 * occupancy->share, limiter_word(occupancy->limiter));
}

/* Blocks that need only threads. On an A100 those of 1024 and of 512 threads fill an SM, those of
 * 64 do too, and two of 700 leave threads unused. */
static void print_examples(FILE *stream, const struct sm *sm)
{
    static const int examples[] = {1024, 512, 64, 700};

    print_head(stream, sm);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct block_needs needs = {.threads = examples[i]};
        const struct occupancy occupancy = occupancy_of(sm, &needs);
        char name[40];

        snprintf(name, sizeof name, "%d threads", needs.threads);
        print_line(stream, name, &needs, &occupancy);
    }
}

/* The emulated device knows no registers and counts no blocks: then the rules do. */
static enum status print_kernel(FILE *stream, struct gpu *gpu, const struct sm *sm,
                                const struct experiment *experiment,
                                const struct problem_size *size, struct error *error)
{
    struct launch_geometry geometry = {0};
    struct gpu_kernel kernel;
    struct block_needs needs;
    struct occupancy occupancy;
    char name[80];
    enum status status;

    experiment->geometry(experiment, size, &geometry);
    status = gpu_describe_kernel(gpu, geometry.kernel, geometry.threads,
                                 (int64_t)geometry.shared_bytes, &kernel, error);
    if (status != STATUS_OK)
        return status;
    needs = (struct block_needs){geometry.threads, kernel.registers,
                                 kernel.shared_bytes + (int64_t)geometry.shared_bytes};
    occupancy =
        kernel.registers > 0 ? occupancy_with(sm, &needs, kernel.blocks) : occupancy_of(sm, &needs);
    snprintf(name, sizeof name, "%s/%s", experiment->group, experiment->row);
    print_line(stream, name, &needs, &occupancy);
    return STATUS_OK;
}

static enum status print_kernels(FILE *stream, const struct bench_options *options, struct gpu *gpu,
                                 const struct sm *sm, struct error *error)
{
    const struct problem_size size = problem_size_wanted(options, gpu, 0);
    const struct experiment *experiment;
    enum status status = STATUS_OK;

    for (int i = 0; status == STATUS_OK && (experiment = experiment_at(i)) != NULL; i++)
        if (experiment->geometry && experiment_is_wanted(options, experiment) &&
            !(experiment->refuses && experiment->refuses(experiment, &size)))
            status = print_kernel(stream, gpu, sm, experiment, &size, error);
    return status;
}

enum status occupancy_print(const struct bench_options *options, struct gpu *gpu,
                            const char *device, FILE *stream, struct error *error)
{
    struct gpu_sm about;
    enum status status;
    struct sm sm;

    print_examples(stream, &sm_a100);
    if (!gpu)
        return STATUS_OK;
    status = gpu_describe_sm(gpu, &about, error);
    if (status != STATUS_OK)
        return status;
    sm = (struct sm){device,          about.threads,      about.blocks,
                     about.registers, about.shared_bytes, about.reserved_bytes};
    fputc('\n', stream);
    print_examples(stream, &sm);
    if (gpu_is_emulated())
        fputs(
            "registers are not known here, and static shared memory: by threads and blocks alone\n",
            stream);
    return print_kernels(stream, options, gpu, &sm, error);
}
