/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/opaque.h"

#include "kernels/common/axes.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/source.h"

/* True if all n pixels from `pixels` on have this alpha. */
static bool is_even(const struct view *src, const void *pixels, int64_t n, uint32_t alpha)
{
    const uint8_t *const bytes = pixels;
    const uint16_t *const words = pixels;
    const int64_t step = src->channels;
    uint32_t differences = 0;

    if (src->sample_bytes == 1)
        for (int64_t x = 1; x <= n; x++)
            differences |= bytes[x * step - 1] ^ alpha;
    else
        for (int64_t x = 1; x <= n; x++)
            differences |= words[x * step - 1] ^ alpha;
    return differences == 0;
}

bool smooth_is_opaque(const struct piece *piece)
{
    const struct request *request = piece->request;
    const struct view *src = &piece->src;
    const uint32_t alpha = sample_get(src, 0, 0, src->channels - 1);
    const struct beside *beside = &piece->beside;
    const int64_t left = source_reached(piece, beside->left, beside->right, request->halo_x);
    const int64_t right = source_reached(piece, beside->right, beside->left, request->halo_x);
    const int64_t above = source_reached(piece, beside->above, beside->below, request->halo_y);
    const int64_t below = source_reached(piece, beside->below, beside->above, request->halo_y);
    bool is_opaque =
        alpha > 0 && sums_to_one(request) && (source_has_all(piece) || request->edge != EDGE_ZERO);

    for (int64_t y = -above; y < src->height + below && is_opaque; y++)
        is_opaque = is_even(
            src, (const char *)source_row(piece, y) - left * src->channels * src->sample_bytes,
            src->width + left + right, alpha);
    return is_opaque;
}
