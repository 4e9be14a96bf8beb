// SPDX-License-Identifier: MIT
// Replaces a test's main() by one that traces its kernels, and that also fails if the tracer
// complains, for example about a race. The test is linked with traced kernels, and with
// --wrap=main. The tracer (src/emulator/trace/trace.h) records the kernels' accesses to memory. It
// also reports reads of shared memory that no thread has written (is_unwritten_read()), but such
// reads do not make the test fail.
#include "src/emulator/trace/trace.h"

#include <cstdio>

extern "C" int __real_main(int argc, char **argv);
extern "C" int __wrap_main(int argc, char **argv);

extern "C" int __wrap_main(int argc, char **argv)
{
    emulated::trace_start(emulated::races::of_all_memory);
    const int status = __real_main(argc, argv);
    const emulated::counts counts = emulated::trace_stop();
    bool right = counts.loads.requests > 0 && counts.stores.requests > 0;

    printf("traced: %llu loads and %llu stores of global memory\n",
           (unsigned long long)counts.loads.requests, (unsigned long long)counts.stores.requests);
    for (const std::string &complaint : emulated::trace_complaints())
        if (!emulated::is_unwritten_read(complaint)) {
            printf("%s\n", complaint.c_str());
            right = false;
        }
    return right ? status : 1;
}
