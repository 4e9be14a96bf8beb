/* SPDX-License-Identifier: MIT */
/* Paints light on a sky with integers: square roots, powers of one half, random numbers, and the
   spot of light that all stars and galaxies are made of. */
#include "images/make/light.h"

/* splitmix64: 64-bit random numbers. */
static uint64_t random64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

int random_below(struct sky *sky, int limit)
{
    return (int)(random64(&sky->random) % (uint64_t)limit);
}

int64_t random_normal(struct sky *sky)
{
    const uint64_t bits = random64(&sky->random);
    int64_t sum = -2 * 65535;
    for (int shift = 0; shift < 64; shift += 16)
        sum += (int64_t)((bits >> shift) & 0xffff);
    return sum;
}

int64_t square_root(int64_t n)
{
    int64_t root = 0;
    for (int64_t bit = (int64_t)1 << 31; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= n)
            root += bit;
    return root;
}

int64_t fade(int64_t peak, int64_t halvings)
{
    /* roots[i] is 2^32 * 2^-(1 / 2^(i+1)): roots[0] is 2^32 times the square root of one half, and
     * each further roots[i] is 2^32 times the square root of roots[i - 1] / 2^32. */
    static const uint32_t roots[16] = {
        3037000499U, 3611622602U, 3938502375U, 4112874772U, 4202935002U, 4248701964U,
        4271771996U, 4283353945U, 4289156689U, 4292061009U, 4293513906U, 4294240539U,
        4294603902U, 4294785595U, 4294876444U, 4294921869U,
    };
    if (halvings >> 16 > 40)
        return 0;
    uint64_t factor = (uint64_t)1 << 32;
    for (int i = 0; i < 16; i++)
        if (halvings & (0x8000 >> i))
            factor = (factor * roots[i]) >> 32;
    return (peak * (int64_t)(factor >> 8) / (1 << 24)) >> (halvings >> 16);
}

void add_spot(struct sky *sky, const struct pose *pose, enum profile profile, int radius,
              int64_t peak)
{
    const int reach = radius * (profile == GAUSSIAN ? 5 : 16) / PIXEL + 2;
    const int column = pose->x / PIXEL, row = pose->y / PIXEL;
    for (int r = row - reach; r <= row + reach; r++) {
        for (int c = column - reach; c <= column + reach; c++) {
            if (r < 0 || r >= sky->height || c < 0 || c >= sky->width)
                continue;
            const int64_t dx = c * PIXEL + PIXEL / 2 - pose->x;
            const int64_t dy = r * PIXEL + PIXEL / 2 - pose->y;
            const int64_t along = (dx * pose->turn.x + dy * pose->turn.y) * 4 / pose->turn.length;
            const int64_t across =
                (dy * pose->turn.x - dx * pose->turn.y) * 64 / (pose->turn.length * pose->flatness);
            const int64_t square = along * along + across * across; /* in (pixel / 64)^2 */
            const int64_t size = (int64_t)radius * 4;
            /* The added 1280 is 5/16 pixel^2. It rounds the tip of the profile, as the blur of a
             * telescope does. */
            const int64_t halvings = profile == GAUSSIAN
                                         ? (square << 16) / (size * size)
                                         : (square_root((square + 1280) << 8) << 12) / size;
            sky->light[(size_t)r * (size_t)sky->width + (size_t)c] += fade(peak, halvings);
        }
    }
}
