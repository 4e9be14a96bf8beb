/* SPDX-License-Identifier: MIT */
/* Sharpen and difference: every pair of samples of 8 bits, the ends of 16 bits, alpha, and nothing
 * beside the rows. */
#include "src/app/dispatch/combine.h"
#include "src/lib/image/image.h"
#include "tests/unit/unit.h"

#include <string.h>

#define SIDE 256

/* As the manual has it, in 64 bits. */
static int64_t wanted_of(const struct combine *combine, int64_t in, int64_t smooth, int64_t maxval)
{
    const int64_t offset =
        combine->offset == COMBINE_MIDDLE_OFFSET ? (maxval + 1) / 2 : combine->offset;
    const int64_t sum = combine->kind == COMBINE_SHARPEN
                            ? 1000 * in + combine->amount * (in - smooth) + 500
                            : 1000 * (in - smooth + offset);
    const int64_t floored = sum >= 0 ? sum / 1000 : -((999 - sum) / 1000);

    return floored < 0 ? 0 : floored > maxval ? maxval : floored;
}

static int64_t sample_at(const struct image *image, int64_t y, int64_t i)
{
    return image->maxval > 255 ? ((uint16_t *)image_row(image, y))[i]
                               : ((uint8_t *)image_row(image, y))[i];
}

static void put_sample(const struct image *image, int64_t y, int64_t i, int64_t sample)
{
    if (image->maxval > 255)
        ((uint16_t *)image_row(image, y))[i] = (uint16_t)sample;
    else
        ((uint8_t *)image_row(image, y))[i] = (uint8_t)sample;
}

/* All pairs of 0..255, or of that many numbers across the range: in goes with the row, the smooth
 * with the column. */
static void test_pairs(const struct combine *combine, uint32_t maxval, int32_t channels,
                       int32_t kept, int threads)
{
    const struct shape shape = {SIDE / channels, SIDE, channels, maxval};
    const int64_t samples = shape.width * channels;
    struct image src, dst;
    struct error error;
    int wrong = 0;

    CHECK(image_alloc(&src, &shape, 3, &error) == STATUS_OK &&
              image_alloc(&dst, &shape, 1, &error) == STATUS_OK,
          "no memory");
    memset(dst.memory, 0x5a, dst.memory_bytes);
    for (int64_t y = 0; y < SIDE; y++)
        for (int64_t i = 0; i < samples; i++) {
            put_sample(&src, y, i, y * maxval / (SIDE - 1));
            put_sample(&dst, y, i, i * maxval / (SIDE - 1));
        }
    combine_job(
        combine, kept, NULL,
        &(struct job){.src = src.view, .dst = dst.view, .maxval = maxval, .threads = threads});
    for (int64_t y = 0; y < SIDE; y++)
        for (int64_t i = 0; i < samples; i++) {
            const int64_t in = y * maxval / (SIDE - 1), smooth = i * maxval / (SIDE - 1);
            const bool is_kept = i % channels >= channels - kept;

            wrong +=
                sample_at(&dst, y, i) != (is_kept ? in : wanted_of(combine, in, smooth, maxval));
        }
    CHECK(wrong == 0, "kind %d, amount %d, offset %d, maxval %u, %d channels: %d samples",
          (int)combine->kind, (int)combine->amount, (int)combine->offset, maxval, (int)channels,
          wrong);
    for (int64_t y = -1; y <= SIDE; y++)
        CHECK(sample_at(&dst, y, -1) % 256 == 0x5a && sample_at(&dst, y, samples) % 256 == 0x5a,
              "beside row %d", (int)y);
    image_free(&src);
    image_free(&dst);
}

int main(void)
{
    static const struct combine combines[] = {
        {COMBINE_SHARPEN, 0, 0, false},     {COMBINE_SHARPEN, 1, 0, false},
        {COMBINE_SHARPEN, 500, 0, false},   {COMBINE_SHARPEN, 1000, 0, false},
        {COMBINE_SHARPEN, 1333, 0, false},  {COMBINE_SHARPEN, 16000, 0, false},
        {COMBINE_DIFFERENCE, 0, 0, false},  {COMBINE_DIFFERENCE, 0, COMBINE_MIDDLE_OFFSET, false},
        {COMBINE_DIFFERENCE, 0, 77, false}, {COMBINE_DIFFERENCE, 0, 65535, false},
    };

    for (size_t i = 0; i < sizeof combines / sizeof *combines; i++)
        for (int32_t channels = 1; channels <= 4; channels++) {
            test_pairs(&combines[i], 255, channels, channels / 2, channels);
            test_pairs(&combines[i], 65535, channels, channels > 1, 1);
            test_pairs(&combines[i], 4095, channels, 0, 3);
            test_pairs(&combines[i], 1, channels, 0, 1);
        }
    return unit_result();
}
