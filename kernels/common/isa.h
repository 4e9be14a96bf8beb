/* SPDX-License-Identifier: MIT */
/* The inner loops of the CPU's variants are compiled once for each level of the processor
 * (kernels/meson.build), LEVEL being its name, and chosen when the program runs. */
#ifndef SMOOTHIMG_LEVELS_H
#define SMOOTHIMG_LEVELS_H

struct level {
    const char *name; /* "base", "avx2", "avx512", "vnni" */
    const struct smooth_loops *smooth;
    const struct smooth_u8_loops *smooth_u8;
    const struct weighted_levels *weighted;
    const struct transpose_loops *transpose;
    const struct reverse_loops *reverse;
};

/* The best for this processor, or what the environment variable SMOOTHIMG_CPU names, if it is no
 * better than that. */
const struct level *level_in_use(void);

/* AT_LEVEL(smooth_loops) is smooth_loops_avx2, in the files that are compiled for that level. */
#define AT_LEVEL(STEM) AT_LEVEL_OF(STEM, LEVEL)
#define AT_LEVEL_OF(STEM, NAME) AT_LEVEL_JOINED(STEM, NAME)
#define AT_LEVEL_JOINED(STEM, NAME) STEM##_##NAME

#endif
