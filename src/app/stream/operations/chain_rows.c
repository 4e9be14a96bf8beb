/* SPDX-License-Identifier: MIT */
#include "src/app/stream/operations/operations.h"

#include "kernels/common/numbers.h"
#include "src/lib/run/run.h"

/* Rows first..last-1 of an image, which has `height`. */
struct range {
    int64_t first, last, height;
};

/* Operation i's filter, or NULL. */
static const struct filter_weights *filter_at(const struct operations *operations, int i)
{
    return i < operations->count && operations->ops[i] == OP_SMOOTH ? operations->request.filter
                                                                    : NULL;
}

int64_t chain_halo(const struct operations *operations, int i)
{
    const struct filter_weights *filter = filter_at(operations, i);

    return filter ? filter_weights_halo(filter) : 0;
}

enum edge chain_edge(const struct operations *operations)
{
    return operations->request.filter ? operations->request.filter->edge : EDGE_CLAMP;
}

int64_t chain_reach(const struct operations *operations)
{
    int64_t rows = 0;

    for (int i = 0; i < operations->count; i++)
        rows += filter_at(operations, i) ? operations->request.filter->halo_y : 0;
    return rows;
}

struct shape chain_shape(const struct operations *operations, int i, const struct shape *source)
{
    const struct combine *combine = combine_at(operations->combines, i);
    struct shape shape = run_result_shape((enum op)operations->ops[i], source);

    if (combine && combine->floats)
        shape.maxval = FLOAT_SAMPLES;
    return shape;
}

static int count_of(const struct operations *operations, enum op op)
{
    int count = 0;

    for (int i = 0; i < operations->count; i++)
        count += operations->ops[i] == (int)op;
    return count;
}

bool chain_transposes(const struct operations *operations)
{
    return count_of(operations, OP_TRANSPOSE) > 0;
}

bool chain_turns(const struct operations *operations)
{
    return count_of(operations, OP_REVERSE) % 2 == 1;
}

/* The rows that smooth needs for these. Where the image repeats, rows beyond its ends are computed
 * as its own are, unless all of them are there. */
static struct range reach_of(const struct operations *operations, struct range rows)
{
    const int64_t halo = operations->request.filter->halo_y;
    const bool all = rows.first == 0 && rows.last == rows.height;

    if (chain_edge(operations) == EDGE_WRAP && !all)
        return (struct range){rows.first - halo, rows.last + halo, rows.height};
    return (struct range){max(rows.first - halo, 0), min(rows.last + halo, rows.height),
                          rows.height};
}

/* Makes step i's source and border for these rows of its result. Returns the rows of the plane that
 * the source is in. */
static struct range make_source(const struct operations *operations, int i, struct range rows,
                                struct step *step)
{
    struct job *job = &step->job;
    struct range plane = rows;

    switch ((enum op)operations->ops[i]) {
    case OP_SMOOTH:
        plane = reach_of(operations, rows);
        step->above = rows.first - plane.first;
        step->border = (struct border){.edge = chain_edge(operations),
                                       .beside = job->halo_x,
                                       .above = job->halo_y - step->above,
                                       .below = job->halo_y - (plane.last - rows.last),
                                       .first = plane.first,
                                       .height = plane.height};
        job->src.height = rows.last - rows.first;
        break;
    case OP_TRANSPOSE:
        plane = (struct range){0, job->src.height, job->src.height};
        break;
    default:
        plane.first = rows.height - rows.last;
        plane.last = rows.height - rows.first;
        job->src.height = rows.last - rows.first;
    }
    return plane;
}

static struct job make_job(const struct operations *operations, int i, const struct shape *from,
                           const struct shape *to)
{
    const enum op op = (enum op)operations->ops[i];
    struct image src, dst;
    struct job job;

    image_describe(&src, from);
    image_describe(&dst, to);
    job = request_job(&operations->request, op, from->maxval, src.view, dst.view);
    job.threads = useful_threads(op, &job, 1, job.threads, false);
    return job;
}

int64_t chain_take_rows(const struct operations *operations, int64_t height, int64_t first,
                        int64_t last, struct chain *chain)
{
    struct range rows = {first, last, height};

    for (int i = chain->count - 1; i >= 0; i--) {
        chain->steps[i].job.dst.height = rows.last - rows.first;
        rows = make_source(operations, i, rows, &chain->steps[i]);
    }
    return rows.first + chain->steps[0].above;
}

struct shape chain_make(const struct operations *operations, const struct shape *shape,
                        struct chain *chain)
{
    struct shape now = *shape;

    /* The steps after the last, of some kilobytes, stay as they are. */
    chain->count = operations->count;
    chain->references = operations->references;
    chain->combines = operations->combines;
    chain->kept_channels = operations->kept_channels;
    for (int i = 0; i < chain->count; i++) {
        const struct shape next = chain_shape(operations, i, &now);

        chain->steps[i] = (struct step){.job = make_job(operations, i, &now, &next)};
        now = next;
    }
    chain_take_rows(operations, now.height, 0, now.height, chain);
    return now;
}
