/* SPDX-License-Identifier: MIT */
/* Other libraries' functions as variants, to compare with: kernels/variant.h is their contract too,
 * except that their results may differ. The Meson option -Dpeers decides which there are. */
#ifndef SMOOTHIMG_BASELINES_H
#define SMOOTHIMG_BASELINES_H

#include "kernels/variant.h"

struct baseline {
    const struct variant *variant;
    const char *library;          /* "OpenCV" */
    const char *(*version)(void); /* "4.6.0" */
};

/* Ends with a row whose variant is NULL. */
extern const struct baseline baselines[];

#ifdef __cplusplus
extern "C" {
#endif
/* In baselines/opencv.cpp. */
extern const struct variant opencv_smooth, opencv_transpose, opencv_reverse;
const char *opencv_version(void);
/* In baselines/npp.c. */
extern const struct variant npp_smooth, npp_transpose, npp_reverse;
const char *npp_version(void);
#ifdef __cplusplus
}
#endif

#endif
