// SPDX-License-Identifier: MIT
// smoothimg-tracer WIDTH HEIGHT HALO BLOCK sectors|transactions table|json [GROUP...]: prints how
// each kernel accessed memory on the emulated device. smoothimg-bench --sectors and --transactions
// execute this program, so most of its messages begin with "smoothimg-bench".
//
// It is a program of its own, not a part of smoothimg-bench, because the emulated device would
// disturb smoothimg-bench: it has functions with the names of CUDA's runtime, catches the signals
// of memory faults, and finds shared memory in the symbol table of the running program.
#include "src/bench/transactions/tracer/tracer.h"
#include "src/emulator/machine.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "src/text/exit_status.h"
}

static const char usage[] = "usage: smoothimg-tracer WIDTH HEIGHT HALO BLOCK "
                            "sectors|transactions table|json [GROUP...]";

// Returns true if every name in request.groups, which smoothimg-bench's --experiment gave, is a
// known kernel or group. Else reports the first unknown name.
static bool all_found(const tracer::request &request)
{
    for (const char *const *name = request.groups; *name != nullptr; name++)
        if (!tracer::was_wanted(*name)) {
            fprintf(stderr,
                    "smoothimg-bench: --experiment %s: unknown row; --experiment %.*s counts all "
                    "of its group, with their names\n"
                    "Try 'smoothimg-bench --help' or 'man smoothimg-bench'.\n",
                    *name, (int)strcspn(*name, "/"), *name);
            return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 7)
        tracer::give_up(usage);
    const tracer::request request = {atoll(argv[1]), // smoothimg-bench has checked these numbers
                                     atoll(argv[2]),
                                     atoll(argv[3]),
                                     atoi(argv[4]),
                                     strcmp(argv[5], "transactions") == 0,
                                     strcmp(argv[6], "json") == 0,
                                     argv + 7};

    if (emulated::shared_arrays(nullptr).empty())
        tracer::give_up("it was stripped of its symbols, by which it knows shared memory; install "
                        "it as it was built");
    tracer::count_images(request);
    tracer::count_experiments(request);
    const bool good = tracer::all_good(request);
    return exit_statuses[!all_found(request) ? STATUS_USAGE : good ? STATUS_OK : STATUS_DEVICE];
}
