// SPDX-License-Identifier: MIT
// Declares the parts of smoothimg-tracer, which counts the memory accesses of kernels on the
// emulated device.
#ifndef SMOOTHIMG_TRACER_H
#define SMOOTHIMG_TRACER_H

#include "src/emulator/trace/trace.h"

#include <functional>
#include <string>

namespace tracer
{

struct request {
    int64_t width, height; // size of the image or the matrices
    int64_t halo;
    int block;   // edge of the thread block; 0: each kernel's default
    bool packed; // --transactions: no gaps between rows of pixels (images.cpp)
    bool json;   // print a JSON document; else tables
    // The kernels to count, as GROUP or GROUP/NAME, then NULL; no names: all kernels.
    const char *const *groups;
};

struct row {
    const char *group, *name;
    int64_t width, height; // the size at which the kernel was counted
    double flops;          // floating-point operations; 0: not counted
    double needed;         // bytes that the kernel must read and write, each counted once
    const char *shows;     // a sentence: what the kernel demonstrates
};

// Prints a sentence and ends the program, or the process of one kernel. Called if nothing can be
// counted, for example for lack of memory.
[[noreturn]] void give_up(const char *what);

// These functions return device memory, which is never freed. new_memory fills it with equal bytes;
// new_copy copies its contents from the host.
void *new_memory(size_t bytes);
void *new_copy(const void *host, size_t bytes);

bool is_wanted(const request &request, const char *group, const char *name);

// Returns true if is_wanted has been called for this kernel or group, GROUP/NAME or GROUP.
bool was_wanted(const char *name);

// Says whether reads of unwritten shared memory are faults. Variants of smoothimg may read it: in
// the last block of a row of pixels, the threads beyond the row's end read values that no thread
// has written, and do not use them.
enum class unwritten_reads { are_faults, are_allowed };

// Runs work(), counts every access, and prints the kernel's row of the table. work() returns NULL,
// or the reason why it failed. Returns false after a failure or a fault: the counts are then not
// reliable.
bool count(const request &request, const row &row, unwritten_reads reads,
           const std::function<const char *()> &work);

// In print.cpp. print_row prints the line of a kernel; `outcome` is "counted", or, with the reason
// in `why`, "left out" or "failed". A failure is also printed to standard error. Call print_before
// before each kernel; `last` is the row printed before it, or NULL for the first kernel.
// print_before prints headings if the group or the size differs from that of `last`. For JSON it
// prints the text that comes before the row in the document.
void print_row(const request &request, const row &row, const emulated::counts &counts,
               const char *outcome, const char *why);
void print_before(const request &request, const row *last, const row &row);

// In processes.cpp. Runs work() in a process of its own; work() prints the kernel's row, and
// returns false if the kernel has failed. If the process dies, the kernel has failed too.
void run_apart(const request &request, const row &row, const std::function<bool()> &work);

// Call it after the last kernel. Ends the output. Returns true if no kernel has failed.
bool all_good(const request &request);

void count_images(const request &request);
void count_experiments(const request &request);

} // namespace tracer

#endif
