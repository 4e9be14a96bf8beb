/* SPDX-License-Identifier: MIT */
/* Functions of the CUDA runtime that fail on purpose: the linker puts them in place of the real
 * ones
 * (--wrap). */
#ifndef SMOOTHIMG_FAILS_H
#define SMOOTHIMG_FAILS_H

/* Defines a wrapper of the function `name`, which fails instead of making the call if fault(),
 * which the including file defines, returns an error. */
#define FAILS(name, parameters, arguments)                                                         \
    cudaError_t __real_##name parameters;                                                          \
    cudaError_t __wrap_##name parameters;                                                          \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        const cudaError_t error = fault();                                                         \
                                                                                                   \
        return error != cudaSuccess ? error : __real_##name arguments;                             \
    }

#endif
