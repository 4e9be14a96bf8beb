/* SPDX-License-Identifier: MIT */
#include "src/lib/api/image_weights.h"

#include "src/lib/api/call.h"

#include <stdlib.h>

/* What a smooth would have to be for images; NULL: it may be one of these. */
static const char *obstacle_of(const struct smoothing *smoothing)
{
    if (smoothing->axes < 1 || smoothing->axes > IMAGE_AXES)
        return "one or two axes are smoothed";
    if (smoothing->axes == IMAGE_AXES && smoothing->edge[0] != smoothing->edge[1])
        return "both axes have the same edge rule";
    return smoothing->outside ? "the constant outside is 0" : NULL;
}

/* A second axis that there is not is left alone. */
static struct filter filter_of(const struct smoothing *smoothing)
{
    const struct filter_axis alone = {0, 0};

    return (struct filter){.y = smoothing->smooth[0],
                           .x = smoothing->axes > 1 ? smoothing->smooth[1] : alone,
                           .norm = smoothing->norm,
                           .edge = smoothing->edge[0],
                           .nan = smoothing->skip_nan ? NAN_SKIP : NAN_PROPAGATE};
}

static enum status make(const struct smoothing *smoothing, struct image_weights **made,
                        struct error *error)
{
    const struct filter filter = filter_of(smoothing);
    struct image_weights *weights = malloc(sizeof *weights);
    enum status status;

    if (!weights)
        return fail(error, STATUS_NO_MEMORY, "no memory for a filter");
    weights->smoothing = *smoothing;
    weights->number = filter_numbers(2);
    status = plane_filter_make(&filter, &weights->plane, error);
    if (status == STATUS_OK)
        *made = weights;
    else
        free(weights);
    return status;
}

enum status image_weights_make(const struct smoothing *smoothing, struct image_weights **made,
                               const char **obstacle, struct error *error)
{
    *made = NULL;
    *obstacle = obstacle_of(smoothing);
    return *obstacle ? STATUS_OK : make(smoothing, made, error);
}

/* turned: the filter's first axis is along the rows. */
static struct request asked_of(const struct image_weights *weights, bool turned)
{
    struct request asked = {.weighted = weights->smoothing.weighted, .threads = 1};

    request_set_filter(&asked, &weights->plane);
    asked.skip_nan = weights->smoothing.skip_nan;
    if (turned) {
        const uint64_t *along = asked.weights_x;
        const int64_t halo = asked.halo_x;

        asked.weights_x = asked.weights_y;
        asked.halo_x = asked.halo_y;
        asked.weights_y = along;
        asked.halo_y = halo;
    }
    return asked;
}

static struct call call_of_images(struct smoothimg_context *context,
                                  const struct image_weights *weights,
                                  const struct as_images *images, void *stream)
{
    return (struct call){.context = context,
                         .op = OP_SMOOTH,
                         .asked = asked_of(weights, images->turned),
                         .src = images->src,
                         .dst = images->dst,
                         .filter = weights->number + (uint64_t)images->turned,
                         .stream = stream};
}

enum status images_run(struct smoothimg_context *context, const struct image_weights *weights,
                       const struct as_images *images, void *stream)
{
    struct call call = call_of_images(context, weights, images, stream);

    return call_at_each(&call, &images->outer, smooth_images, &context->error);
}

enum status images_measure(struct smoothimg_context *context, const struct image_weights *weights,
                           const struct as_images *images, int64_t *bytes)
{
    struct call call = call_of_images(context, weights, images, NULL);

    return measure_images(&call, bytes, &context->error);
}

enum status images_reserve(struct smoothimg_context *context, const struct image_weights *weights,
                           const struct as_images *images)
{
    struct call call = call_of_images(context, weights, images, NULL);

    call.src.data = call.dst.data = context; /* any address: no sample is read */
    return reserve_images(&call, &context->error);
}
