// SPDX-License-Identifier: MIT
// smoothimg-tracer: counts, on the emulated device, what the kernels ask of memory. Its parts.
#ifndef SMOOTHIMG_TRACER_H
#define SMOOTHIMG_TRACER_H

#include "src/emulator/trace/trace.h"

#include <functional>
#include <string>

namespace tracer
{

// What the command line asked for.
struct request {
    int64_t width, height; // of the image or the matrices
    int64_t fused_side;    // least side of images for variants that choose an engine by size
    int64_t halo;
    int block;                 // edge of the thread block; 0: each kernel's own
    bool packed;               // images lie as the course's did: see images.cpp
    const char *const *groups; // GROUP or GROUP/ROW, that are wanted, up to NULL; none: all
};

// A row of the table.
struct row {
    const char *group, *name;
    int64_t width, height; // at which it was counted
    double flops;          // 0: it does no sums worth the name
    double needed;         // bytes: what must be read and what must be written, once each
    const char *shows;     // a sentence: what to see here
};

// Ends the program with a sentence, where the machine itself fails.
[[noreturn]] void give_up(const char *what);

// Device memory, filled with bytes that are all alike, or copied from the host's. It lasts as
// long as the process.
void *new_memory(size_t bytes);
void *new_copy(const void *host, size_t bytes);

bool is_wanted(const request &request, const char *group, const char *name);

// What a row may do: the variants' lanes beyond the end of a row read shared memory that none has
// written, and do not use it. For experiments that is a fault.
enum class unwritten_reads { are_faults, are_allowed };

// Runs work(), which returns NULL or why it failed, with every access counted, and prints the row.
void count(const row &row, unwritten_reads reads, const std::function<const char *()> &work);

// The line for the row: see src/bench/transactions/transactions.c, which reads it. why is NULL, or
// says why the counts are not to be trusted, or why the row was left out.
void print_row(const row &row, const emulated::counts &counts, const char *why);
void print_left_out(const row &row, const char *why);

// processes.cpp: runs work(), which prints the row, in its own process, beside others; a process
// that dies makes its row a failed one. Lines come in the order of the calls.
void start(const row &row, const std::function<void()> &work);
void finish_all(); // before the program ends

void count_images(const request &request);
void count_experiments(const request &request);

} // namespace tracer

#endif
