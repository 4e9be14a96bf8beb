// SPDX-License-Identifier: MIT
// Keeps a log of events (accesses and starts of basic blocks) for each thread of the block. When
// all lanes of a warp wait or have ended, the logs of these lanes are replayed (replay.cpp) and
// emptied.
#include "src/emulator/trace/log.h"
#include "src/emulator/exec/shared.h"

#include <algorithm>

namespace emulated
{

static std::vector<event> logs[MAX_THREADS];
static std::vector<event> *current_log; // the log of the running thread; NULL: no thread runs
// For each warp, the number of its lanes that neither wait nor have ended.
static unsigned running[MAX_THREADS / 32];
static lazy<std::vector<range>> arrays; // arrays in shared memory
// The lowest address of these arrays, and the end of the highest array.
static char *lowest_shared, *highest_shared;
static unsigned thread_total;
static uintptr_t program_start; // the load address

static bool is_shared(const char *address)
{
    if (address < lowest_shared || address >= highest_shared)
        return in_dynamic_shared(address);
    return std::any_of(arrays->begin(), arrays->end(), [=](const range &array) {
        return address >= array.start && address < array.start + array.bytes;
    });
}

void log_event(uintptr_t pc, void *address, unsigned bytes, event_kind kind)
{
    if (current_log == nullptr)
        return;
    const bool shared = kind != event_kind::basic_block && !in_device_memory(address);

    if (shared && !is_shared((char *)address))
        return;
    current_log->push_back({(char *)address, (int32_t)(pc - program_start), bytes, kind, shared});
}

// Collects the static shared arrays of the whole program, since functions that the kernel calls may
// also have such arrays.
static void grid_begins()
{
    *arrays = shared_arrays(nullptr);
    lowest_shared = highest_shared = nullptr;
    for (const range &array : *arrays) {
        if (lowest_shared == nullptr || array.start < lowest_shared)
            lowest_shared = array.start;
        highest_shared = std::max(highest_shared, array.start + array.bytes);
    }
}

static void block_begins(unsigned threads)
{
    thread_total = threads;
    for (unsigned i = 0; i < threads; i += 32)
        running[i / 32] = std::min(32u, threads - i);
    for (std::vector<event> &log : logs)
        log.clear();
    races_begin_block(threads);
}

static void runs(unsigned thread)
{
    current_log = &logs[thread];
}

static void stops(unsigned thread)
{
    const unsigned warp = thread / 32, first = warp * 32;

    current_log = nullptr;
    if (--running[warp] > 0)
        return;
    const unsigned lanes = std::min(32u, thread_total - first);

    replay(warp, logs + first, lanes);
    for (unsigned i = 0; i < lanes; i++)
        logs[first + i].clear();
}

static void block_meets()
{
    for (unsigned i = 0; i < thread_total; i += 32)
        running[i / 32] = std::min(32u, thread_total - i);
    races_block_meets();
}

static void atomic(unsigned thread, const void *address, std::size_t bytes)
{
    const bool shared = is_shared((const char *)address);

    if (shared || in_device_memory(address))
        races_check(
            thread,
            {(char *)const_cast<void *>(address), 0, (unsigned)bytes, event_kind::store, shared},
            true);
}

static void resume(const std::vector<unsigned> &threads, bool met)
{
    for (const unsigned thread : threads)
        running[thread / 32]++;
    if (met)
        races_meet(threads);
}

static void note(emulated::note what, const void *shared, unsigned number, const void *code)
{
    static constexpr event_kind kinds[] = {event_kind::arrival, event_kind::passage,
                                           event_kind::copy_to, event_kind::copy_from};

    current_log->push_back({(char *)const_cast<void *>(shared),
                            (int32_t)((uintptr_t)code - 1 - program_start), number,
                            kinds[(int)what], true});
}

static void copies(const void *memory, unsigned bytes, bool store, const void *code)
{
    log_event((uintptr_t)code - 1, const_cast<void *>(memory), bytes,
              store ? event_kind::store : event_kind::load);
}

static const observer tracer = {grid_begins, block_begins, runs, stops, block_meets,
                                atomic,      resume,       note, copies};

void trace_start(races wanted)
{
    const guard hold(big_lock);

    finish_all();
    sums = {};
    races_start(wanted);
    program_start = load_address();
    watcher = &tracer;
}

counts trace_stop()
{
    const guard hold(big_lock);

    finish_all();
    watcher = nullptr;
    return sums;
}

} // namespace emulated
