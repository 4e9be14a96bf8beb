/* SPDX-License-Identifier: MIT */
#include "src/app/stream/bands/worker.h"

/* Makes *image for a band: in the GPU's host memory (gpu_host_memory) if there is a GPU and it has
 * that memory; else in the thread's own memory, *own, which is allocated once. */
static enum status place_image(struct image *image, struct image *own, const struct shape *shape,
                               int64_t halo, struct gpu *gpu, int which, struct error *error)
{
    int64_t bytes;
    void *memory;
    enum status status = STATUS_OK;

    if (gpu && image_measure(shape, halo, &bytes, error) == STATUS_OK &&
        gpu_host_memory(gpu, which, bytes, &memory, error) == STATUS_OK) {
        image_place(image, shape, halo, memory);
        return STATUS_OK;
    }
    if (!own->memory)
        status = image_alloc(own, shape, halo, error);
    *image = *own;
    return status;
}

enum status worker_read_band(struct worker *worker, struct error *error)
{
    const struct work *work = worker->work;
    const struct bands *bands = work->bands;
    struct gpu *gpu = worker->executor.gpu;
    struct shape shape = work->shape;
    enum status status;

    shape.height = work->plan->rows + work->writer->context_rows;
    status = place_image(&worker->src, &worker->own_src, &shape, bands_halo(bands), gpu, 0, error);
    if (status == STATUS_OK)
        status = place_image(&worker->dst, &worker->own_dst, &shape, 0, gpu, 1, error);
    lap(&worker->mark, &worker->times.compute);
    if (status == STATUS_OK)
        status = band_rows_fetch(work->rows, bands->edge, bands_halo_y(bands), worker->from,
                                 worker->last - worker->first, &worker->src, error);
    lap(&worker->mark, &worker->times.read);
    return status;
}

static enum status compute(struct worker *worker, struct error *error)
{
    const struct bands *bands = worker->work->bands;
    struct chain chain = {.count = 1};
    struct step *step = &chain.steps[0];
    enum status status;

    step->job = (struct job){
        .src = worker->src.view,
        .dst = worker->dst.view,
        .maxval = worker->src.maxval,
        .weighted = bands->weighted,
        .threads = 1,
        .block = bands->block,
        .isa = bands->isa,
    };
    job_set_filter(&step->job, bands->weights);
    step->job.src.height = step->job.dst.height = worker->last - worker->first;
    status = dispatcher_run(bands->dispatcher, &worker->executor, &chain, error);
    if (status != STATUS_OK)
        return status;
    gpu_times_add(&worker->times.gpu, step->times);
    op_work_add(&worker->times.work, step->variant, 1);
    return STATUS_OK;
}

enum status worker_finish_band(struct worker *worker, struct error *error)
{
    const struct work *work = worker->work;
    const struct filter_weights *weights = work->bands->weights;
    const int64_t halo = bands_halo_y(work->bands), rows = worker->last - worker->first;
    enum status status;

    if (weights)
        halo_fill_ends(&worker->src, work->bands->edge, weights->halo_x, -halo, rows + halo);
    lap(&worker->mark, &worker->times.halo);
    status = compute(worker, error);
    lap(&worker->mark, &worker->times.compute);
    if (status != STATUS_OK)
        return status;
    status = image_writer_rows(work->writer, worker->band, worker->last - worker->band,
                               &worker->dst, worker->band - worker->first, error);
    lap(&worker->mark, &worker->times.write);
    return status;
}
