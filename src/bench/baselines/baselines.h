/* SPDX-License-Identifier: MIT */
/* Other libraries' way to do the same, as variants: kernels/variant.h is their contract too, but
 * that their results may differ. Which there are is decided by Meson, see -Dpeers. */
#ifndef SMOOTHIMG_PEERS_H
#define SMOOTHIMG_PEERS_H

#include "variant.h"

struct peer {
    const struct variant *variant;
    const char *library;          /* "OpenCV" */
    const char *(*version)(void); /* "4.6.0" */
};

/* Ends with a row whose variant is NULL. */
extern const struct peer peers[];

#ifdef __cplusplus
extern "C" {
#endif
/* In peer_opencv.cpp. */
extern const struct variant opencv_smooth, opencv_transpose, opencv_reverse;
const char *opencv_version(void);
/* In peer_npp.c. */
extern const struct variant npp_smooth, npp_transpose, npp_reverse;
const char *npp_version(void);
#ifdef __cplusplus
}
#endif

#endif
