/* SPDX-License-Identifier: MIT */
/* The tables of linear light against those of tests/definition/linear_light.py, each in one number,
 * and rows through them. */
#include "src/files/codec/rows/samples.h"
#include "src/files/light/lights.h"
#include "tests/unit/framed.h"
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a over the numbers' bytes, the lower first. */
static const struct known {
    uint32_t maxval, gamma;
    uint64_t decode, encode;
} knowns[] = {
    {1, LIGHT_SRGB, UINT64_C(0x4a3d077f9b55736b), UINT64_C(0x85de6f6212502615)},
    {2, LIGHT_SRGB, UINT64_C(0x16c65f7f7d285e02), UINT64_C(0xc05c7f8d1af3334c)},
    {100, LIGHT_SRGB, UINT64_C(0x0e6f1668f88a4f27), UINT64_C(0x1ee03393acbca27c)},
    {255, LIGHT_SRGB, UINT64_C(0xfc9f2a74dc5b7d64), UINT64_C(0xf02c132566b6c74f)},
    {4095, LIGHT_SRGB, UINT64_C(0x9889b0bedb560b1b), UINT64_C(0xe413bbf98791efeb)},
    {65534, LIGHT_SRGB, UINT64_C(0x1ef30292fcb45d4a), UINT64_C(0x1014eebbf87cbc98)},
    {65535, LIGHT_SRGB, UINT64_C(0x484a2d634d5db89a), UINT64_C(0x3a08d27602d508f3)},
    {255, 45455, UINT64_C(0xe1a184231fc822ea), UINT64_C(0xeac3b9452eb5d51f)},
    {65535, 45455, UINT64_C(0x83241e2f1f7997d3), UINT64_C(0x3dd6727d45e059ba)},
};

static uint64_t hash(const uint16_t *numbers, size_t count)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < 2 * count; i++)
        sum = (sum ^ (numbers[i / 2] >> i % 2 * 8 & 255)) * UINT64_C(0x100000001b3);
    return sum;
}

static void test_tables(struct light *light)
{
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++) {
        const struct known *known = &knowns[i];

        memset(light, 0xa5, sizeof *light);
        light_make(light, known->maxval, known->gamma);
        CHECK(hash(light->decode, known->maxval + 1) == known->decode, "decode %u, gamma %u",
              known->maxval, known->gamma);
        CHECK(hash(light->encode, LIGHT_MAXVAL + 1) == known->encode, "encode %u, gamma %u",
              known->maxval, known->gamma);
    }
}

/* The factor is odd and the largest: a mean in its units, rounded twice, is rounded once. */
static void test_alpha(struct light *light)
{
    for (uint32_t maxval = 1; maxval <= MAX_MAXVAL; maxval += maxval < 300 ? 1 : 9770) {
        light_make(light, maxval, LIGHT_SRGB);
        CHECK(light->alpha_factor % 2 == 1 && light->alpha_factor * maxval <= LIGHT_MAXVAL &&
                  (light->alpha_factor + 2) * maxval > LIGHT_MAXVAL,
              "maxval %u: factor %u", maxval, light->alpha_factor);
    }
}

#define WIDTH 7
#define BORDER 2

/* Each sample of a row in place, whatever its depth, and nothing beside the row. */
static void test_rows(struct light *light, uint32_t maxval, int32_t channels, bool has_alpha)
{
    const struct shape shape = {WIDTH, 2, channels, LIGHT_MAXVAL},
                       file = {WIDTH, 1, channels, maxval};
    struct image image, narrow, row;
    struct error error;

    light_make(light, maxval, LIGHT_SRGB);
    CHECK(framed_alloc(&image, &shape, BORDER, &error) == STATUS_OK &&
              image_alloc(&row, &file, &error) == STATUS_OK,
          "no memory");
    memset(image.memory, 0x5a, image.memory_bytes);
    image.light = light;
    narrow = image_file(&image);
    for (int32_t i = 0; i < WIDTH * channels; i++) {
        const uint32_t sample = (uint32_t)i * 2971 % (maxval + 1);

        if (maxval > 255)
            ((uint16_t *)image_row(&narrow, 1))[i] = (uint16_t)sample;
        else
            ((uint8_t *)image_row(&narrow, 1))[i] = (uint8_t)sample;
    }
    samples_decode(&image, has_alpha, 0, 1, 1);
    samples_encode(&image, has_alpha, 1, 1, &row);
    for (int32_t i = 0; i < WIDTH * channels; i++) {
        const uint32_t sample = (uint32_t)i * 2971 % (maxval + 1);
        const bool is_alpha = has_alpha && i % channels == channels - 1;
        const uint32_t level = ((uint16_t *)image_row(&image, 1))[i];
        const uint32_t back =
            maxval > 255 ? ((uint16_t *)image_row(&row, 0))[i] : ((uint8_t *)image_row(&row, 0))[i];

        CHECK(level == (is_alpha ? sample * light->alpha_factor : light->decode[sample]),
              "maxval %u, sample %d is decoded to %u", maxval, i, level);
        CHECK(back == (is_alpha ? sample : light->encode[level]), "maxval %u, sample %d: %u",
              maxval, i, back);
    }
    CHECK(((uint8_t *)image_row(&image, 1))[-1] == 0x5a &&
              ((uint8_t *)image_row(&image, 1))[2 * WIDTH * channels] == 0x5a &&
              ((uint8_t *)image_row(&image, 0))[0] == 0x5a,
          "maxval %u: bytes beside the row", maxval);
    image_free(&image);
    image_free(&row);
}

/* More than are kept: each has its tables, and those that are not kept are the caller's. */
static void test_shared(void)
{
    struct lights lights;

    lights_open(&lights);
    for (uint32_t maxval = 1; maxval <= 2 * LIGHTS_KEPT; maxval++) {
        struct light *owned = NULL, *other = NULL;
        const struct light *light = lights_get(&lights, maxval, LIGHT_SRGB, &owned);

        CHECK(light && light->maxval == maxval && (owned != NULL) == (maxval > LIGHTS_KEPT),
              "maxval %u", maxval);
        CHECK(maxval > LIGHTS_KEPT || lights_get(&lights, maxval, LIGHT_SRGB, &other) == light,
              "maxval %u again", maxval);
        free(owned);
    }
    lights_close(&lights);
}

int main(void)
{
    struct light *light = malloc(sizeof *light);

    if (!light)
        return 1;
    test_tables(light);
    test_alpha(light);
    for (int32_t channels = 1; channels <= 4; channels++) {
        test_rows(light, 255, channels, channels % 2 == 0);
        test_rows(light, 1, channels, false);
        test_rows(light, 4095, channels, channels % 2 == 0);
    }
    test_shared();
    free(light);
    return unit_result();
}
