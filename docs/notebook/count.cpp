// SPDX-License-Identifier: MIT
// Counts the memory accesses of an exercise's kernels, and prints the counts at the end as lines
// "name value". The exercise is compiled with flags that report each access to the tracer. The flag
// -Wl,--wrap=main makes the program begin with __wrap_main(), which is defined below, instead of
// main().
#include "src/emulator/trace/trace.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

extern "C" {
int __real_main();
int __wrap_main();
}

int __wrap_main()
{
    emulated::trace_start();
    const int status = __real_main();
    const emulated::counts counts = emulated::trace_stop();

    printf("sectors %" PRIu64 "\n", counts.loads.sectors + counts.stores.sectors);
    printf("loads %" PRIu64 "\n", counts.loads.requests);
    printf("load_sectors %" PRIu64 "\n", counts.loads.sectors);
    printf("stores %" PRIu64 "\n", counts.stores.requests);
    printf("store_sectors %" PRIu64 "\n", counts.stores.sectors);
    printf("worst_bank %u\n",
           std::max(counts.shared_loads.worst_degree, counts.shared_stores.worst_degree));
    printf("faults %zu\n", emulated::trace_complaints().size());
    for (const std::string &complaint : emulated::trace_complaints())
        printf("%s\n", complaint.c_str());
    return status;
}
