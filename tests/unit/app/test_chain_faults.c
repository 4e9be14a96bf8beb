/* SPDX-License-Identifier: MIT */
/* A device that fails in the middle of several operations: another one, or under auto the
 * processor, does them from the input. Runs on the emulated device. */
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
    chain_set("EMULATED_FAILS_AFTER", n);
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

    chain_set("EMULATED_DEVICES", 2);
    chain_set("EMULATED_FAILING_DEVICE", 1);
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
    chain_set("EMULATED_DEVICES", 1);
}

/* Runs images until the GPU has computed one, or has failed. */
static const char *run_automatic(struct dispatcher *dispatcher,
                                 const struct stream_options *options, int64_t *gpu_pieces)
{
    static const struct shape shape = {66, 31, 1, 255};
    const char *why = NULL;

    *gpu_pieces = 0;
    for (int i = 0; i < 1000 && *gpu_pieces < 3; i++) {
        struct report report;
        struct error error;

        CHECK(chain_run(options, dispatcher, &shape, &report, &error) == STATUS_OK, "%s",
              error.text);
        for (int op = 1; op < options->work.op_count; op++)
            CHECK(report.work[op].pieces[ON_GPU] == report.work[0].pieces[ON_GPU],
                  "operation %d is computed elsewhere", op);
        *gpu_pieces += report.work[0].pieces[ON_GPU];
        dispatcher_pause(dispatcher);
        why = dispatcher_why_no_gpu(dispatcher);
        if (why && strcmp(why, "the GPU failed") == 0)
            break;
    }
    return why;
}

/* auto: after the processor has done images a GPU does all operations of others; if it fails, at
 * whichever request, the processor does them from the input. */
static void test_automatic(void)
{
    int failed = 0, whole = 0;

    NEED(setenv("EMULATED_AUTO", "1e-9", 1) == 0 && setenv("EMULATED_SPEED", "1e9", 1) == 0);
    chain_set("EMULATED_FAILING_DEVICE", 0);
    for (int n = 4; n < 1000; n += n < 150 ? 5 : 150) {
        struct stream_options options = chain_options("auto", 4, 4, EDGE_CLAMP);
        struct dispatcher *dispatcher;
        struct error error;
        int64_t gpu_pieces;
        const char *why;

        options.work.threads = 8; /* then dispatcher_pause waits */
        chain_add(&options, "srst");
        chain_set("EMULATED_FAILS_AFTER", n);
        NEED(dispatcher_open(&options.work, &dispatcher, &error) == STATUS_OK);
        dispatcher_expect(dispatcher, 1e9);
        why = run_automatic(dispatcher, &options, &gpu_pieces);
        CHECK(why ? strcmp(why, "the GPU failed") == 0 : gpu_pieces == 3, "%s, %lld pieces",
              why ? why : "", (long long)gpu_pieces);
        failed += why && gpu_pieces > 0;
        whole += !why;
        dispatcher_close(dispatcher);
        NEED(cudaSetDevice(0) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
    }
    CHECK(failed > 3 && whole > 3, "%d failed in the middle, %d did not fail", failed, whole);
    unsetenv("EMULATED_FAILING_DEVICE");
}

int main(void)
{
    scratch_make();
    test_failing(false);
    test_failing(true);
    test_automatic();
    return unit_result();
}
