/* SPDX-License-Identifier: MIT */
/* The random numbers of cases. */
#ifndef SMOOTHIMG_CASES_HASH_H
#define SMOOTHIMG_CASES_HASH_H

#include <stdint.h>

#define COUNT(LIST) ((int)(sizeof(LIST) / sizeof((LIST)[0])))

/* splitmix64 (Steele, Lea, Flood 2014): a good hash of a counter, and the same everywhere. */
static inline uint64_t hash(uint64_t seed, uint64_t counter)
{
    uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15 + counter * 0xbf58476d1ce4e5b9;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

#endif
