/* SPDX-License-Identifier: MIT */
/* Computes images, or boxes (rectangles) of them, with the engine of arrays. A piece is the part
 * of a request that is computed at a time. */
#include "kernels/smooth/arrays/of_images.h"

#include "kernels/smooth/arrays/layout.h"
#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"

void image_state_make(const struct request *request, const struct array_cosines *cosines,
                      struct image_state *state)
{
    struct array_job job;

    image_weights_make(request, &state->weights);
    job = image_job_largest(request, 1, &state->weights);
    array_state_make(&job, cosines, &state->arrays);
}

const char *arrays_of_images_make(const struct request *request, void *state)
{
    image_state_make(request, NULL, state);
    return NULL;
}

size_t arrays_of_images_scratch_bytes(const struct request *request, const void *memory)
{
    const struct image_state *state = memory;

    (void)request;
    return array_state_scratch_bytes(&state->arrays);
}

/* Clamps results to maxval. The engine of arrays has clamped them only to the range of their
 * type. */
static void clamp(const struct view *image, uint32_t maxval)
{
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++)
            for (int32_t channel = 0; channel < image->channels; channel++)
                if (sample_get(image, y, x, channel) > maxval)
                    sample_set(image, y, x, channel, maxval);
}

const char *arrays_of_images_run(const struct piece *piece)
{
    const struct image_state *state = piece->state;
    const struct array_job job = image_job(piece, &state->weights);
    struct array_taps taps[2];
    struct array_job simple;

    array_simplify(&job, &simple, taps);
    simple.exact_only = state->arrays.job.exact_only;
    array_state_run(&state->arrays, &simple, piece->scratch);
    if (state->weights.exceeds && piece->request->maxval != FLOAT_SAMPLES)
        clamp(&piece->dst, piece->request->maxval);
    return NULL;
}

void image_boxes_make(const struct request *request, int64_t rows, int64_t pixels,
                      struct image_boxes *boxes)
{
    boxes->request = *request;
    boxes->request.threads = 1;
    boxes->request.src.height = min(rows, request->src.height);
    boxes->request.src.width = min(pixels, request->src.width);
    arrays_of_images_make(&boxes->request, &boxes->state);
}

size_t image_boxes_scratch_bytes(const struct image_boxes *boxes)
{
    return array_state_scratch_bytes(&boxes->state.arrays);
}

static struct view box_of(const struct view *image, int64_t y, int64_t rows, int64_t x,
                          int64_t pixels)
{
    struct view box = *image;

    box.origin =
        (char *)image->origin + y * image->stride_bytes + x * image->channels * image->sample_bytes;
    box.height = rows;
    box.width = pixels;
    return box;
}

/* Computes the box as a piece of its own. All other samples of the given piece become samples
 * beside it, which the filter reads (struct beside). */
void image_boxes_run(const struct image_boxes *boxes, const struct piece *piece, int64_t y,
                     int64_t rows, int64_t x, int64_t pixels, void *scratch)
{
    struct piece box = *piece;

    box.request = &boxes->request;
    box.state = &boxes->state;
    box.src = box_of(&piece->src, y, rows, x, pixels);
    box.dst = box_of(&piece->dst, y, rows, x, pixels);
    box.beside.above += y;
    box.beside.below += piece->src.height - y - rows;
    box.beside.left += x;
    box.beside.right += piece->src.width - x - pixels;
    box.scratch = scratch;
    arrays_of_images_run(&box);
}
