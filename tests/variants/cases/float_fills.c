/* SPDX-License-Identifier: MIT */
#include "tests/variants/cases/float_fills.h"

#define SIGN 0x80000000u
#define INFINITE 0x7f800000u
#define ONE 0x3f800000u

/* odd: as in float_fills.h. */
typedef uint32_t painter(uint64_t of_case, uint64_t bits, bool odd);

/* 1 to 2: a binade, as of a photograph. */
static uint32_t paint_ordinary(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)of_case, (void)odd;
    return ONE | (uint32_t)(bits & 0x7fffff);
}

/* Some binades around 0, of both signs. */
static uint32_t paint_signed(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)of_case, (void)odd;
    return (uint32_t)(bits & SIGN) | (ONE - (uint32_t)(bits >> 32 & 7) * 0x800000u) |
           (uint32_t)(bits & 0x7fffff);
}

/* Every binade alike: sums that only a part of the window decides. */
static uint32_t paint_finite(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)of_case, (void)odd;
    return (uint32_t)(bits & SIGN) | (uint32_t)(bits >> 32) % INFINITE;
}

static uint32_t paint_subnormal(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)of_case, (void)odd;
    return (uint32_t)(bits & SIGN) | (uint32_t)(bits & 0x7fffff) >> (bits >> 32) % 24;
}

static uint32_t base_of(uint64_t of_case)
{
    return 1 + (uint32_t)(of_case >> 8) % (INFINITE - 3);
}

/* Two neighbours: means lie near the middle between them, where the rounding is decided. */
static uint32_t paint_neighbours(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)odd;
    return base_of(of_case) + (uint32_t)(bits & 1);
}

/* Sums that nearly vanish. */
static uint32_t paint_opposites(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)odd;
    return base_of(of_case) + (bits >> 40 & 7 ? 0 : 1) + (bits & 1 ? SIGN : 0);
}

/* A wide filter makes means of them that are the middle between two floats but for less than a
 * double can tell. */
static uint32_t paint_chequer(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)bits;
    return base_of(of_case) + odd;
}

/* The same for sums that vanish. */
static uint32_t paint_turns(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)bits;
    return base_of(of_case) | (odd ? SIGN : 0);
}

/* Bright points on a dark ground. */
static uint32_t paint_stars(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)odd;
    const uint32_t ground = ONE | (uint32_t)(bits & 0xffff);

    return bits >> 32 & 63 ? ground : ground + (uint32_t)(of_case % 40) * 0x800000u;
}

/* One sample in eight is a NaN, with any payload. */
static uint32_t paint_holes(uint64_t of_case, uint64_t bits, bool odd)
{
    return bits >> 40 & 7 ? paint_ordinary(of_case, bits, odd)
                          : (uint32_t)(bits & SIGN) | (INFINITE + 1 + (uint32_t)(bits & 0x3fffff));
}

static uint32_t paint_infinities(uint64_t of_case, uint64_t bits, bool odd)
{
    return bits >> 40 & 31 ? paint_signed(of_case, bits, odd) : (uint32_t)(bits & SIGN) | INFINITE;
}

/* A few of them on a chequer, so that windows without any lie beside those with one. */
static uint32_t paint_flares(uint64_t of_case, uint64_t bits, bool odd)
{
    return bits >> 40 & 1023 ? paint_chequer(of_case, bits, odd)
                             : (uint32_t)(bits & SIGN) | INFINITE;
}

static uint32_t paint_zeros(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)of_case, (void)odd;
    return bits >> 40 & 15 ? (uint32_t)(bits & SIGN) : (uint32_t)(bits & SIGN) | 1;
}

/* The ends of the binades, and of the range. */
static uint32_t paint_ends(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)odd;
    const uint32_t value = (uint32_t)(of_case % 255) * 0x800000u + (uint32_t)(bits >> 32) % 3;

    return (uint32_t)(bits & SIGN & of_case) | (value > 0 ? value - 1 : INFINITE - 1);
}

static uint32_t paint_anything(uint64_t of_case, uint64_t bits, bool odd)
{
    (void)of_case, (void)odd;
    return (uint32_t)(bits >> 16);
}

static const struct {
    const char *name;
    painter *paint;
    bool chequer;
} fills[FLOAT_FILL_COUNT] = {
    {"ordinary", paint_ordinary, false},     {"signed", paint_signed, false},
    {"finite", paint_finite, false},         {"subnormal", paint_subnormal, false},
    {"neighbours", paint_neighbours, false}, {"opposites", paint_opposites, false},
    {"chequer", paint_chequer, true},        {"turns", paint_turns, true},
    {"flares", paint_flares, true},          {"stars", paint_stars, false},
    {"holes", paint_holes, false},           {"zeros", paint_zeros, false},
    {"infinities", paint_infinities, false}, {"ends", paint_ends, false},
    {"anything", paint_anything, false}};

const char *float_fill_name(int fill)
{
    return fills[fill].name;
}

bool float_fill_is_chequer(int fill)
{
    return fills[fill].chequer;
}

uint32_t float_fill(int fill, uint64_t of_case, uint64_t of_sample, bool odd)
{
    return fills[fill].paint(of_case, of_sample, odd);
}
