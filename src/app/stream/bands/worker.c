/* SPDX-License-Identifier: MIT */
#include "src/app/stream/bands/worker.h"

#include "src/lib/image/halo.h"

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
    const struct operations *operations = &work->bands->operations;
    const struct job *job = &worker->chain.steps[0].job;
    struct gpu *gpu = worker->executor.gpu;
    struct shape from = work->shape, to = work->shape;
    enum status status;

    to.height = work->plan->rows + work->writer->context_rows;
    from.height = to.height + 2 * (chain_reach(operations) - job->halo_y);
    status = place_image(&worker->src, &worker->own_src, &from, job->halo, gpu, 0, error);
    if (status == STATUS_OK)
        status = place_image(&worker->dst, &worker->own_dst, &to, 0, gpu, 1, error);
    lap(&worker->mark, &worker->times.ops[0].compute);
    if (status == STATUS_OK)
        status = band_rows_fetch(work->rows, chain_edge(operations), job->halo_y, worker->from,
                                 job->src.height, &worker->src, error);
    lap(&worker->mark, &worker->times.read);
    return status;
}

/* The view is the first rows of the image, as many as it has. */
static void use_rows(struct view *view, const struct image *image)
{
    const int64_t height = view->height;

    *view = image->view;
    view->height = height;
}

static enum status compute(struct worker *worker, struct error *error)
{
    struct chain *chain = &worker->chain;
    double seconds = 0;
    enum status status;

    use_rows(&chain->steps[0].job.src, &worker->src);
    use_rows(&chain->steps[chain->count - 1].job.dst, &worker->dst);
    status = dispatcher_run(worker->work->bands->dispatcher, &worker->executor, chain, error);
    lap(&worker->mark, &seconds);
    if (status == STATUS_OK)
        bands_times_add_chain(&worker->times, chain, seconds);
    return status;
}

enum status worker_finish_band(struct worker *worker, struct error *error)
{
    const struct work *work = worker->work;
    const struct job *job = &worker->chain.steps[0].job;
    enum status status;

    if (job->halo > 0)
        halo_fill_ends(&worker->src, chain_edge(&work->bands->operations), job->halo_x,
                       -job->halo_y, job->src.height + job->halo_y);
    lap(&worker->mark, &worker->times.halo);
    status = compute(worker, error);
    if (status != STATUS_OK)
        return status;
    status = image_writer_rows(work->writer, worker->band, worker->last - worker->band,
                               &worker->dst, worker->band - worker->first, error);
    lap(&worker->mark, &worker->times.write);
    return status;
}
