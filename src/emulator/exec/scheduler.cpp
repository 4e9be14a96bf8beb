// SPDX-License-Identifier: MIT
// Runs the blocks of a grid one after another, and the threads of a block in turns, each until it
// ends or waits. A fiber is a stack on which threads of the block run. One fiber runs thread after
// thread as long as no thread waits, so a kernel without barriers needs one fiber and no switches
// between fibers. When a thread waits, the next thread begins on another fiber. When all threads
// wait or have ended, rendezvous.cpp decides which of them continue.
#include "src/emulator/exec/bulk/barriers.h"
#include "src/emulator/exec/shared.h"
#include "src/emulator/exec/signals.h"
#include "src/emulator/exec/threads.h"

#include <algorithm>
#include <cstdarg>
#include <pthread.h>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace emulated
{

const observer *watcher;

thread threads[MAX_THREADS];
unsigned thread_count;
// started: how many threads of the block have begun. live: how many threads have not ended; threads
// that have not begun count too.
static unsigned started, live;
static unsigned current;                  // the running thread
static lazy<std::vector<unsigned>> turns; // all threads, in the order in which they run
static lazy<std::vector<fiber *>> idle;   // fibers that run no thread
static fiber host_fiber;
static fiber *running; // the fiber that runs; NULL: the host's stack
static pthread_t host_thread;
const launch_site *site;
static int site_capability; // the major compute capability of the device whose kernel runs

bool in_kernel()
{
    return running != nullptr && pthread_equal(host_thread, pthread_self());
}

int current_lane()
{
    return (int)(current % 32);
}

unsigned current_thread()
{
    return current;
}

unsigned current_warp()
{
    return current / 32;
}

static void leave_for_host()
{
    fiber &self = *running;

    running = nullptr;
    fiber_switch(self, host_fiber);
}

void give_up(const void *address)
{
    const bool overflow = fiber_overflowed(*running, address);

    fault(cudaErrorIllegalAddress, "%s, %s: %s %p", where_running().c_str(),
          thread_name(current).c_str(),
          overflow ? "stack overflow (64 KiB) at" : "no device memory at", address);
    leave_for_host();
    abort();
}

static void go_on(unsigned thread)
{
    current = thread;
    threadIdx = threads[thread].index;
    if (watcher != nullptr)
        watcher->runs(thread);
}

// Suspends the current thread until it is ready again.
static void wait()
{
    const unsigned self = current;

    if (watcher != nullptr)
        watcher->stops(self);
    leave_for_host();
    go_on(self);
}

static uint64_t wait_as(status state, uint64_t bits, place where)
{
    thread &t = threads[current];

    t.state = state;
    t.bits = bits;
    t.where = where;
    wait();
    return t.bits;
}

bool wait_for_block(bool vote, place where)
{
    return wait_as(status::at_block, vote, where) != 0;
}

void wait_at_barrier(uint32_t barrier, unsigned parity, place where)
{
    threads[current].barrier = barrier;
    threads[current].parity = parity;
    wait_as(status::at_barrier, 0, where);
}

uint64_t wait_for_lanes(warp_op op, unsigned mask, uint64_t bits, int source, place where)
{
    const unsigned self = current;
    thread &t = threads[self];

    t.state = status::at_lanes;
    t.op = op;
    t.mask = mask;
    t.bits = bits;
    t.source = source;
    t.where = where;
    if ((mask >> (self % 32) & 1) == 0) {
        fault(cudaErrorLaunchFailure, "%s: %s but is not in its own mask %08x",
              where_running().c_str(), waiting(self).c_str(), mask);
        leave_for_host();
    }
    wait();
    return t.bits;
}

void note_atomic(const void *address, std::size_t bytes)
{
    if (watcher != nullptr)
        watcher->atomic(current, address, bytes);
}

void await_kernel_before()
{
    threads[current].awaited = true;
}

void fault_here(cudaError_t error, place where, const char *format, ...)
{
    char text[500];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fault(error, "%s, %s at %s:%d: %s", where_running().c_str(), thread_name(current).c_str(),
          where.file, where.line, text);
    leave_for_host();
    abort();
}

void need_capability(int major, const char *what, place where)
{
    if (site_capability < major)
        fault_here(cudaErrorLaunchFailure, where, "%s needs compute capability %d.0", what, major);
}

void check_that_it_awaited()
{
    if (threads[current].awaited)
        return;
    fault(cudaErrorLaunchFailure, "%s, %s: a kernel of LAUNCH_NEXT must call await_kernel_before()",
          where_running().c_str(), thread_name(current).c_str());
    leave_for_host();
}

// The body of every fiber: runs the threads that have not begun, one after another.
static void fiber_body()
{
    for (;;) {
        while (started < thread_count) {
            const unsigned self = turns[started++];

            threads[self].on = running;
            threads[self].state = status::ready;
            go_on(self);
            site->thread();
            threads[self].state = status::exited;
            live--;
            if (watcher != nullptr)
                watcher->stops(self);
        }
        idle->push_back(running);
        leave_for_host();
    }
}

static void enter(fiber *fiber)
{
    running = fiber;
    fiber_switch(host_fiber, *fiber);
}

static bool begin_thread()
{
    fiber *fresh = idle->empty() ? fiber_create(fiber_body) : idle->back();

    if (fresh == nullptr) {
        fault(cudaErrorLaunchFailure, "no memory for a thread's stack");
        return false;
    }
    if (!idle->empty())
        idle->pop_back();
    enter(fresh);
    return true;
}

static void begin_block()
{
    started = 0;
    live = thread_count;
    for (unsigned i = 0; i < thread_count; i++) {
        threads[i].state = status::unstarted;
        threads[i].awaited = false;
    }
    shuffle_if_random(*turns);
    shared_refill(*site);
    pipelines_begin_block();
    barriers_begin_block();
    bulk_begin_block();
    block_meetings = 0;
    if (watcher != nullptr)
        watcher->block_begins(thread_count);
}

// Returns false after a fault.
static bool run_block()
{
    begin_block();
    while (started < thread_count)
        if (!begin_thread() || faulted())
            return false;
    while (live > 0) {
        if (!release_waiting())
            return false;
        for (const unsigned thread : *turns)
            if (threads[thread].state == status::ready) {
                enter(threads[thread].on);
                if (faulted())
                    return false;
            }
    }
    return !faulted() && bulk_end_block() && barriers_end_block();
}

// Called after a fault. Destroys all fibers, since a fiber that is suspended within a thread cannot
// be used again.
static void drop_fibers()
{
    std::vector<fiber *> dropped = *idle;

    if (watcher != nullptr)
        watcher->stops(current);

    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i].state != status::unstarted && threads[i].state != status::exited)
            dropped.push_back(threads[i].on);
    std::sort(dropped.begin(), dropped.end());
    dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
    std::for_each(dropped.begin(), dropped.end(), fiber_destroy);
    idle->clear();
}

static void place_threads()
{
    thread_count = blockDim.x * blockDim.y * blockDim.z;
    for (unsigned i = 0; i < thread_count; i++)
        threads[i].index = {i % blockDim.x, i / blockDim.x % blockDim.y,
                            i / blockDim.x / blockDim.y};
    *turns = numbers_in_order(thread_count);
}

void run_grid(const launch_site &launch)
{
    const signal_guard signals;
    bool right = true;

    site = &launch;
    site_capability = capability();
    host_thread = pthread_self();
    gridDim = launch.grid;
    blockDim = launch.block;
    next_order();
    place_threads();
    memory_open();
    shared_open(launch);
    if (watcher != nullptr)
        watcher->grid_begins();
    for (const unsigned block : numbers_in_order((std::size_t)gridDim.x * gridDim.y * gridDim.z)) {
        blockIdx = {block % gridDim.x, block / gridDim.x % gridDim.y,
                    block / gridDim.x / gridDim.y};
        right = run_block();
        if (!right)
            break;
    }
    if (!right)
        drop_fibers();
    shared_close();
    memory_close();
    memory_check(launch.name);
    shared_check(launch.name);
}

} // namespace emulated
