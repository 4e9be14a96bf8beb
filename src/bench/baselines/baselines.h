/* SPDX-License-Identifier: MIT */
/* Libraries' functions as variants, to compare with: kernels/variant.h is their contract too,
 * except that others' results may differ. The Meson option -Dpeers decides which others there are.
 */
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
/* In baselines/library.c: smoothimg.h, on the host and on a device. */
extern const struct variant library_smooth, library_transpose, library_reverse;
extern const struct variant library_gpu_smooth, library_gpu_transpose, library_gpu_reverse;
const char *library_version(void);
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
