// SPDX-License-Identifier: MIT
// Copies by the copy unit (cp.async.bulk, TMA). A GPU makes them at any time between the request
// and the end of a wait. Here:
//
// - A copy to shared memory overwrites its destination with the complement of the data at once, and
//   arrives as late as possible: when no thread can continue, and a thread waits for the copy's
//   barrier.
// - A copy from shared memory reads that memory only when the thread that requested the copy waits
//   for it.
//
// So a kernel that uses or overwrites data too early gives wrong results. In addition, accesses by
// functions of emulated_tensor.h that are too early are faults. So are copies of data that a thread
// has written without a fence, since the copy unit may not see such writes.
#include "src/emulator/exec/bulk/barriers.h"
#include "src/emulator/exec/bulk/bulk.h"
#include "src/emulator/exec/shared.h"
#include "src/emulator/exec/threads.h"

#include <algorithm>

namespace emulated
{

lazy<std::vector<bulk_copy>> loads, stores;
lazy<bulk_copy> asked;

namespace
{

struct written {
    uint32_t first, end;
};

} // namespace

// The ranges of shared memory that each thread has written since the thread's last fence.
static lazy<std::array<std::vector<written>, MAX_THREADS>> unfenced;
static bool has_copy_unit; // the device of the launch has a copy unit (TMA)

static bool overlap(const bulk_copy &copy, uint32_t first, uint32_t end)
{
    return copy.shared < end && first < copy.shared + copy.bytes;
}

bool any_overlaps(const std::vector<bulk_copy> &copies, uint32_t first, uint32_t end)
{
    return std::any_of(copies.begin(), copies.end(), [=](const bulk_copy &copy) {
        return !copy.was_read && overlap(copy, first, end);
    });
}

void bulk_begin_block()
{
    loads->clear();
    stores->clear();
    stores_begin_block();
    units_begin_block();
    has_copy_unit = capability() >= 9;
    for (unsigned i = 0; i < thread_count; i++)
        unfenced[i].clear();
}

void check_free(uint32_t address, unsigned bytes, bool writes, place where)
{
    if (any_overlaps(*loads, address, address + bytes) || is_copied_to(address, bytes))
        fault_here(cudaErrorLaunchFailure, where,
                   "uses shared memory that a copy is on its way to");
    if (writes && any_overlaps(*stores, address, address + bytes))
        fault_here(cudaErrorLaunchFailure, where,
                   "overwrites shared memory that a copy has yet to read");
}

void check_access(uint32_t address, unsigned bytes, bool writes, place where)
{
    check_free(address, bytes, writes, where);
    if (writes && has_copy_unit)
        unfenced[current_thread()].push_back({address, address + bytes});
}

void fence_for_tma(place where)
{
    need_capability(9, "the fence for bulk copies", where);
    unfenced[current_thread()].clear();
}

void check_fenced(const bulk_copy &store, place where)
{
    for (unsigned i = 0; i < thread_count; i++)
        for (const written &range : unfenced[i])
            if (overlap(store, range.first, range.end))
                fault_here(cudaErrorLaunchFailure, where,
                           "stores what %s has written without a fence", thread_name(i).c_str());
}

// Tells the tracer which device memory a copy reads or writes. Adjacent units, such as those of a
// row of a box, are recorded as one access.
static void note_global(note what, const bulk_copy &copy, const void *code)
{
    for (std::size_t i = 0; i < copy.units.size();) {
        const char *const first = copy.units[i].device;
        unsigned bytes = 0;

        while (i < copy.units.size() && copy.units[i].device == first + bytes &&
               copy.units[i].bytes > 0)
            bytes += copy.units[i++].bytes;
        if (bytes > 0)
            watcher->copies(first, bytes, what == note::copies_from, code);
        else
            i++;
    }
}

void note_copy(note what, const bulk_copy &copy, const void *code)
{
    if (watcher == nullptr)
        return;
    watcher->note(what, shared_pointer(copy.shared, copy.bytes, {}), copy.bytes, code);
    note_global(what, copy, code);
}

} // namespace emulated
