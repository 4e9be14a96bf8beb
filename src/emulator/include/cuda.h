/* SPDX-License-Identifier: MIT */
/* Stand-in for CUDA's header of the same name: the types for the driver's function
 * cuTensorMapEncodeTiled, which describes a matrix to the copy unit (TMA). The code in kernels/
 * gets the function's address from cudaGetDriverEntryPoint. */
#ifndef SMOOTHIMG_EMULATED_CUDA_H
#define SMOOTHIMG_EMULATED_CUDA_H

#include <stdint.h>

typedef enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_NOT_SUPPORTED = 801
} CUresult;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

typedef enum { CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0 } CUtensorMapDataType;
typedef enum { CU_TENSOR_MAP_INTERLEAVE_NONE = 0 } CUtensorMapInterleave;
typedef enum { CU_TENSOR_MAP_SWIZZLE_NONE = 0, CU_TENSOR_MAP_SWIZZLE_128B = 3 } CUtensorMapSwizzle;
typedef enum { CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3 } CUtensorMapL2promotion;
typedef enum { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0 } CUtensorMapFloatOOBfill;

typedef struct CUtensorMap_st {
    cuuint64_t opaque[16];
} __attribute__((aligned(64))) CUtensorMap;

#endif
