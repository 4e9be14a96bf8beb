// SPDX-License-Identifier: MIT
// Finds a function of the driver by its name. The only such function describes a matrix of bytes to
// the copy unit (TMA). It checks the limits in the manual of the CUDA driver API; in addition, a
// swizzled box must be 128 bytes wide, the greatest width that the manual allows.
#include "src/emulator/exec/bulk/tensor_map.h"
#include "src/emulator/machine.h"

#include <cstring>

namespace emulated
{

static CUresult encode_tiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                             void *base, const cuuint64_t *sizes, const cuuint64_t *strides,
                             const cuuint32_t *box, const cuuint32_t *steps, CUtensorMapInterleave,
                             CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                             CUtensorMapFloatOOBfill)
{
    const bool swizzled = swizzle == CU_TENSOR_MAP_SWIZZLE_128B;
    const uint64_t most = (uint64_t)1 << 32;

    if (capability() < 9)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (type != CU_TENSOR_MAP_DATA_TYPE_UINT8 || rank != 2 || steps[0] != 1 || steps[1] != 1 ||
        (uintptr_t)base % 16 != 0 || strides[0] % 16 != 0 || strides[0] >> 40 != 0 ||
        sizes[0] < 1 || sizes[0] > most || sizes[1] < 1 || sizes[1] > most || box[0] < 1 ||
        box[0] > 256 || box[0] % 16 != 0 || box[1] < 1 || box[1] > 256 ||
        (swizzled && box[0] != 128) || (uintptr_t)map % alignof(CUtensorMap) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const tensor_map described = {tensor_map::MARK, (char *)base, sizes[0], sizes[1],
                                  strides[0],       box[0],       box[1],   swizzled};

    memcpy(map, &described, sizeof described);
    return CUDA_SUCCESS;
}

} // namespace emulated

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long,
                                    cudaDriverEntryPointQueryResult *found)
{
    const bool known = strcmp(symbol, "cuTensorMapEncodeTiled") == 0;

    *function = known ? (void *)emulated::encode_tiled : nullptr;
    if (found != nullptr)
        *found = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return emulated::sticky_error();
}
