// SPDX-License-Identifier: MIT
// Tests bulk copies and barriers in shared memory. A kernel that uses them correctly must give the
// right bytes in every order of threads. If a kernel uses them wrongly, the emulated device must
// report this, or give wrong bytes.
#include "src/emulator/emulated.h"
#include "tests/emulator/kernels/bulk_kernels.cuh"

#include "tests/unit/unit.h"

#include <cstring>

static constexpr int WIDTH = 300, HEIGHT = 50, STRIDE = 320;

static uint8_t image[HEIGHT][STRIDE], result[HEIGHT][STRIDE];
static void *in, *out; // on the device

static CUtensorMap map_of(void *base, uint64_t width, uint64_t rows, CUtensorMapSwizzle swizzle)
{
    typedef CUresult encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                            const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                            const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    const cuuint64_t sizes[2] = {width, rows}, strides[1] = {STRIDE};
    const cuuint32_t box[2] = {BOX_WIDTH, BOX_ROWS}, steps[2] = {1, 1};
    void *function = nullptr;
    CUtensorMap map = {};

    NEED(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault) ==
         cudaSuccess);
    reinterpret_cast<encode *>(function)(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, base, sizes,
                                         strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                         swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

static void start()
{
    cudaDeviceReset();
    emulated::take_report();
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < STRIDE; x++)
            image[y][x] = (uint8_t)(31 * y + 7 * x + 1);
    NEED(cudaMalloc(&in, sizeof image) == cudaSuccess);
    NEED(cudaMalloc(&out, sizeof result) == cudaSuccess);
    NEED(cudaMemcpy(in, image, sizeof image, cudaMemcpyHostToDevice) == cudaSuccess);
    NEED(cudaMemset(out, 0, sizeof result) == cudaSuccess);
}

// Runs copy_boxes with these faults. Returns the kernel's error.
static cudaError_t run(unsigned faults, CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B)
{
    const CUtensorMap from = map_of(in, WIDTH, HEIGHT, swizzle);
    const CUtensorMap to = map_of(out, WIDTH / 16 * 16, HEIGHT, swizzle);

    cudaFuncSetAttribute(copy_boxes, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         sizeof(boxes_memory));
    LAUNCH(copy_boxes, dim3((WIDTH + BOX_WIDTH - 1) / BOX_WIDTH), 64, sizeof(boxes_memory), nullptr,
           from, to, HEIGHT, faults);
    const cudaError_t error = cudaDeviceSynchronize();

    if (error == cudaSuccess)
        NEED(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost) == cudaSuccess);
    return error;
}

// Returns how many samples of the result are not the image's sample + 1. The kernel stores only a
// multiple of 16 columns.
static int count_wrong()
{
    int wrong = 0;

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH / 16 * 16; x++)
            wrong += result[y][x] != (uint8_t)(image[y][x] + 1);
    return wrong;
}

static void test_right()
{
    for (const auto order :
         {emulated::order::forward, emulated::order::reverse, emulated::order::random}) {
        emulated::set_order(order);
        for (const auto swizzle : {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B}) {
            start();
            CHECK(run(0, swizzle) == cudaSuccess, "%s", emulated::take_report().c_str());
            CHECK(count_wrong() == 0, "%d samples", count_wrong());
            CHECK(result[0][WIDTH / 16 * 16] == 0 && result[HEIGHT - 1][STRIDE - 1] == 0,
                  "nothing beside the map is written");
        }
    }
    emulated::set_order(emulated::order::forward);
}

static void test_fault(unsigned fault, const char *words)
{
    start();
    const cudaError_t error = run(fault);
    const std::string report = emulated::take_report();

    CHECK(error != cudaSuccess, "a fault is wanted: %s", words);
    CHECK(report.find(words) != std::string::npos, "no \"%s\" in: %s", words, report.c_str());
}

// Tests a fault of copy_boxes that shows in one of two ways: the device reports it, or the result
// is wrong.
static void test_wrong(unsigned fault, const char *what)
{
    start();
    CHECK(run(fault) != cudaSuccess || count_wrong() > 0, "%s", what);
}

static void test_maps()
{
    CHECK(map_of((char *)in + 8, WIDTH, HEIGHT, CU_TENSOR_MAP_SWIZZLE_NONE).opaque[0] == 0,
          "a base that is no multiple of 16");
    CHECK(map_of(in, 0, HEIGHT, CU_TENSOR_MAP_SWIZZLE_NONE).opaque[0] == 0, "an empty matrix");
    setenv("EMULATED_CAPABILITY", "8", 1);
    CHECK(map_of(in, WIDTH, HEIGHT, CU_TENSOR_MAP_SWIZZLE_NONE).opaque[0] == 0, "before Hopper");
    unsetenv("EMULATED_CAPABILITY");
}

