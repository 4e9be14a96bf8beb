// SPDX-License-Identifier: MIT
// Copies of 16 bytes to shared memory (cp.async). When such copies are done, the thread that
// requested them arrives at a barrier. The request overwrites the destination with the complement
// of the data. The data themselves are copied as late as possible: when no thread can continue, and
// a thread waits for the barrier.
#include "src/emulator/exec/bulk/barriers.h"
#include "src/emulator/exec/bulk/bulk.h"
#include "src/emulator/exec/shared.h"
#include "src/emulator/exec/threads.h"

#include <deque>
#include <unordered_set>

namespace emulated
{

namespace
{

struct unit_copies {
    std::vector<copy> copies;
    uint32_t barrier; // the barrier at which the thread arrives after these copies
};

} // namespace

template <typename T> using each_threads = lazy<std::array<T, MAX_THREADS>>;
static each_threads<std::vector<copy>> asked_for;       // requested since the thread's last arrival
static each_threads<std::deque<unit_copies>> under_way; // not done yet; oldest first
// The addresses in shared memory to which pending copies will write 16 bytes each.
static lazy<std::unordered_set<uint32_t>> destinations;

void units_begin_block()
{
    destinations->clear();
    for (unsigned i = 0; i < thread_count; i++) {
        asked_for[i].clear();
        under_way[i].clear();
    }
}

bool is_copied_to(uint32_t address, unsigned bytes)
{
    for (uint32_t unit = address / 16 * 16; unit < address + bytes; unit += 16)
        if (destinations->count(unit) != 0)
            return true;
    return false;
}

// As on a GPU, the copies of a warp are a load request and a store request. So the two requests
// need different addresses in the code, by which the tracer finds the lanes that take part in a
// request.
static void trace_unit(const copy &copy, const char *code)
{
    watcher->copies(copy.device, 16, false, code - 1);
    watcher->copies(shared_pointer(copy.shared, 16, {}), 16, true, code);
}

void unit_load(uint32_t to, const void *from, place where)
{
    need_capability(8, "an asynchronous copy", where);
    const copy unit = {to, static_cast<const char *>(from), 16};

    if (to % 16 != 0 || (uintptr_t)from % 16 != 0)
        fault_here(cudaErrorLaunchFailure, where,
                   "a copy of 16 bytes from %p to %#x: multiples of 16 are needed", from, to);
    if (!is_allocated(running_device, from, 16))
        fault_here(cudaErrorIllegalAddress, where, "copies from %p, which is not allocated", from);
    shared_memory(to, 16, where);
    if (watcher != nullptr)
        trace_unit(unit, (const char *)__builtin_return_address(0));
    copy_to_shared(unit, 0xff);
    destinations->insert(to);
    asked_for[current_thread()].push_back(unit);
}

void unit_loads_arrive(uint32_t barrier, place where)
{
    const unsigned self = current_thread();

    barrier_check_for_arrival(barrier, where, __builtin_return_address(0));
    under_way[self].push_back({std::move(asked_for[self]), barrier});
    asked_for[self].clear();
}

// Completes the thread's copies up to its last arrival at a barrier for which threads wait. A GPU
// completes copies in any order, but a thread's arrival follows all copies that the thread has
// requested before.
static bool end_copies(std::deque<unit_copies> &copies)
{
    std::size_t count = copies.size();

    while (count > 0 && !is_waited_for(copies[count - 1].barrier))
        count--;
    for (std::size_t i = 0; i < count; i++) {
        for (const copy &unit : copies[i].copies) {
            copy_to_shared(unit, 0);
            destinations->erase(unit.shared);
        }
        barrier_take_arrival(copies[i].barrier);
    }
    copies.erase(copies.begin(), copies.begin() + (std::ptrdiff_t)count);
    return count > 0;
}

bool units_arrive()
{
    bool any = false;

    for (unsigned i = 0; i < thread_count; i++)
        any |= end_copies(under_way[i]);
    return any;
}

bool units_end_block()
{
    return destinations->empty();
}

} // namespace emulated
