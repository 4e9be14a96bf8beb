// SPDX-License-Identifier: MIT
// What the files of the emulated device share. big_lock lets one host thread in at a time.
#ifndef SMOOTHIMG_EMULATED_MACHINE_H
#define SMOOTHIMG_EMULATED_MACHINE_H

#define EMULATED_MACHINE
#include "src/emulator/emulated.h"

#include <cstdint>
#include <cuda_runtime.h>
#include <functional>
#include <mutex>
#include <vector>

namespace emulated
{

constexpr unsigned MAX_THREADS = 1024;               // of a block
constexpr std::size_t SHARED_BYTES = 48 << 10;       // of a block, by default
constexpr std::size_t SHARED_BYTES_ROOM = 227 << 10; // the largest opt-in limit
std::size_t shared_bytes_optin();                    // opt-in limit of this capability

// device.cpp: errors.
using guard = std::lock_guard<std::recursive_mutex>;
extern std::recursive_mutex &big_lock;
constexpr int MAX_DEVICES = 16;
extern thread_local int current_device; // of the calling thread
extern int running_device;              // the device whose work runs: faults are its own
extern cudaError_t sticky[MAX_DEVICES];
inline cudaError_t sticky_error()
{
    return sticky[current_device];
}
inline bool faulted()
{
    return sticky[running_device] != cudaSuccess;
}
// Counts a request to a device. The device EMULATED_FAILING_DEVICE fails for good after
// EMULATED_FAILS_AFTER requests. Returns the device's sticky error.
cudaError_t count_request(int device);
cudaError_t fail(cudaError_t error);                   // stores it for cudaGetLastError, returns it
void fault(cudaError_t error, const char *format, ...) // sticky; prints the message
    __attribute__((format(printf, 2, 3)));

// symbols.cpp: the static __shared__ arrays of a kernel, or of all kernels (NULL).
struct range {
    char *start;
    std::size_t bytes;
};
const std::vector<range> &shared_arrays(const void *kernel);
// The program's load address minus its address in the file.
uintptr_t load_address();

// memory.cpp
unsigned char poison();
constexpr std::size_t ARENA_BYTES = (std::size_t)64 << 30;
extern char *arena; // contains all device memory
inline bool in_device_memory(const void *address)
{
    return (uintptr_t)address - (uintptr_t)arena < ARENA_BYTES && arena != nullptr;
}
bool is_allocated(const void *start,
                  std::size_t bytes); // within one allocation of the current device
// Let kernels and copies access device memory. Outside, ASan reports every access by the host.
void memory_open();
void memory_close();
// Faults if a byte next to an allocation was overwritten.
void memory_check(const char *kernel);
void reset_memory(); // of the current device

// stream.cpp: appends work, which runs when somebody waits for the stream.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);
// Run, or drop, the pending work of all streams of the current device.
void finish_all();
void reset_streams();

// scheduler.cpp: runs a kernel to its end or its first fault.
struct launch_site {
    const char *name;
    const void *kernel;
    dim3 grid, block;
    std::size_t shared_bytes; // dynamic
    std::function<void()> thread;
};
void run_grid(const launch_site &site);

// Does the calling host thread run a kernel? Ends that kernel with a fault, from a signal handler.
bool in_kernel();
[[noreturn]] void give_up(const void *address);
// For messages: "kernel, block (0,1,0)" and "thread (3,0,0)".
std::string where_running();
std::string thread_name(unsigned thread);

// Callbacks for the tracer. A thread runs between `runs` and `stops`. block_meets, lanes_meet: all
// threads of the block, or these lanes of a warp, have reached a barrier and continue.
struct observer {
    void (*grid_begins)();
    void (*block_begins)(unsigned threads);
    void (*runs)(unsigned thread);
    void (*stops)(unsigned thread);
    void (*block_meets)();
    void (*lanes_meet)(unsigned warp, unsigned lanes);
    void (*atomic)(unsigned thread, const void *address, std::size_t bytes);
};
extern const observer *watcher; // NULL: no tracing

} // namespace emulated

#endif
