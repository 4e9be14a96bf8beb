/* SPDX-License-Identifier: MIT */
/* HOST_DEVICE marks functions in headers that are compiled for the host and for GPUs. */
#ifndef SMOOTHIMG_HOST_DEVICE_H
#define SMOOTHIMG_HOST_DEVICE_H

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__ static inline
#else
#define HOST_DEVICE static inline
#endif

#endif
