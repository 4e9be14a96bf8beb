// The parts of smoothimg-tracer, which counts, on the emulated device, the memory accesses of
// kernels.
#ifndef SMOOTHIMG_TRACER_H
#define SMOOTHIMG_TRACER_H

#include "src/emulator/trace/trace.h"

#include <functional>
#include <string>

namespace tracer
{

// The request of the command line.
struct request {
    int64_t width, height; // of the image or the matrices
    int64_t fused_side;    // the least side of images for variants that choose an engine by size
    int64_t halo;
    int block;   // edge of the thread block; 0: each kernel's own
    bool packed; // --transactions: images are placed as in the course (images.cpp)
    bool json;   // a document, else tables
    const char *const
        *groups; // the selected names, GROUP or GROUP/ROW, up to NULL; if there are none, all rows
};

// A row of the table.
struct row {
    const char *group, *name;
    int64_t width, height; // at which it was counted
    double flops;          // 0: it does next to no arithmetic
    double needed;         // bytes that must be read and that must be written, once each
    const char *shows;     // a sentence: what to see here
};

// Ends the program with a sentence, after a failure of the system itself.
[[noreturn]] void give_up(const char *what);

// Returns device memory, copied from the host's or filled with equal bytes. It exists as long as
// the process.
void *new_memory(size_t bytes);
void *new_copy(const void *host, size_t bytes);

bool is_wanted(const request &request, const char *group, const char *name);

// True if is_wanted has been called for a row of this name, GROUP or GROUP/ROW.
bool was_wanted(const char *name);

// Whether reads of unwritten shared memory are faults. The lanes of variants that are beyond the
// end of a row do such reads and do not use the values. In experiments they are faults.
enum class unwritten_reads { are_faults, are_allowed };

// Runs work(), which returns NULL or why it failed, counts every access, and prints the row.
// Returns false if it failed, or if the counts cannot be trusted.
bool count(const request &request, const row &row, unwritten_reads reads,
           const std::function<const char *()> &work);

// print.cpp: prints a row; the outcome is "counted", "left out" or "failed", the latter two with a
// reason. A failure is also reported on standard error. print_before() is called before each row,
// with the previous row or NULL.
void print_row(const request &request, const row &row, const emulated::counts &counts,
               const char *outcome, const char *why);
void print_before(const request &request, const row *last, const row &row);

// processes.cpp: runs work(), which prints the row and returns whether it is good, in its own
// process; if that dies, the row is a failed one.
void run_apart(const request &request, const row &row, const std::function<bool()> &work);
bool all_good(const request &request); // called before the program ends: true if all rows were good

void count_images(const request &request);
void count_experiments(const request &request);

} // namespace tracer

#endif
