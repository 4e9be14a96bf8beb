// SPDX-License-Identifier: MIT
// What the parts of the emulated device know of each other. One host thread at a time is in it.
#ifndef SMOOTHIMG_EMULATED_MACHINE_H
#define SMOOTHIMG_EMULATED_MACHINE_H

#define EMULATED_MACHINE
#include "emulated.h"

#include <cstdint>
#include <cuda_runtime.h>
#include <functional>
#include <mutex>
#include <vector>

namespace emulated
{

constexpr unsigned MAX_THREADS = 1024;               // in a block
constexpr std::size_t SHARED_BYTES = 48 << 10;       // what a block gets unasked
constexpr std::size_t SHARED_BYTES_ROOM = 227 << 10; // what any device may give it
std::size_t shared_bytes_optin();                    // what it gets if asked, by capability

// device.cpp: errors.
using guard = std::lock_guard<std::recursive_mutex>;
extern std::recursive_mutex &big_lock;
constexpr int MAX_DEVICES = 16;
extern thread_local int current_device; // of the calling thread
extern int running_device;              // whose work is being done: a fault is its own
extern cudaError_t sticky[MAX_DEVICES];
inline cudaError_t sticky_error()
{
    return sticky[current_device];
}
inline bool faulted()
{
    return sticky[running_device] != cudaSuccess;
}
// Counts what is asked of a device, and breaks the one that EMULATED_FAILING_DEVICE names once that
// is more than EMULATED_FAILS_AFTER. Returns its sticky error.
cudaError_t count_request(int device);
cudaError_t fail(cudaError_t error);                   // remembers it, and returns it
void fault(cudaError_t error, const char *format, ...) // sticky, with a report
    __attribute__((format(printf, 2, 3)));

// symbols.cpp: the static __shared__ arrays of a kernel, or with NULL of all of them.
struct range {
    char *start;
    std::size_t bytes;
};
const std::vector<range> &shared_arrays(const void *kernel);
// What was added to all addresses in the program's file when it was loaded.
uintptr_t load_address();

// memory.cpp
unsigned char poison();
constexpr std::size_t ARENA_BYTES = (std::size_t)64 << 30;
extern char *arena; // all device memory is in it
inline bool in_device_memory(const void *address)
{
    return (uintptr_t)address - (uintptr_t)arena < ARENA_BYTES && arena != nullptr;
}
bool is_allocated(const void *start, std::size_t bytes); // within one of the current device's
// Device memory is for kernels and copies only: under ASan the host's accesses are caught.
void memory_open();
void memory_close();
// Has anything been written beside the allocations? Then that is a fault.
void memory_check(const char *kernel);
void reset_memory(); // of the current device

// stream.cpp: appends work to be done when the stream is waited for.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);
// What all streams of the current device still have to do; or to forget.
void finish_all();
void reset_streams();

// scheduler.cpp: runs a kernel to its end, or to its first fault.
struct launch_site {
    const char *name;
    const void *kernel;
    dim3 grid, block;
    std::size_t shared_bytes; // dynamic
    std::function<void()> thread;
};
void run_grid(const launch_site &site);

// Whether the calling thread runs a kernel; and gives that kernel up, from a signal handler.
bool in_kernel();
[[noreturn]] void give_up(const void *address);
// "kernel, block (0,1,0)", and for a thread of that block " thread (3,0,0)": for reports.
std::string where_running();
std::string thread_name(unsigned thread);

// Whoever traces is told what happens. A thread runs between `runs` and `stops`; `meet` says that
// all threads of the block, or the given lanes of a warp, have waited for each other and may go on.
struct observer {
    void (*grid_begins)();
    void (*block_begins)(unsigned threads);
    void (*runs)(unsigned thread);
    void (*stops)(unsigned thread);
    void (*block_meets)();
    void (*lanes_meet)(unsigned warp, unsigned lanes);
    void (*atomic)(unsigned thread, const void *address, std::size_t bytes);
};
extern const observer *watcher; // NULL: nobody

} // namespace emulated

#endif
