// SPDX-License-Identifier: MIT
// Counts the memory accesses of the memory experiments. Does not generate data for their arrays,
// since no count depends on the contents.
#include "src/bench/transactions/tracer/tracer.h"

extern "C" {
#include "kernels/memory/experiments.h"
}

namespace tracer
{

// So many operations take about ten seconds on the emulated device. Experiments that do more may be
// counted at a smaller size (affordable).
static constexpr double MOST_FLOPS = 2e8;

static struct experiment_work work_of(const struct experiment &experiment,
                                      const struct problem_size &size)
{
    struct experiment_work work;

    experiment.work(&experiment, &size, &work);
    return work;
}

// Returns the size, halved until the experiment does at most MOST_FLOPS operations. Halves the size
// of only two kinds of experiments: those whose operations grow with the cube of the side, such as
// a matrix product, and those with at least 64 operations for each loaded or stored byte.
static struct problem_size affordable(const struct experiment &experiment, struct problem_size size)
{
    for (;;) {
        const struct problem_size twice = {2 * size.width, 2 * size.height, size.halo, size.block};
        const struct experiment_work work = work_of(experiment, size);
        const bool is_cubic = work_of(experiment, twice).flops > 6 * work.flops;

        if (work.flops <= MOST_FLOPS || (!is_cubic && work.flops < 64 * work.asked_bytes))
            return size;
        size.width = (size.width + 1) / 2;
        size.height = (size.height + 1) / 2;
    }
}

static struct array new_array(const struct array_spec &want)
{
    const size_t bytes = (size_t)want.count * element_bytes(want.type);

    return {bytes > 0 ? new_memory(bytes) : nullptr, want.count, want.type};
}

static row row_of(const struct experiment &experiment, const struct problem_size &size)
{
    const struct experiment_work work = work_of(experiment, size);

    return {experiment.group, experiment.row,    size.width,      size.height,
            work.flops,       work.useful_bytes, experiment.shows};
}

static bool count_row(const request &request, const struct experiment &experiment,
                      const struct problem_size &size)
{
    const row row = row_of(experiment, size);
    struct experiment_job job = {};
    struct array_specs shape = {};

    const char *const refusal =
        experiment.refuses != nullptr ? experiment.refuses(&experiment, &size) : nullptr;

    if (refusal != nullptr || experiment.geometry == nullptr) {
        print_row(request, row, {}, "left out",
                  refusal != nullptr ? refusal : "it is no kernel of this program");
        return true;
    }
    experiment.shape(&experiment, &size, &shape);
    job.row = &experiment;
    job.size = size;
    for (int i = 0; i < MAX_INPUTS; i++)
        job.in[i] = new_array(shape.in[i]);
    job.out = new_array(shape.out);
    job.scratch = new_array(shape.scratch);
    return count(request, row, unwritten_reads::are_faults, [&] { return experiment.run(&job); });
}

void count_experiments(const request &request)
{
    const struct problem_size size = {request.width, request.height,
                                      request.halo > 0 ? request.halo : 1, request.block};

    for (int i = 0; experiment_at(i) != nullptr; i++) {
        const struct experiment &experiment = *experiment_at(i);
        const struct problem_size counted = affordable(experiment, size);

        if (experiment.place == ON_GPU && is_wanted(request, experiment.group, experiment.row))
            run_apart(request, row_of(experiment, counted),
                      [&] { return count_row(request, experiment, counted); });
    }
}

} // namespace tracer
