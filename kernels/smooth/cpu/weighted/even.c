/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/weighted/even.h"

#include "kernels/common/exact.h"
#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"

#include <string.h>

#define CHUNK 64 /* words that are looked at before the first answer */

/* Eight bytes of pixels, where these are whole pixels. */
struct pattern {
    uint64_t alpha; /* the first pixel's, in each pixel's place */
    uint64_t mask;  /* ones in these places */
};

static struct pattern make_pattern(const struct view *src, const char *first)
{
    const int64_t bytes = src->sample_bytes, pixel_bytes = src->channels * bytes;
    char alpha[8] = {0}, mask[8] = {0};
    struct pattern pattern;

    for (int64_t i = pixel_bytes - bytes; i < 8; i += pixel_bytes) {
        memcpy(alpha + i, first + pixel_bytes - bytes, (size_t)bytes);
        memset(mask + i, 0xff, (size_t)bytes);
    }
    memcpy(&pattern.alpha, alpha, sizeof alpha);
    memcpy(&pattern.mask, mask, sizeof mask);
    return pattern;
}

static bool words_agree(const char *row, int64_t words, struct pattern pattern)
{
    uint64_t differences = 0;

    for (int64_t i = 0; i < words; i++) {
        uint64_t word;

        memcpy(&word, row + 8 * i, sizeof word);
        differences |= (word ^ pattern.alpha) & pattern.mask;
    }
    return differences == 0;
}

static uint32_t alpha_at(const struct view *src, const char *row, int64_t x)
{
    return row_get(row, src->sample_bytes, (x + 1) * src->channels - 1);
}

bool even_alpha_in_row(const struct view *src, const void *pixels, int64_t n, uint32_t *alpha)
{
    const int64_t pixel_bytes = src->channels * src->sample_bytes;
    const int64_t words = 8 % pixel_bytes == 0 ? n * pixel_bytes / 8 : 0;
    const char *row = pixels;
    struct pattern pattern;
    int64_t x = words * 8 / pixel_bytes;
    bool even = true;

    *alpha = alpha_at(src, row, 0);
    if (alpha_at(src, row, n - 1) != *alpha) /* as in most uneven rows */
        return false;
    pattern = make_pattern(src, row);
    for (int64_t i = 0; i < words && even; i += CHUNK)
        even = words_agree(row + 8 * i, min(CHUNK, words - i), pattern);
    while (x < n && alpha_at(src, row, x) == *alpha)
        x++;
    return even && x >= n;
}

bool even_alpha_around(struct even_alpha *even, struct ring *ring, int64_t y, bool two)
{
    const struct request *request = ring->request;
    const int64_t n = ring->n / ring->step + 2 * request->halo_x, top = y - request->halo_y;

    for (even->next = max(even->next, top); even->next <= y + two + request->halo_y; even->next++) {
        const uint32_t before = even->alpha;
        const bool same =
            even_alpha_in_row(&ring->piece->src, ring_source(ring, even->next), n, &even->alpha);

        if (!same)
            even->since = even->next + 1;
        else if (even->next == top || even->alpha != before)
            even->since = even->next;
    }
    return even->since <= top;
}

bool even_alpha_cancels(const struct request *request)
{
    uint64_t sum_x = 0, sum_y = 0;

    for (int64_t k = 0; k <= 2 * request->halo_x; k++)
        sum_x += request->weights_x[k];
    for (int64_t k = 0; k <= 2 * request->halo_y; k++)
        sum_y += request->weights_y[k];
    return sum_x == (uint64_t)1 << WEIGHT_BITS && sum_y == sum_x;
}
