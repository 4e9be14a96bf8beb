// SPDX-License-Identifier: MIT
// Copies by the copy unit (cp.async.bulk, TMA). A GPU makes them at any time between the request
// and the end of a wait. Here a copy overwrites its destination with the complement of the data at
// once, and arrives as late as possible: when no thread can continue, and a thread waits for the
// copy's barrier. So a kernel that uses data too early gives wrong results. In addition, accesses
// by functions of emulated_tensor.h that are too early are faults.
#include "src/emulator/exec/bulk/barriers.h"
#include "src/emulator/exec/bulk/bulk.h"
#include "src/emulator/exec/shared.h"
#include "src/emulator/exec/threads.h"

#include <algorithm>

namespace emulated
{

lazy<std::vector<bulk_copy>> loads;
lazy<bulk_copy> asked;

static bool overlap(const bulk_copy &copy, uint32_t first, uint32_t end)
{
    return copy.shared < end && first < copy.shared + copy.bytes;
}

void bulk_begin_block()
{
    loads->clear();
    units_begin_block();
}

void check_access(uint32_t address, unsigned bytes, place where)
{
    const auto overlaps = [=](const bulk_copy &copy) {
        return overlap(copy, address, address + bytes);
    };

    if (std::any_of(loads->begin(), loads->end(), overlaps) || is_copied_to(address, bytes))
        fault_here(cudaErrorLaunchFailure, where,
                   "uses shared memory that a copy is on its way to");
}

void fence_for_tma(place where)
{
    need_capability(9, "the fence for bulk copies", where);
}

void note_copy(const bulk_copy &copy, const void *code)
{
    if (watcher == nullptr)
        return;
    watcher->note(note::copies_to, shared_pointer(copy.shared, copy.bytes, {}), copy.bytes, code);
    watcher->copies(copy.units.front().device, copy.bytes, false, code);
}

} // namespace emulated
