/* SPDX-License-Identifier: MIT */
#include "src/files/light/light.h"

#include "kernels/common/sample.h"

struct image light_narrow(const struct light *light, const struct image *image)
{
    struct image narrow = *image;

    narrow.light = NULL;
    narrow.memory = NULL;
    narrow.maxval = light->maxval;
    narrow.view.sample_bytes = sample_bytes_of(light->maxval);
    if (narrow.view.sample_bytes == 1 && narrow.view.origin)
        narrow.view.origin = (char *)image->view.origin + image_row_bytes(&narrow);
    return narrow;
}

/* A row in place: sample i is read before the i samples of two bytes that are written so far reach
 * it. */
static void decode_row(const struct light *light, bool has_alpha, const struct view *view,
                       const void *from, uint16_t *to)
{
    const int32_t channels = view->channels, bytes = sample_bytes_of(light->maxval);
    const int64_t samples = view->width * channels;
    const int64_t colours = has_alpha ? channels - 1 : samples; /* before alpha, or the row's end */

    for (int64_t i = 0; i < samples; i += has_alpha) {
        for (const int64_t end = i + colours; i < end; i++)
            to[i] = light->decode[row_get(from, bytes, i)];
        if (has_alpha)
            to[i] = (uint16_t)(row_get(from, bytes, i) * light->alpha_factor);
    }
}

void light_decode(const struct light *light, bool has_alpha, const struct image *image,
                  int64_t first, int64_t count)
{
    const struct image narrow = light_narrow(light, image);

    for (int64_t y = first; y < first + count; y++)
        decode_row(light, has_alpha, &image->view, image_row(&narrow, y), image_row(image, y));
}

/* Alpha: divided by its factor, rounded; there are no halves, since the factor is odd. The analytic
 * norm makes more than maxval times the factor of it. */
static uint32_t encode_alpha(const struct light *light, uint32_t level)
{
    const uint32_t alpha = (level + light->alpha_factor / 2) / light->alpha_factor;

    return alpha < light->maxval ? alpha : light->maxval;
}

static void encode_row(const struct light *light, bool has_alpha, const struct view *view,
                       const uint16_t *from, void *to)
{
    const int32_t channels = view->channels, bytes = sample_bytes_of(light->maxval);
    const int64_t samples = view->width * channels;
    const int64_t colours = has_alpha ? channels - 1 : samples; /* before alpha, or the row's end */

    for (int64_t i = 0; i < samples; i += has_alpha) {
        for (const int64_t end = i + colours; i < end; i++)
            row_set(to, bytes, i, light->encode[from[i]]);
        if (has_alpha)
            row_set(to, bytes, i, encode_alpha(light, from[i]));
    }
}

void light_encode(const struct light *light, bool has_alpha, const struct image *image,
                  int64_t from, int64_t count, const struct image *file)
{
    for (int64_t y = 0; y < count; y++)
        encode_row(light, has_alpha, &image->view, image_row(image, from + y), image_row(file, y));
}
