// SPDX-License-Identifier: MIT
#include "src/bench/transactions/tracer/tracer.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

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

bool is_wanted(const request &request, const char *group, const char *name)
{
    const std::string full = std::string(group) + "/" + name;

    for (const char *const *wanted = request.groups; *wanted != nullptr; wanted++)
        if (strcmp(*wanted, group) == 0 || full == *wanted)
            return true;
    return request.groups[0] == nullptr;
}

// The first race, else the first other fault; "" if there is none.
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

static void print_global(const emulated::global_counts &counts)
{
    printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, counts.requests,
           counts.transactions, counts.sectors, counts.bytes);
}

static void print_shared(const emulated::shared_counts &counts)
{
    printf("\t%" PRIu64 "\t%" PRIu64 "\t%u", counts.requests, counts.conflicts,
           counts.worst_degree);
}

static void print_line(const row &row, const emulated::counts &counts, const char *outcome,
                       const char *why)
{
    printf("%s\t%s\t%" PRId64 "\t%" PRId64 "\t%.17g\t%.17g", row.group, row.name, row.width,
           row.height, row.flops, row.needed);
    print_global(counts.loads);
    print_global(counts.stores);
    print_shared(counts.shared_loads);
    print_shared(counts.shared_stores);
    printf("\t%s\t%s\t%s\n", outcome, row.shows, why);
    if (fflush(stdout) != 0)
        exit(1); // the reader is gone
}

void print_row(const row &row, const emulated::counts &counts, const char *why)
{
    print_line(row, counts, why != nullptr ? "failed" : "counted", why != nullptr ? why : "-");
}

void print_left_out(const row &row, const char *why)
{
    print_line(row, {}, "left out", why);
}

void count(const row &row, unwritten_reads reads, const std::function<const char *()> &work)
{
    emulated::trace_start();
    const char *const failure = work();
    const cudaError_t error = cudaDeviceSynchronize();
    const emulated::counts counts = emulated::trace_stop();
    const std::string fault = failure != nullptr     ? failure
                              : error != cudaSuccess ? cudaGetErrorString(error)
                                                     : first_fault(reads);

    print_row(row, counts, fault.empty() ? nullptr : fault.c_str());
}

} // namespace tracer
