/* SPDX-License-Identifier: MIT */
#include "src/app/stream/compute/combine.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/work_queue.h"

#include <string.h>

/* Returns in + amount / AMOUNT_UNIT * (in - smooth), rounded to nearest, in 0..maxval. C's division
 * rounds towards 0, so a negative sum is replaced by 0 before the division. */
static inline int32_t sharpened(int32_t in, int32_t smooth, int32_t amount, int32_t maxval)
{
    const int32_t sum = AMOUNT_UNIT * in + amount * (in - smooth) + AMOUNT_UNIT / 2;
    const int32_t sample = (sum > 0 ? sum : 0) / AMOUNT_UNIT;

    return sample < maxval ? sample : maxval;
}

static int32_t offset_of(const struct combination *combination)
{
    return combination->operation == OPERATION_GRADIENT ? 0
           : combination->offset == MIDDLE_OFFSET       ? (int32_t)(combination->maxval + 1) / 2
                                                        : combination->offset;
}

/* Defines combine_TYPE, which combines the samples of a row that have this type. Compilers
 * vectorize these loops. */
#define ROW(TYPE)                                                                                  \
    static void combine_##TYPE(const struct combination *combination, int64_t count,               \
                               const TYPE *in, const int32_t *derivatives, TYPE *out)              \
    {                                                                                              \
        const int32_t maxval = (int32_t)combination->maxval, offset = offset_of(combination);      \
        const int32_t amount = combination->amount;                                                \
                                                                                                   \
        if (derivatives)                                                                           \
            for (int64_t i = 0; i < count; i++)                                                    \
                out[i] = (TYPE)min(max((int64_t)derivatives[i] + offset, 0), maxval);              \
        else if (combination->operation == OPERATION_SHARPEN)                                      \
            for (int64_t i = 0; i < count; i++)                                                    \
                out[i] = (TYPE)sharpened(in[i], out[i], amount, maxval);                           \
        else if (combination->operation == OPERATION_DIFFERENCE)                                   \
            for (int64_t i = 0; i < count; i++)                                                    \
                out[i] = (TYPE)min(max(in[i] - out[i] + offset, 0), maxval);                       \
    }
ROW(uint8_t)
ROW(uint16_t)
#undef ROW

/* Copies the last `kept` channels of each pixel of a row from the source `in` to the result
 * `out`. */
static void restore_channels(const struct view *view, int32_t kept, const char *in, char *out)
{
    const int64_t bytes = kept * view->sample_bytes, pixel = view->channels * view->sample_bytes;

    for (int64_t at = pixel - bytes; at < view->width * pixel; at += pixel)
        memcpy(out + at, in + at, (size_t)bytes);
}

static void combine_row(const struct combination *combination, int64_t y)
{
    const struct view *src = &combination->src, *dst = &combination->dst;
    const int64_t count = dst->width * dst->channels;
    const char *in = (const char *)src->origin + y * src->stride_bytes;
    char *out = (char *)dst->origin + y * dst->stride_bytes;
    const int32_t *row = combination->derivatives ? combination->derivatives + y * count : NULL;

    if (combination->maxval > UINT8_MAX)
        combine_uint16_t(combination, count, (const uint16_t *)(const void *)in, row,
                         (uint16_t *)(void *)out);
    else if (combination->maxval != FLOAT_SAMPLES)
        combine_uint8_t(combination, count, (const uint8_t *)in, row, (uint8_t *)out);
    if (combination->kept > 0)
        restore_channels(dst, combination->kept, in, out);
}

#define PIECE_ROWS 64

static enum status combine_piece(void *context, int thread, int64_t piece, struct error *error)
{
    const struct combination *combination = context;
    const int64_t first = piece * PIECE_ROWS;

    (void)thread, (void)error;
    for (int64_t y = first; y < min(first + PIECE_ROWS, combination->dst.height); y++)
        combine_row(combination, y);
    return STATUS_OK;
}

enum status combine_samples(struct combination *combination, int threads, struct error *error)
{
    return work_queue_run(threads, (combination->dst.height - 1) / PIECE_ROWS + 1, false,
                          combine_piece, combination, error);
}
