/* SPDX-License-Identifier: MIT */
/* Pseudo-random numbers, the same on every machine. */
#ifndef SMOOTHIMG_TEST_SPLITMIX_H
#define SMOOTHIMG_TEST_SPLITMIX_H

#include <stdint.h>

/* Returns the next number of Steele, Lea and Flood's splitmix64: 64 random bits. Any state is a
 * valid start. */
static inline uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

#endif
