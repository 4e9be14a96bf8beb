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
    int64_t fused_side;    // the least side of images for variants that choose an engine by size
    int64_t halo;
    int block;                 // edge of the thread block; 0: each kernel's default
    bool packed;               // --transactions: images are placed as in the course (images.cpp)
    bool json;                 // print a document, else tables
    const char *const *groups; // GROUP or GROUP/ROW of the rows to count, then NULL; none: all rows
};

struct row {
    const char *group, *name;
    int64_t width, height; // the size at which the row was counted
    double flops;          // operations; 0: the row does next to no arithmetic
    double needed;         // bytes that the row must read and write, each counted once
    const char *shows;     // a sentence that says what the row shows
};

// Prints a sentence and ends the program, after a failure of the system itself.
[[noreturn]] void give_up(const char *what);

// Return device memory, which exists as long as the process: new_memory fills it with equal bytes,
// new_copy copies it from the host.
void *new_memory(size_t bytes);
void *new_copy(const void *host, size_t bytes);

bool is_wanted(const request &request, const char *group, const char *name);

// Returns true if is_wanted has been called for this name, GROUP or GROUP/ROW.
bool was_wanted(const char *name);

// Whether reads of unwritten shared memory are faults. They are allowed for variants, in which
// lanes beyond the end of an image's row read such values and do not use them.
enum class unwritten_reads { are_faults, are_allowed };

// Runs work(), which returns NULL or why it failed, counts every access, and prints the row.
// Returns false after a failure or a fault, since the counts cannot be trusted then.
bool count(const request &request, const row &row, unwritten_reads reads,
           const std::function<const char *()> &work);

// In print.cpp. print_row prints a row; the outcome is "counted", or with a reason "left out" or
// "failed". It also reports a failure on standard error. print_before is called before each row;
// `last` is the previous row or NULL.
void print_row(const request &request, const row &row, const emulated::counts &counts,
               const char *outcome, const char *why);
void print_before(const request &request, const row *last, const row &row);

// In processes.cpp. Runs work() in its own process; work() prints the row, and returns false if the
// row has failed. If the process dies, the row has failed too.
void run_apart(const request &request, const row &row, const std::function<bool()> &work);

// Called at the end of the program. Returns true if no row has failed.
bool all_good(const request &request);

void count_images(const request &request);
void count_experiments(const request &request);

} // namespace tracer

#endif
