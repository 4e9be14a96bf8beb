/* SPDX-License-Identifier: MIT */
/* Gives the request the weights of a Gaussian with sigma halo / 3, in units of 2^-46; they sum to
 * 2^46. smoothimg computes its weights with more bits than the doubles here, so some may differ in
 * their last bits. */
static void set_filter(struct request *request, int64_t halo)
{
    static uint64_t weights[2 * MAX_HALO + 1];
    double sum = 0;
    uint64_t rest = (uint64_t)1 << WEIGHT_BITS;
    const auto bell = [&](int64_t k) {
        return exp(-4.5 * (double)(k * k) / (double)(halo * halo));
    };

    for (int64_t k = -halo; k <= halo; k++)
        sum += halo > 0 ? bell(k) : 1;
    for (int64_t k = -halo; k <= halo; k++) {
        weights[halo + k] = k == 0 ? 0 : (uint64_t)(ldexp(bell(k) / sum, WEIGHT_BITS) + 0.5);
        rest -= weights[halo + k];
    }
    weights[halo] = rest;
    request->halo = request->halo_x = request->halo_y = halo;
    request->weights_x = request->weights_y = weights;
    request->edge = EDGE_REFLECT;
}

static int64_t mirrored(int64_t i, int64_t length)
{
    while (i < 0 || i >= length)
        i = i < 0 ? -1 - i : 2 * length - 1 - i;
    return i;
}

/* Returns the sample at (x, y) of the result: the sum over its window, rounded once. */
static unsigned expected(const struct request *request, const unsigned char *src, int64_t x,
                         int64_t y)
{
    const int64_t width = request->src.width, halo = request->halo;
    unsigned __int128 total = (unsigned __int128)1 << (2 * WEIGHT_BITS - 1);

    for (int64_t i = -halo; i <= halo; i++)
        for (int64_t j = -halo; j <= halo; j++)
            total += (unsigned __int128)request->weights_y[halo + i] *
                     request->weights_x[halo + j] *
                     src[mirrored(y + i, request->src.height) * width + mirrored(x + j, width)];
    return (unsigned)(total >> (2 * WEIGHT_BITS));
}

static const enum op OP = OP_SMOOTH;
