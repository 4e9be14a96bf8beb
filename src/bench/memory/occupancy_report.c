/* SPDX-License-Identifier: MIT */
#include "src/bench/memory/experiments.h"
#include "src/bench/memory/occupancy.h"
#include "src/bench/core/cells.h"

#define NAME_WIDTH 30

static void print_head(FILE *stream, const char *device, const struct gpu_sm *sm)
{
    char limits[160];

    snprintf(limits, sizeof limits,
             "an SM holds %d threads (%d warps) in %d blocks, %d registers, %lld KiB of shared "
             "memory",
             sm->threads, sm->threads / WARP_THREADS, sm->blocks, sm->registers,
             (long long)sm->shared_bytes / 1024);
    print_wrapped(stream, limits, fprintf(stream, "%s:", device));
    fprintf(stream, "%-*s %7s %6s %5s %8s %s\n", NAME_WIDTH, "block of", "threads", "blocks",
            "warps", "occupied", "limit");
}

static void print_line(FILE *stream, const char *name, const struct block_needs *needs,
                       const struct occupancy *occupancy)
{
    fprintf(stream, "%-*.*s %7d %6d %5d %6.1f %% %s\n", NAME_WIDTH, NAME_WIDTH, name,
            needs->threads, occupancy->blocks, occupancy->warps, 100 * occupancy->share,
            limiter_words[occupancy->limiter]);
}

/* Blocks from textbooks. Their occupancy is printed for an A100 and for this machine's GPU. */
static const struct {
    const char *name;
    struct block_needs needs;
    const char *lesson; /* what the A100's line shows */
} examples[] = {
    {"1024 threads",
     {.threads = 1024},
     "Full. While a block waits at a barrier, half of the warps wait with it."},
    {"512 threads", {.threads = 512}, "Full too, and a barrier stops a quarter only."},
    {"64 threads", {.threads = 64}, "The smallest blocks that fill it: it takes 32, not more."},
    {"32 threads",
     {.threads = 32},
     "Half: the number of blocks is what ends, and threads are left over."},
    {"700 threads",
     {.threads = 700},
     "22 warps, of which a third block finds no room: 648 threads are left over."},
    {"256 threads, 64 registers each",
     {.threads = 256, .registers = 64},
     "Half: 4 blocks have all registers. With 32 each there would be room for 8."},
    {"256 threads, 40 KiB shared",
     {.threads = 256, .shared_bytes = 40 * 1024},
     "Half: 4 tiles of 40 KiB, each with a KiB for CUDA, are all of the shared memory."},
};

static void print_examples(FILE *stream, const char *device, const struct gpu_sm *sm, bool lessons)
{
    print_head(stream, device, sm);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct occupancy occupancy = occupancy_of(sm, &examples[i].needs, -1);

        print_line(stream, examples[i].name, &examples[i].needs, &occupancy);
        if (lessons)
            print_wrapped(stream, examples[i].lesson, fprintf(stream, "    "));
    }
}

/* Prints the line of an experiment's kernel. The emulated device reports 0 registers, and one block
 * on an SM for every kernel. So for this device occupancy_of() calculates the number of blocks. */
static enum status print_kernel(FILE *stream, struct gpu *gpu, const struct gpu_sm *sm,
                                const struct experiment *experiment,
                                const struct problem_size *size, struct error *error)
{
    struct launch_geometry geometry = {0};
    struct block_needs needs;
    struct occupancy occupancy;
    struct gpu_kernel kernel;
    char name[96];
    enum status status;

    experiment->geometry(experiment, size, &geometry);
    status = gpu_describe_kernel(gpu, geometry.kernel, geometry.threads,
                                 (int64_t)geometry.shared_bytes, &kernel, error);
    if (status != STATUS_OK)
        return status;
    needs = (struct block_needs){geometry.threads, kernel.registers,
                                 kernel.shared_bytes + (int64_t)geometry.shared_bytes};
    occupancy = occupancy_of(sm, &needs, kernel.registers > 0 ? kernel.blocks : -1);
    snprintf(name, sizeof name, "%.40s/%.40s", experiment->group, experiment->row);
    print_line(stream, name, &needs, &occupancy);
    return STATUS_OK;
}

static enum status print_kernels(FILE *stream, const struct bench_options *options, struct gpu *gpu,
                                 const struct gpu_sm *sm, struct error *error)
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
                            const struct gpu_device *device, FILE *stream, struct error *error)
{
    print_examples(stream, "A100 (calculated)", &sm_a100, true);
    if (!gpu)
        return STATUS_OK;
    fputc('\n', stream);
    print_examples(stream, device->name, &device->sm, false);
    if (gpu_is_emulated())
        fputs("the emulated device knows no registers and no static shared memory of kernels\n",
              stream);
    return print_kernels(stream, options, gpu, &device->sm, error);
}
