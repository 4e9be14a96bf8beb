/* SPDX-License-Identifier: MIT */
/* Searches for the window of floats with the largest error / bound of its estimate: changes samples
 * one by one, and takes back each change that makes this ratio smaller. */
#ifndef SMOOTHIMG_FLOAT_WINDOW_H
#define SMOOTHIMG_FLOAT_WINDOW_H

#include "tests/bounds/trial.h"

#include <string.h>

#define WINDOW_HALO 16 /* the largest halo that fits */
#define WINDOW_TAPS (2 * WINDOW_HALO + 1)

struct float_window {
    int64_t halo;
    bool negative; /* samples have both signs */
    float samples[WINDOW_TAPS][WINDOW_TAPS];
};

/* Returns a random sample of magnitude 2^-21 to 2. */
static inline float float_window_draw(const struct float_window *window, uint64_t counter)
{
    const uint64_t bits = trial_hash(counter);
    const uint32_t exponent = 127 - (uint32_t)(bits >> 24 & 3) * (uint32_t)(bits >> 26 & 7);
    const uint32_t sign = window->negative && bits >> 40 & 1 ? (uint32_t)1 << 31 : 0;
    const uint32_t sample = sign | exponent << 23 | (uint32_t)(bits & 0x7fffff);
    float value;

    memcpy(&value, &sample, sizeof value);
    return value;
}

/* Returns the largest value of ratio(attack) that it finds. ratio() returns error / bound of the
 * estimate for *window. */
static inline double float_window_anneal(struct float_window *window, int changes,
                                         double (*ratio)(const void *attack), const void *attack)
{
    const int64_t taps = 2 * window->halo + 1;
    double best;

    for (int64_t i = 0; i < taps * taps; i++)
        window->samples[i / taps][i % taps] = float_window_draw(window, (uint64_t)i);
    best = ratio(attack);
    for (int change = 0; change < changes; change++) {
        const uint64_t place = trial_hash((uint64_t)change + 1000000) % (uint64_t)(taps * taps);
        float *sample = &window->samples[place / (uint64_t)taps][place % (uint64_t)taps];
        const float before = *sample;
        double found;

        *sample = float_window_draw(window, (uint64_t)change + 2000000);
        found = ratio(attack);
        if (found < best)
            *sample = before;
        else
            best = found;
    }
    return best;
}

#endif
