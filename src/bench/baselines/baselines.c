/* SPDX-License-Identifier: MIT */
#include "src/bench/baselines/baselines.h"

#include <stddef.h>

const struct baseline baselines[] = {
    {&library_smooth, "libsmoothimg", library_version},
    {&library_transpose, "libsmoothimg", library_version},
    {&library_reverse, "libsmoothimg", library_version},
#ifdef HAVE_GPU
    {&library_gpu_smooth, "libsmoothimg", library_version},
    {&library_gpu_transpose, "libsmoothimg", library_version},
    {&library_gpu_reverse, "libsmoothimg", library_version},
#endif
#ifdef HAVE_OPENCV
    {&opencv_smooth, "OpenCV", opencv_version},
    {&opencv_transpose, "OpenCV", opencv_version},
    {&opencv_reverse, "OpenCV", opencv_version},
#endif
#ifdef HAVE_NPP
    {&npp_smooth, "NPP", npp_version},
    {&npp_transpose, "NPP", npp_version},
    {&npp_reverse, "NPP", npp_version},
#endif
    {NULL, NULL, NULL},
};
