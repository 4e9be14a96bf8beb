/* SPDX-License-Identifier: MIT */
/* A device that fails in the middle of several operations: another one does them from the input.
 * Runs on the emulated device. */
#include "tests/unit/app/chain_runs.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <cuda_runtime_api.h>
#include <string.h>

/* Runs on device 1, or on both, of which device 1 breaks at its request number n + 1: as a whole,
 * or in bands. Repairs it afterwards. */
static enum status run_breaking(bool in_bands, bool both, int n, bool *lost, struct error *error)
{
    static const struct shape shape = {66, 31, 1, 255};
    struct stream_options options = chain_options("gpu", 4, 4, EDGE_WRAP);
    enum status status;

    options.work.device = both ? DEVICE_ALL : 1;
    chain_add(&options, in_bands ? "ssr" : "stsr");
    unit_set("EMULATED_FAILS_AFTER", n);
    status = in_bands ? chain_run_bands(&options, &shape, 9, 2, lost, error)
                      : chain_run_alone(&options, &shape, lost, error);
    NEED(cudaSetDevice(1) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
    return status;
}

/* The other device does the work, from the input; without another the run fails. */
static void test_failing(bool in_bands)
{
    int failures = 0, whole = 0;
    struct error error;
    bool lost;

    unit_set("EMULATED_DEVICES", 2);
    unit_set("EMULATED_FAILING_DEVICE", 1);
    for (int n = 0; n < 200; n += n < 70 ? 1 : 10) {
        enum status status = run_breaking(in_bands, true, n, &lost, &error);

        CHECK(status == STATUS_OK && !lost, "with another, at request %d: %s", n, error.text);
        status = run_breaking(in_bands, false, n, &lost, &error);
        CHECK(status == STATUS_OK ? !lost : status == STATUS_DEVICE && lost, "at request %d: %s", n,
              error.text);
        failures += status != STATUS_OK;
        whole += status == STATUS_OK;
    }
    CHECK(failures > 20 && whole > 5, "%d failed, %d did not", failures, whole);
    unsetenv("EMULATED_FAILING_DEVICE");
    unit_set("EMULATED_DEVICES", 1);
}

int main(void)
{
    scratch_make();
    test_failing(false);
    test_failing(true);
    return unit_result();
}
