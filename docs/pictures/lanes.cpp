// SPDX-License-Identifier: MIT
// lanes WIDTH HEIGHT HALO GROUP/ROW...: prints the memory accesses of one block of each kernel,
// from which pictures.py draws pictures. It runs the kernels on the emulated device (src/emulator),
// which needs no GPU and records each access. GROUP/ROW names a kernel as in smoothimg-bench
// --sectors. The output is that of --sectors, with a line for each access before the line of its
// kernel:
//
//     load|store global|shared LINE WARP BYTES LANE:ADDRESS...
//
// LINE is the line of the access in the source. LANE is the lane's number in its warp, BYTES the
// bytes for one lane, and ADDRESS a hexadecimal number.
#include "src/bench/transactions/tracer/tracer.h"
#include "src/emulator/trace/log.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// True in the block that is drawn: along x and along y it is the second block, or the only one.
static bool is_in_picture()
{
    const auto is_second = [](unsigned index, unsigned count) { return index == (count > 1); };

    return is_second(blockIdx.x, gridDim.x) && is_second(blockIdx.y, gridDim.y) && blockIdx.z == 0;
}

static void print(const emulated::request &request)
{
    const emulated::event &first = *request.of[__builtin_ctz(request.lanes)];

    if (!is_in_picture())
        return;
    printf("%s %s %s %u %u", first.kind == emulated::event_kind::store ? "store" : "load",
           first.shared ? "shared" : "global", emulated::source_line(first.pc).c_str(),
           request.warp, (unsigned)first.bytes);
    for (unsigned lane = 0; lane < 32; lane++)
        if ((request.lanes >> lane & 1) != 0)
            printf(" %u:%" PRIxPTR, lane, (uintptr_t)request.of[lane]->address);
    putchar('\n');
}

int main(int argc, char **argv)
{
    if (argc < 5)
        tracer::give_up("usage: lanes WIDTH HEIGHT HALO GROUP/ROW...");
    const tracer::request request = {atoll(argv[1]), atoll(argv[2]), atoll(argv[3]), 0,
                                     false,          true,           argv + 4};

    emulated::request_listener = print;
    tracer::count_images(request);
    tracer::count_experiments(request);
    return tracer::all_good(request) ? 0 : 1;
}
