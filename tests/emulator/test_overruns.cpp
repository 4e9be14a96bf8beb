// SPDX-License-Identifier: MIT
// test_overruns CASE makes one wrong access: a kernel's access outside of its memory or, if CASE is
// `host`, the host's access to device memory. With `right` the access is correct. With
// AddressSanitizer, a wrong access must end the program. Without AddressSanitizer, the exit status
// is 0 if the emulated device reports the access. The device cannot detect the accesses of the
// cases `static` and `host`: these cases exit with 0, too.
#include "src/emulator/emulated.h"
#include "tests/emulator/kernels/wrong_kernels.cuh"

#include "tests/unit/unit.h"

#include <cstring>

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    const long bytes = 1000;
    char *memory;

    NEED(cudaMalloc(&memory, bytes) == cudaSuccess);
    if (strcmp(which, "behind") == 0)
        LAUNCH(writes_at, 1, 1, 0, nullptr, memory, bytes);
    else if (strcmp(which, "before") == 0)
        LAUNCH(writes_at, 1, 1, 0, nullptr, memory, -1L);
    else if (strcmp(which, "far") == 0)
        LAUNCH(writes_at, 1, 1, 0, nullptr, memory, 1L << 20);
    else if (strcmp(which, "dynamic") == 0)
        LAUNCH(writes_dynamic, 1, 1, 16, nullptr, (int *)memory, 4);
    else if (strcmp(which, "before dynamic") == 0)
        LAUNCH(writes_dynamic, 1, 1, 16, nullptr, (int *)memory, -1);
    else if (strcmp(which, "static") == 0) // only AddressSanitizer detects this write
        LAUNCH(writes_static, 1, 1, 0, nullptr, (int *)memory, 16);
    else if (strcmp(which, "host") == 0) // only AddressSanitizer detects this write
        memory[0] = 1;
    else if (strcmp(which, "right") == 0)
        LAUNCH(writes_at, 1, 1, 0, nullptr, memory, bytes - 1);
    else
        return 99;
    const cudaError_t error = cudaDeviceSynchronize();

    if (strcmp(which, "static") == 0 || strcmp(which, "host") == 0)
        return 0; // only AddressSanitizer detects it

    CHECK(error == (strcmp(which, "right") == 0 ? cudaSuccess : cudaErrorIllegalAddress), "%s: %s",
          which, cudaGetErrorName(error));
    return unit_result();
}
