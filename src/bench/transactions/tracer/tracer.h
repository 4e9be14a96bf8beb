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
    bool packed;               // --transactions: images lie as the course's did, see images.cpp
    bool json;                 // a document, else tables
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

// Has is_wanted been asked after a row of this name, GROUP or GROUP/ROW?
bool was_wanted(const char *name);

// What a row may do: the variants' lanes beyond the end of a row read shared memory that none has
// written, and do not use it. For experiments that is a fault.
enum class unwritten_reads { are_faults, are_allowed };

// Runs work(), which returns NULL or why it failed, with every access counted, and prints the row.
// False: it failed, or the counts are not to be trusted.
bool count(const request &request, const row &row, unwritten_reads reads,
           const std::function<const char *()> &work);

// print.cpp: the row; an outcome of "counted", "left out" or "failed", the latter two with why. A
// failure is also told on standard error. Before each row, with the one before it or NULL; and
// after the last one.
void print_row(const request &request, const row &row, const emulated::counts &counts,
               const char *outcome, const char *why);
void print_before(const request &request, const row *last, const row &row);
void print_after(const request &request);

// processes.cpp: runs work(), which prints the row and returns whether it is good, in its own
// process; if that dies, the row is a failed one.
void run_apart(const request &request, const row &row, const std::function<bool()> &work);
bool all_good(const request &request); // before the program ends: were all rows good?

void count_images(const request &request);
void count_experiments(const request &request);

} // namespace tracer

#endif
