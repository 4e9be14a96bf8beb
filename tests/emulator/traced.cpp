// Linked into tests with the traced kernels, and with --wrap=main: the test also fails if one of
// its kernels races. (Reads of unwritten shared memory are not races: see trace.h.)
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
