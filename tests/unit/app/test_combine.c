/* SPDX-License-Identifier: MIT */
/* Sharpen and difference: every pair of samples of 8 bits, the ends of 16 bits, alpha, and nothing
 * beside the rows. */
#include "src/app/stream/compute/combine.h"
#include "tests/unit/framed.h"
#include "tests/unit/unit.h"

#include <string.h>

#define SIDE 256

/* As the manual has it, in 64 bits. */
static int64_t wanted_of(const struct combination *combine, int64_t in, int64_t smooth)
{
    const int64_t maxval = combine->maxval;
    const int64_t offset = combine->offset == MIDDLE_OFFSET ? (maxval + 1) / 2 : combine->offset;
    const int64_t sum = combine->operation == OPERATION_SHARPEN
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
static void test_pairs(struct combination combine, uint32_t maxval, int32_t channels, int32_t kept)
{
    const struct shape shape = {SIDE / channels, SIDE, channels, maxval};
    const int64_t samples = shape.width * channels;
    struct image src, dst;
    struct error error;
    int wrong = 0;

    CHECK(framed_alloc(&src, &shape, 3, &error) == STATUS_OK &&
              framed_alloc(&dst, &shape, 1, &error) == STATUS_OK,
          "no memory");
    memset(dst.memory, 0x5a, dst.memory_bytes);
    for (int64_t y = 0; y < SIDE; y++)
        for (int64_t i = 0; i < samples; i++) {
            put_sample(&src, y, i, y * maxval / (SIDE - 1));
            put_sample(&dst, y, i, i * maxval / (SIDE - 1));
        }
    combine.maxval = maxval;
    combine.kept = kept;
    combine.src = src.view;
    combine.dst = dst.view;
    CHECK(combine_samples(&combine, 2, &error) == STATUS_OK, "%s", error.text);
    for (int64_t y = 0; y < SIDE; y++)
        for (int64_t i = 0; i < samples; i++) {
            const int64_t in = y * maxval / (SIDE - 1), smooth = i * maxval / (SIDE - 1);
            const bool is_kept = i % channels >= channels - kept;

            wrong += sample_at(&dst, y, i) != (is_kept ? in : wanted_of(&combine, in, smooth));
        }
    CHECK(wrong == 0, "operation %d, amount %d, offset %d, maxval %u, %d channels: %d samples",
          (int)combine.operation, (int)combine.amount, (int)combine.offset, maxval, (int)channels,
          wrong);
    for (int64_t y = -1; y <= SIDE; y++)
        CHECK(sample_at(&dst, y, -1) % 256 == 0x5a && sample_at(&dst, y, samples) % 256 == 0x5a,
              "beside row %d", (int)y);
    image_free(&src);
    image_free(&dst);
}

int main(void)
{
    static const struct combination combines[] = {
        {.operation = OPERATION_SHARPEN, .amount = 0},
        {.operation = OPERATION_SHARPEN, .amount = 1},
        {.operation = OPERATION_SHARPEN, .amount = 500},
        {.operation = OPERATION_SHARPEN, .amount = 1000},
        {.operation = OPERATION_SHARPEN, .amount = 1333},
        {.operation = OPERATION_SHARPEN, .amount = 16000},
        {.operation = OPERATION_DIFFERENCE, .offset = 0},
        {.operation = OPERATION_DIFFERENCE, .offset = MIDDLE_OFFSET},
        {.operation = OPERATION_DIFFERENCE, .offset = 77},
        {.operation = OPERATION_DIFFERENCE, .offset = 65535},
    };

    for (size_t i = 0; i < sizeof combines / sizeof *combines; i++)
        for (int32_t channels = 1; channels <= 4; channels++) {
            test_pairs(combines[i], 255, channels, channels / 2);
            test_pairs(combines[i], 65535, channels, channels > 1);
            test_pairs(combines[i], 4095, channels, 0);
            test_pairs(combines[i], 1, channels, 0);
        }
    return unit_result();
}
