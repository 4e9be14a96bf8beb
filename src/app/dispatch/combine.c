/* SPDX-License-Identifier: MIT */
#include "src/app/dispatch/combine.h"

#include "kernels/common/parallel.h"

#include <string.h>

struct work {
    const struct job *job;
    const struct combine *combine;
    int32_t kept;
    const int32_t *derivatives; /* of integers; or NULL */
};

static int32_t clamped(int32_t sample, int32_t maxval)
{
    return sample < maxval ? sample : maxval;
}

/* A sum below 0 is clamped to 0, so that the quotient's rounding towards 0 is rounding down. */
static inline int32_t sharpened(int32_t in, int32_t smooth, int32_t amount, int32_t maxval)
{
    const int32_t sum = COMBINE_UNIT * in + amount * (in - smooth) + COMBINE_UNIT / 2;

    return clamped((sum > 0 ? sum : 0) / COMBINE_UNIT, maxval);
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

static int32_t offset_of(const struct combine *combine, int32_t maxval)
{
    return combine->kind == COMBINE_GRADIENT          ? 0
           : combine->offset == COMBINE_MIDDLE_OFFSET ? (maxval + 1) / 2
                                                      : combine->offset;
}

/* Of row y. */
static void combine_samples(const struct work *work, int64_t y, const void *in, void *out)
{
    const struct view *view = &work->job->dst;
    const struct combine *combine = work->combine;
    const int32_t maxval = (int32_t)work->job->maxval, offset = offset_of(combine, maxval);
    const int64_t count = view->width * view->channels;
    const bool bytes = view->sample_bytes == 1;

    if (work->derivatives && bytes)
        move_uint8_t(work->derivatives + y * count, out, count, offset, maxval);
    else if (work->derivatives)
        move_uint16_t(work->derivatives + y * count, out, count, offset, maxval);
    else if (combine->kind == COMBINE_SHARPEN && bytes)
        sharpen_uint8_t(in, out, count, combine->amount, maxval);
    else if (combine->kind == COMBINE_SHARPEN)
        sharpen_uint16_t(in, out, count, combine->amount, maxval);
    else if (combine->kind == COMBINE_DIFFERENCE && bytes)
        difference_uint8_t(in, out, count, offset, maxval);
    else if (combine->kind == COMBINE_DIFFERENCE)
        difference_uint16_t(in, out, count, offset, maxval);
}

/* The last channels, `kept` of them. */
static void restore_channels(const struct view *view, int32_t kept, const char *in, char *out)
{
    const int64_t bytes = kept * view->sample_bytes, pixel = view->channels * view->sample_bytes;

    for (int64_t at = pixel - bytes; at < view->width * pixel; at += pixel)
        memcpy(out + at, in + at, (size_t)bytes);
}

/* A parallel_work. */
static void combine_rows(const void *context, int band, int64_t first, int64_t last)
{
    const struct work *work = context;
    const struct view *src = &work->job->src, *dst = &work->job->dst;

    (void)band;
    for (int64_t y = first; y < last; y++) {
        const char *in = (const char *)src->origin + y * src->stride_bytes;
        char *out = (char *)dst->origin + y * dst->stride_bytes;

        combine_samples(work, y, in, out);
        if (work->kept > 0)
            restore_channels(dst, work->kept, in, out);
    }
}

void combine_job(const struct combine *combine, int32_t kept, const int32_t *derivatives,
                 const struct job *job)
{
    const struct work work = {job, combine, kept, derivatives};

    if (combine)
        parallel_rows(job->threads, job->dst.height, combine_rows, &work);
}
