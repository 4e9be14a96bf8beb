/* SPDX-License-Identifier: MIT */
/* A device that fails in the middle of several operations. Runs on the emulated device. */
#include "tests/unit/app/chain_runs.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <cuda_runtime_api.h>
#include <string.h>

/* As a whole, or in bands, on the device, which breaks at its request number n + 1. Repairs it
 * afterwards. */
static enum status run_breaking(bool in_bands, int n, bool *lost, struct error *error)
{
    static const struct shape shape = {66, 31, 1, 255};
    struct stream_options options = chain_options("gpu", 4, 4, EDGE_WRAP);
    enum status status;

    chain_add(&options, in_bands ? "ssr" : "stsr");
    unit_set("EMULATED_FAILS_AFTER", n);
    status = in_bands ? chain_run_bands(&options, &shape, 9, 2, lost, error)
                      : chain_run_alone(&options, &shape, lost, error);
    NEED(cudaSetDevice(0) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
    return status;
}

/* The run fails, and the dispatcher says that the device is lost. */
static void test_failing(bool in_bands)
{
    int failures = 0, whole = 0;
    struct error error;
    bool lost;

    unit_set("EMULATED_FAILING_DEVICE", 0);
    for (int n = 0; n < 200; n += n < 70 ? 1 : 10) {
        const enum status status = run_breaking(in_bands, n, &lost, &error);

        CHECK(status == STATUS_OK ? !lost : status == STATUS_DEVICE && lost, "at request %d: %s", n,
              error.text);
        failures += status != STATUS_OK;
        whole += status == STATUS_OK;
    }
    CHECK(failures > 20 && whole > 5, "%d failed, %d did not", failures, whole);
    unsetenv("EMULATED_FAILING_DEVICE");
}

int main(void)
{
    scratch_make();
    test_failing(false);
    test_failing(true);
    return unit_result();
}