// Tests copies of a row, which need no tensor map.
static void test_rows()
{
    for (const int bytes : {16, 304}) {
        start();
        LAUNCH(copy_row, 1, 32, 0, nullptr, (const uint8_t *)in, (uint8_t *)out, bytes, true);
        CHECK(cudaMemcpy(result, out, 320, cudaMemcpyDeviceToHost) == cudaSuccess, "%s",
              emulated::take_report().c_str());
        CHECK(memcmp(result, image, (size_t)bytes) == 0 && result[0][bytes] == 0, "%d", bytes);
    }
    start();
    LAUNCH(copy_row, 1, 32, 0, nullptr, (const uint8_t *)in, (uint8_t *)out, 320, false);
    CHECK(cudaMemcpy(result, out, 320, cudaMemcpyDeviceToHost) == cudaSuccess, "without a wait");
    for (int x = 0; x < 320; x++)
        CHECK(result[0][x] == (uint8_t)~image[0][x], "%d: neither the old data nor the new", x);
    start();
    LAUNCH(copy_row, 1, 32, 0, nullptr, (const uint8_t *)in, (uint8_t *)out, 24, true);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure, "24 bytes");
    CHECK(emulated::take_report().find("multiples of 16") != std::string::npos, "24 bytes");
    start();
    LAUNCH(copy_row, 1, 32, 0, nullptr, (const uint8_t *)in + sizeof image - 64, (uint8_t *)out,
           128, true);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "beyond the source");
}

static cudaError_t run_units(bool zeros, unsigned faults)
{
    const uint8_t *from = (const uint8_t *)in + (faults & BEYOND_SOURCE ? sizeof image - 48 : 0);

    start();
    LAUNCH(copy_units, 1, 64, 0, nullptr, from, (uint4 *)out, zeros, faults);
    return cudaMemcpy(result, out, 512, cudaMemcpyDeviceToHost);
}

// Tests copies in which each lane copies 16 bytes (copy_units).
static void test_units()
{
    for (const char *capability : {"8", "9"})
        for (const bool zeros : {false, true}) {
            setenv("EMULATED_CAPABILITY", capability, 1);
            CHECK(run_units(zeros, 0) == cudaSuccess, "%s", emulated::take_report().c_str());
            for (uint32_t i = 0; i < 512; i++)
                CHECK((&result[0][0])[496 - i / 16 * 16 + i % 16] ==
                          (zeros ? 0 : (&image[0][0])[i]),
                      "byte %u", i);
        }
    unsetenv("EMULATED_CAPABILITY");
}

static void test_unit_fault(unsigned fault, const char *words)
{
    const cudaError_t error = run_units(false, fault);
    const std::string report = emulated::take_report();

    CHECK(error != cudaSuccess, "a fault is wanted: %s", words);
    CHECK(report.find(words) != std::string::npos, "no \"%s\" in: %s", words, report.c_str());
}

// The emulated device must report instructions that its compute capability lacks.
static void test_capabilities()
{
    setenv("EMULATED_CAPABILITY", "8", 1);
    test_fault(0, "needs compute capability 9.0");
    setenv("EMULATED_CAPABILITY", "7", 1);
    test_unit_fault(0, "needs compute capability 8.0");
    unsetenv("EMULATED_CAPABILITY");
}

int main()
{
    test_right();
    test_fault(NO_FENCE_OF_BARRIERS, "made visible to copies");
    test_fault(NO_SYNC_AFTER_INIT, "without a __syncthreads since");
    test_fault(WRONG_PARITY, "on its way to");
    test_fault(NO_WAIT, "on its way to");
    test_fault(TOO_FEW_BYTES, "are missing");
    test_fault(TOO_MANY_BYTES, "are missing");
    test_fault(ARRIVES_TWICE, "more arrivals");
    test_fault(ODD_COLUMN, "no multiple of 16");
    test_fault(ODD_ADDRESS, "no multiple of 128");
    test_fault(NO_FENCE_OF_WRITES, "without a fence");
    test_fault(NO_READ_WAIT, "has yet to read");
    test_fault(NO_END, "ends before");
    test_fault(OVERWRITES_BARRIER, "overwritten");
    test_fault(LEAVES_COPY, "has ended before a copy");
    test_wrong(NO_SWIZZLE, "the swizzle is forgotten");
    test_maps();
    test_rows();
    test_units();
    test_unit_fault(NO_UNIT_WAIT, "on its way to");
    test_unit_fault(NO_ARRIVAL, "are missing");
    test_unit_fault(ARRIVES_FIRST, "on its way to");
    test_unit_fault(ODD_UNIT, "multiples of 16");
    test_unit_fault(COPIES_TWICE, "on its way to");
    test_unit_fault(BEYOND_SOURCE, "not allocated");
    test_unit_fault(LEAVES_UNITS, "has ended before a copy");
    test_capabilities();
    return unit_result();
}
