/* SPDX-License-Identifier: MIT */
/* Reads and writes one sample of a view, for code that must be simple rather than fast. A 4-byte
 * sample is passed as the bits of a float, since passing a signalling NaN as a float may change
 * it. */
#ifndef SMOOTHIMG_SAMPLE_H
#define SMOOTHIMG_SAMPLE_H

#include "kernels/variant.h"

static inline void *sample_address(const struct view *view, int64_t y, int64_t x, int32_t channel)
{
    return (char *)view->origin + y * view->stride_bytes +
           (x * view->channels + channel) * view->sample_bytes;
}

static inline uint32_t row_get(const void *row, int64_t sample_bytes, int64_t i)
{
    return sample_bytes == 1 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
}

static inline void row_set(void *row, int64_t sample_bytes, int64_t i, uint32_t value)
{
    if (sample_bytes == 1)
        ((uint8_t *)row)[i] = (uint8_t)value;
    else
        ((uint16_t *)row)[i] = (uint16_t)value;
}

static inline uint32_t sample_get(const struct view *view, int64_t y, int64_t x, int32_t channel)
{
    const void *address = sample_address(view, y, x, channel);

    if (view->sample_bytes == 4)
        return *(const uint32_t *)address;
    return view->sample_bytes == 1 ? *(const uint8_t *)address : *(const uint16_t *)address;
}

static inline void sample_set(const struct view *view, int64_t y, int64_t x, int32_t channel,
                              uint32_t value)
{
    void *address = sample_address(view, y, x, channel);

    if (view->sample_bytes == 1)
        *(uint8_t *)address = (uint8_t)value;
    else if (view->sample_bytes == 4)
        *(uint32_t *)address = value;
    else
        *(uint16_t *)address = (uint16_t)value;
}

#endif
