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

namespace
{

struct bulk_copy : copy {
    uint32_t barrier; // the barrier at which the copy arrives
};

} // namespace

static lazy<std::vector<bulk_copy>> pending;

void bulk_begin_block()
{
    pending->clear();
    units_begin_block();
}

void check_access(uint32_t address, unsigned bytes, place where)
{
    const auto overlaps = [=](const bulk_copy &copy) {
        return copy.shared < address + bytes && address < copy.shared + copy.bytes;
    };

    if (std::any_of(pending->begin(), pending->end(), overlaps) || is_copied_to(address, bytes))
        fault_here(cudaErrorLaunchFailure, where,
                   "uses shared memory that a copy is on its way to");
}

void fence_for_tma(place where)
{
    need_capability(9, "the fence for bulk copies", where);
}

void copy_to_shared(const copy &copy, unsigned char complement)
{
    char *to = shared_pointer(copy.shared, copy.bytes, {});

    for (uint32_t i = 0; i < copy.bytes; i++)
        to[i] = (char)((unsigned char)copy.device[i] ^ complement);
}

void row_load(uint32_t to, const void *from, uint32_t bytes, uint32_t barrier, place where)
{
    const void *const code = __builtin_return_address(0);
    const bulk_copy row = {{to, static_cast<const char *>(from), bytes}, barrier};

    need_capability(9, "a bulk copy", where);
    if (to % 16 != 0 || (uintptr_t)from % 16 != 0 || bytes % 16 != 0)
        fault_here(cudaErrorLaunchFailure, where,
                   "a copy of %u bytes from %p to %#x: multiples of 16 are needed", bytes, from,
                   to);
    const char *const shared = shared_pointer(to, bytes, where);

    if (watcher != nullptr) {
        watcher->note(note::copies_to, shared, bytes, code);
        watcher->copies(from, bytes, false, code);
    }
    barrier_check_for_copy(barrier, where, code);
    check_access(to, bytes, where);
    if (!is_allocated(running_device, from, bytes))
        fault_here(cudaErrorIllegalAddress, where,
                   "copies %u bytes from %p, which are not allocated", bytes, from);
    copy_to_shared(row, 0xff);
    pending->push_back(row);
}

bool bulk_arrive()
{
    const auto is_early = [](const bulk_copy &copy) { return !is_waited_for(copy.barrier); };
    const auto first = std::stable_partition(pending->begin(), pending->end(), is_early);
    const std::vector<bulk_copy> arriving(first, pending->end());

    pending->erase(first, pending->end());
    for (const bulk_copy &copy : arriving) {
        copy_to_shared(copy, 0);
        barrier_take(copy.barrier, copy.bytes);
    }
    return units_arrive() || !arriving.empty();
}

bool bulk_end_block()
{
    if (pending->empty() && units_end_block())
        return true;
    fault(cudaErrorLaunchFailure, "%s: has ended before a copy to its shared memory",
          where_running().c_str());
    return false;
}

} // namespace emulated
