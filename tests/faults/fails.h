/* SPDX-License-Identifier: MIT */
/* Functions of the CUDA runtime that fail on purpose. The linker's --wrap puts them in place of the
 * real ones. */
#ifndef SMOOTHIMG_FAILS_H
#define SMOOTHIMG_FAILS_H

/* Defines a wrapper of the function `name`. The wrapper calls fault(), which the including file
 * defines. If fault() returns an error, the wrapper returns it; else it calls the real function. */
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
