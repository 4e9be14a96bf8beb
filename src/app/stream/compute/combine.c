/* SPDX-License-Identifier: MIT */
#include "src/app/stream/compute/combine.h"

#include <string.h>

static int32_t clamped(int32_t sample, int32_t maxval)
{
    return sample < maxval ? sample : maxval;
}

/* A sum below 0 is clamped to 0, so that the quotient's rounding towards 0 is rounding down. */
static inline int32_t sharpened(int32_t in, int32_t smooth, int32_t amount, int32_t maxval)
{
    const int32_t sum = AMOUNT_UNIT * in + amount * (in - smooth) + AMOUNT_UNIT / 2;

    return clamped((sum > 0 ? sum : 0) / AMOUNT_UNIT, maxval);
}

static inline int32_t difference(int32_t in, int32_t smooth, int32_t offset, int32_t maxval)
{
    const int32_t sum = in - smooth + offset;

    return clamped(sum > 0 ? sum : 0, maxval);
}

static inline int32_t moved(int32_t derivative, int32_t offset, int32_t maxval)
{
    const int64_t sum = (int64_t)derivative + offset;

    return (int32_t)(sum < 0 ? 0 : sum < maxval ? sum : maxval);
}

/* The same loop for each type of samples: compilers make vectors of it. */
#define LOOPS(TYPE)                                                                                \
    static void sharpen_##TYPE(const TYPE *in, TYPE *out, int64_t count, int32_t amount,           \
                               int32_t maxval)                                                     \
    {                                                                                              \
        for (int64_t i = 0; i < count; i++)                                                        \
            out[i] = (TYPE)sharpened(in[i], out[i], amount, maxval);                               \
    }                                                                                              \
                                                                                                   \
    static void difference_##TYPE(const TYPE *in, TYPE *out, int64_t count, int32_t offset,        \
                                  int32_t maxval)                                                  \
    {                                                                                              \
        for (int64_t i = 0; i < count; i++)                                                        \
            out[i] = (TYPE)difference(in[i], out[i], offset, maxval);                              \
    }                                                                                              \
                                                                                                   \
    static void move_##TYPE(const int32_t *in, TYPE *out, int64_t count, int32_t offset,           \
                            int32_t maxval)                                                        \
    {                                                                                              \
        for (int64_t i = 0; i < count; i++)                                                        \
            out[i] = (TYPE)moved(in[i], offset, maxval);                                           \
    }
LOOPS(uint8_t)
LOOPS(uint16_t)
#undef LOOPS

static int32_t offset_of(const struct combination *combination)
{
    return combination->operation == OPERATION_GRADIENT ? 0
           : combination->offset == MIDDLE_OFFSET       ? (int32_t)(combination->maxval + 1) / 2
                                                        : combination->offset;
}

/* Of one row. */
static void combine_samples(const struct combination *combination, int64_t count, const void *in,
                            const int32_t *derivatives, void *out)
{
    const int32_t maxval = (int32_t)combination->maxval, offset = offset_of(combination);
    const int32_t amount = combination->amount;
    const bool bytes = maxval <= UINT8_MAX;

    if (derivatives && bytes)
        move_uint8_t(derivatives, out, count, offset, maxval);
    else if (derivatives)
        move_uint16_t(derivatives, out, count, offset, maxval);
    else if (combination->operation == OPERATION_SHARPEN && bytes)
        sharpen_uint8_t(in, out, count, amount, maxval);
    else if (combination->operation == OPERATION_SHARPEN)
        sharpen_uint16_t(in, out, count, amount, maxval);
    else if (combination->operation == OPERATION_DIFFERENCE && bytes)
        difference_uint8_t(in, out, count, offset, maxval);
    else if (combination->operation == OPERATION_DIFFERENCE)
        difference_uint16_t(in, out, count, offset, maxval);
}

/* The last channels, `kept` of them. */
static void restore_channels(const struct view *view, int32_t kept, const char *in, char *out)
{
    const int64_t bytes = kept * view->sample_bytes, pixel = view->channels * view->sample_bytes;

    for (int64_t at = pixel - bytes; at < view->width * pixel; at += pixel)
        memcpy(out + at, in + at, (size_t)bytes);
}

void combine_rows(const struct combination *combination, const struct view *src,
                  const struct view *dst, const int32_t *derivatives, int64_t first, int64_t last)
{
    const int64_t count = dst->width * dst->channels;

    for (int64_t y = first; y < last; y++) {
        const char *in = (const char *)src->origin + y * src->stride_bytes;
        char *out = (char *)dst->origin + y * dst->stride_bytes;

        if (combination->maxval != FLOAT_SAMPLES)
            combine_samples(combination, count, in, derivatives ? derivatives + y * count : NULL,
                            out);
        if (combination->kept > 0)
            restore_channels(dst, combination->kept, in, out);
    }
}
