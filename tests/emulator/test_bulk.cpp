// SPDX-License-Identifier: MIT
// Tests bulk copies and barriers in shared memory. A kernel that uses them correctly must give the
// right bytes in every order of threads. If a kernel uses them wrongly, the emulated device must
// report this, or give wrong bytes.
#include "src/emulator/emulated.h"
#include "tests/emulator/kernels/bulk_kernels.cuh"

#include "tests/unit/unit.h"

#include <cstring>

static constexpr int HEIGHT = 50, ROWS = HEIGHT - 1; // LEAVES_COPY copies the last row

static uint8_t image[HEIGHT][STRIDE], result[HEIGHT][STRIDE];
static void *in, *out; // on the device

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

// Runs copy_rows with these faults. Returns the kernel's error.
static cudaError_t run(unsigned faults)
{
    LAUNCH(copy_rows, 1, 64, 0, nullptr, (const uint8_t *)in, (uint8_t *)out, ROWS, faults);
    const cudaError_t error = cudaDeviceSynchronize();

    if (error == cudaSuccess)
        NEED(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost) == cudaSuccess);
    return error;
}

// Returns how many bytes of the result are not the image's byte + 1.
static int count_wrong()
{
    int wrong = 0;

    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < ROW; x++)
            wrong += result[y][x] != (uint8_t)(image[y][x] + 1);
    return wrong;
}

static void test_right()
{
    for (const auto order :
         {emulated::order::forward, emulated::order::reverse, emulated::order::random}) {
        emulated::set_order(order);
        start();
        CHECK(run(0) == cudaSuccess, "%s", emulated::take_report().c_str());
        CHECK(count_wrong() == 0, "%d bytes", count_wrong());
    }
    emulated::set_order(emulated::order::forward);
}

// Checks that a kernel has failed, and that the device's report contains `words`.
static void check_fault(cudaError_t error, const char *words)
{
    const std::string report = emulated::take_report();

    CHECK(error != cudaSuccess, "a fault is wanted: %s", words);
    CHECK(report.find(words) != std::string::npos, "no \"%s\" in: %s", words, report.c_str());
}

static void test_fault(unsigned fault, const char *words)
{
    start();
    check_fault(run(fault), words);
}

// Tests copies of a single row (copy_row).
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

static cudaError_t run_units(unsigned faults)
{
    const uint8_t *from = (const uint8_t *)in + (faults & BEYOND_SOURCE ? sizeof image - 48 : 0);

    start();
    LAUNCH(copy_units, 1, 64, 0, nullptr, from, (uint4 *)out, faults);
    return cudaMemcpy(result, out, 512, cudaMemcpyDeviceToHost);
}

// Tests copies in which each lane copies 16 bytes (copy_units).
static void test_units()
{
    for (const char *capability : {"8", "9"}) {
        setenv("EMULATED_CAPABILITY", capability, 1);
        CHECK(run_units(0) == cudaSuccess, "%s", emulated::take_report().c_str());
        for (uint32_t i = 0; i < 512; i++)
            CHECK((&result[0][0])[496 - i / 16 * 16 + i % 16] == (&image[0][0])[i], "byte %u", i);
    }
    unsetenv("EMULATED_CAPABILITY");
}

static void test_unit_fault(unsigned fault, const char *words)
{
    check_fault(run_units(fault), words);
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
    test_fault(ODD_ADDRESS, "multiples of 16");
    test_fault(OVERWRITES_BARRIER, "overwritten");
    test_fault(LEAVES_COPY, "has ended before a copy");
    test_rows();
    test_units();
    test_unit_fault(NO_UNIT_WAIT, "on its way to");
    test_unit_fault(NO_ARRIVAL, "are missing");
    test_unit_fault(ARRIVES_FIRST, "on its way to");
    test_unit_fault(ODD_UNIT, "multiples of 16");
    test_unit_fault(COPIES_TWICE, "on its way to");
    test_unit_fault(BEYOND_SOURCE, "not allocated");
    test_unit_fault(LEAVES_UNITS, "has ended before a copy");
    test_unit_fault(LEAVES_ARRIVAL, "31 arrivals and 0 bytes are missing");
    test_capabilities();
    return unit_result();
}
