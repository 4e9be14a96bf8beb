// SPDX-License-Identifier: MIT
#include "src/bench/transactions/tracer/tracer.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <set>

namespace tracer
{

void give_up(const char *what)
{
    fprintf(stderr, "smoothimg-tracer: %s\n", what);
    exit(1);
}

void *new_memory(size_t bytes)
{
    void *memory = nullptr;

    if (cudaMalloc(&memory, bytes) != cudaSuccess || cudaMemset(memory, 1, bytes) != cudaSuccess)
        give_up("no memory for the emulated device");
    return memory;
}

void *new_copy(const void *host, size_t bytes)
{
    void *const memory = new_memory(bytes);

    if (cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice) != cudaSuccess)
        give_up("the emulated device cannot be filled");
    return memory;
}

// The names of all kernels (GROUP/NAME) and of their groups (GROUP): is_wanted() is called for each
// kernel, and adds the kernel's two names.
static std::set<std::string> asked;

bool is_wanted(const request &request, const char *group, const char *name)
{
    const std::string full = std::string(group) + "/" + name;

    asked.insert(group);
    asked.insert(full);
    for (const char *const *wanted = request.groups; *wanted != nullptr; wanted++)
        if (strcmp(*wanted, group) == 0 || full == *wanted)
            return true;
    return request.groups[0] == nullptr;
}

bool was_wanted(const char *name)
{
    return asked.count(name) > 0;
}

// Returns the first fault that the emulated device has found in the traced kernel, or "" if there
// is none. A read of unwritten shared memory is returned only if `reads` makes it a fault and there
// is no other fault.
static std::string first_fault(unwritten_reads reads)
{
    std::string unwritten;

    for (const std::string &complaint : emulated::trace_complaints()) {
        if (!emulated::is_unwritten_read(complaint))
            return complaint;
        if (unwritten.empty() && reads == unwritten_reads::are_faults)
            unwritten = complaint;
    }
    return unwritten;
}

bool count(const request &request, const row &row, unwritten_reads reads,
           const std::function<const char *()> &work)
{
    emulated::trace_start();
    const char *const failure = work();
    const cudaError_t error = cudaDeviceSynchronize();
    const emulated::counts counts = emulated::trace_stop();
    const std::string fault = failure != nullptr     ? failure
                              : error != cudaSuccess ? cudaGetErrorString(error)
                                                     : first_fault(reads);

    print_row(request, row, counts, fault.empty() ? "counted" : "failed",
              fault.empty() ? nullptr : fault.c_str());
    return fault.empty();
}

} // namespace tracer
