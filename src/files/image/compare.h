/* SPDX-License-Identifier: MIT */
/* Counts the samples in which two images differ, and finds the first of them. */
#ifndef SMOOTHIMG_COMPARE_H
#define SMOOTHIMG_COMPARE_H

#include "kernels/variant.h"

struct difference {
    int64_t samples; /* number of samples that differ; 0: the images are the same */
    int64_t x, y;    /* position of the first sample that differs, in reading order */
    int32_t channel;
    uint32_t wanted, got; /* the values of that sample; for floats, the bits of the values */
};

/* Compares views of the same size, channels and sample_bytes, bit for bit. */
struct difference compare_views(const struct view *wanted, const struct view *got);

/* A sample as text for people: "137", or, for a float (4 bytes), "0.100000001 (0x3dcccccd)". */
struct sample_text {
    char text[32];
};
struct sample_text sample_text(uint32_t sample, int32_t sample_bytes);

#endif
