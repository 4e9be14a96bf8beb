/* SPDX-License-Identifier: MIT */
/* Samples that are the same in every run of a program in one turn (unit.h), for images of
 * smoothimg.h, and calls. */
#ifndef SMOOTHIMG_TEST_SAMPLES_H
#define SMOOTHIMG_TEST_SAMPLES_H

#include "src/lib/smoothimg.h"
#include "tests/unit/unit.h"

#include <stddef.h>
#include <stdint.h>

/* 0..below-1 */
static inline int64_t draw(int64_t below)
{
    static uint64_t draw_state; /* 0: not begun */

    if (draw_state == 0)
        draw_state = 1 + (uint64_t)unit_turn();
    draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((draw_state >> 33) % (uint64_t)below);
}

static inline int64_t sample_bytes(const struct smoothimg_image *image)
{
    return image->type == SMOOTHIMG_F32 ? 4 : image->type == SMOOTHIMG_U8 ? 1 : 2;
}

/* Of the pixels: without border and gap. */
static inline int64_t row_bytes(const struct smoothimg_image *image)
{
    return image->width * image->channels * sample_bytes(image);
}

/* The first byte of row y of image i, in memory of the host. */
static inline unsigned char *row_of(const struct smoothimg_image *image, int64_t i, int64_t y)
{
    return (unsigned char *)image->data + i * image->stride + y * image->pitch;
}

/* Draws every sample: 0..maxval; of floats any bits. */
static inline void fill(const struct smoothimg_image *image)
{
    const int64_t samples = image->width * image->channels;

    for (int64_t i = 0; i < image->count; i++)
        for (int64_t y = 0; y < image->height; y++)
            for (int64_t x = 0; x < samples; x++) {
                const int64_t value = image->type == SMOOTHIMG_F32
                                          ? draw(INT64_C(1) << 31) << draw(2)
                                          : draw((int64_t)image->maxval + 1);

                if (image->type == SMOOTHIMG_U8)
                    row_of(image, i, y)[x] = (uint8_t)value;
                else if (image->type == SMOOTHIMG_F32)
                    ((uint32_t *)row_of(image, i, y))[x] = (uint32_t)value;
                else
                    ((uint16_t *)row_of(image, i, y))[x] = (uint16_t)value;
            }
}

/* Any operation. filter: of smooth. */
static inline enum smoothimg_status call(struct smoothimg_context *context, enum smoothimg_op op,
                                         const struct smoothimg_filter *filter,
                                         const struct smoothimg_image *src,
                                         const struct smoothimg_image *dst)
{
    return op == SMOOTHIMG_SMOOTH      ? smoothimg_smooth(context, filter, src, dst, NULL)
           : op == SMOOTHIMG_TRANSPOSE ? smoothimg_transpose(context, src, dst, NULL)
                                       : smoothimg_reverse(context, src, dst, NULL);
}

#endif
