// SPDX-License-Identifier: MIT
// The internal interface of the emulated device, ordered by source file. Host threads hold big_lock
// while they use the device, so only one does at a time.
#ifndef SMOOTHIMG_EMULATED_MACHINE_H
#define SMOOTHIMG_EMULATED_MACHINE_H

#define EMULATED_MACHINE
#include "src/emulator/emulated.h"

#include <array>
#include <cstdint>
#include <cuda_runtime.h>
#include <functional>
#include <mutex>
#include <vector>

namespace emulated
{

// A variable that is created on first use and never destroyed. So a program that uses no device
// runs no code of the emulator, and a program may exit while other threads still use the device.
// Only one host thread at a time may use the variable.
template <typename T> class lazy
{
  public:
    T &operator*()
    {
        if (made == nullptr)
            made = new T{};
        return *made;
    }
    T *operator->()
    {
        return &**this;
    }
    auto &operator[](auto index)
    {
        return (**this)[index];
    }

  private:
    T *made = nullptr;
};

constexpr unsigned MAX_THREADS = 1024;               // in a block
constexpr std::size_t SHARED_BYTES = 48 << 10;       // default limit for a block
constexpr std::size_t SHARED_BYTES_ROOM = 227 << 10; // the largest opt-in limit
std::size_t shared_bytes_optin();                    // opt-in limit of the emulated device
int capability(); // major compute capability of the emulated device

// device.cpp: the lock, the current device, and errors.
using guard = std::lock_guard<std::recursive_mutex>;
extern std::recursive_mutex big_lock;
constexpr int MAX_DEVICES = 16;
extern thread_local int current_device; // the calling host thread's device, set by cudaSetDevice
extern int running_device; // the device whose work runs now, for which faults are recorded
extern cudaError_t sticky[MAX_DEVICES]; // each device's fault; later calls for the device return it
inline cudaError_t sticky_error()
{
    return sticky[current_device];
}
inline bool faulted()
{
    return sticky[running_device] != cudaSuccess;
}
// Counts a request to a device. For tests, the device whose number is in the environment variable
// EMULATED_FAILING_DEVICE fails for good after EMULATED_FAILS_AFTER requests. Returns the device's
// sticky error.
cudaError_t count_request(int device);
// Stores the error for cudaGetLastError, and returns it.
cudaError_t fail(cudaError_t error);
// Makes the error sticky for running_device, and prints the message to standard error.
void fault(cudaError_t error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// symbols.cpp: returns the static __shared__ arrays of a kernel or, if `kernel` is NULL, of all
// kernels.
struct range {
    char *start;
    std::size_t bytes;
};
const std::vector<range> &shared_arrays(const void *kernel);
// Returns the difference between an address in the running program and the same address in its
// file.
uintptr_t load_address();

// memory.cpp: The byte that fills memory from cudaMalloc, and shared memory at the start of each
// block. The environment variable EMULATED_POISON sets it, as a hexadecimal number; the default is
// 0xff, which makes every float a NaN.
unsigned char poison();
constexpr std::size_t ARENA_BYTES = (std::size_t)64 << 30;
extern char *arena; // contains all device memory
inline bool in_device_memory(const void *address)
{
    return (uintptr_t)address - (uintptr_t)arena < ARENA_BYTES && arena != nullptr;
}
// True if these bytes lie within one allocation of the device.
bool is_allocated(int device, const void *start, std::size_t bytes);
// Kernels and copies may access device memory between these two calls. At other times
// AddressSanitizer reports every access by the host.
void memory_open();
void memory_close();
// Faults if a byte before or after an allocation was overwritten. `kernel` is for the message.
void memory_check(const char *kernel);
void reset_memory(); // frees all memory of the current device

// stream.cpp: appends work to a stream. Before that, runs the pending work of the device's blocking
// streams if `stream` is the default stream, or of the default stream if `stream` is a blocking
// one. The work itself runs later; see stream.cpp.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);
// For all streams of the current device: finish_all() runs the pending work, reset_streams() drops
// it.
void finish_all();
void reset_streams();

// scheduler.cpp: runs a kernel to its end or its first fault.
struct launch_site {
    const char *name;
    const void *kernel;
    dim3 grid, block;
    std::size_t shared_bytes;     // bytes of dynamic shared memory
    std::function<void()> thread; // calls the kernel, as one thread of the grid
};
void run_grid(const launch_site &site);

bool in_kernel(); // true if the calling host thread is running a kernel's code
// Called by a signal handler while a kernel runs: ends the kernel with a fault for this address.
[[noreturn]] void give_up(const void *address);
// For messages: "kernel, block (0,1,0)" and "thread (3,0,0)".
std::string where_running();
std::string thread_name(unsigned thread);

enum class note { arrives, passes, copies_to };

// Callbacks for the tracer. `runs` and `stops` are called when a thread begins to run and when it
// stops, to wait or because it has ended. `block_meets` is called when all threads of the block
// have reached a barrier and continue.
struct observer {
    void (*grid_begins)();
    void (*block_begins)(unsigned threads);
    void (*runs)(unsigned thread);
    void (*stops)(unsigned thread);
    void (*block_meets)();
    void (*atomic)(unsigned thread, const void *address, std::size_t bytes);
    // These threads continue after a wait that is not a barrier of the whole block. `met` is true
    // if the wait was __syncwarp, which orders the accesses of all these threads.
    void (*resume)(const std::vector<unsigned> &threads, bool met);
    // arrives, passes: the running thread arrives at a barrier in shared memory, or ends its wait
    // there, in the phase `number`. copies_to: the thread copies `number` bytes to shared memory.
    // `code` is an address in the kernel's code.
    void (*note)(note what, const void *shared, unsigned number, const void *code);
    // The running thread has requested an asynchronous copy that loads or stores these bytes of
    // global or shared memory. Copies whose accesses the hooks of the tracer see do not call this.
    void (*copies)(const void *memory, unsigned bytes, bool store, const void *code);
};
extern const observer *watcher; // NULL: no tracing

} // namespace emulated

#endif
