// SPDX-License-Identifier: MIT
// Bulk copies to shared memory.
#include "src/emulator/exec/bulk/barriers.h"
#include "src/emulator/exec/bulk/bulk.h"
#include "src/emulator/exec/shared.h"
#include "src/emulator/exec/threads.h"

#include <algorithm>

#define CALLER __builtin_return_address(0)

namespace emulated
{

void copy_to_shared(const std::vector<unit> &units, unsigned char complement)
{
    for (const unit &unit : units) {
        char *to = shared_pointer(unit.shared, 16, {});

        for (unsigned i = 0; i < 16; i++)
            to[i] = (char)((unsigned char)unit.device[i] ^ complement);
    }
}

static void start_load(const bulk_copy &load, place where, const void *code)
{
    shared_pointer(load.shared, load.bytes, where);
    note_copy(load, code);
    barrier_check_for_copy(load.barrier, where, code);
    check_access(load.shared, load.bytes, where);
    for (const unit &unit : load.units)
        if (!is_allocated(running_device, unit.device, 16))
            fault_here(cudaErrorIllegalAddress, where, "copies from %p, which is not allocated",
                       (const void *)unit.device);
    copy_to_shared(load.units, 0xff);
    loads->push_back(load);
}

void row_load(uint32_t to, const void *from, uint32_t bytes, uint32_t barrier, place where)
{
    need_capability(9, "a bulk copy", where);
    if (to % 16 != 0 || (uintptr_t)from % 16 != 0 || bytes % 16 != 0)
        fault_here(cudaErrorLaunchFailure, where,
                   "a copy of %u bytes from %p to %#x: multiples of 16 are needed", bytes, from,
                   to);
    *asked = {};
    asked->shared = to;
    asked->bytes = bytes;
    asked->barrier = barrier;
    for (uint32_t i = 0; i < bytes; i += 16)
        asked->units.push_back({to + i, static_cast<const char *>(from) + i});
    start_load(*asked, where, CALLER);
}

bool bulk_arrive()
{
    const auto is_early = [](const bulk_copy &load) { return !is_waited_for(load.barrier); };
    const auto first = std::stable_partition(loads->begin(), loads->end(), is_early);
    const std::vector<bulk_copy> arriving(first, loads->end());

    loads->erase(first, loads->end());
    for (const bulk_copy &load : arriving) {
        copy_to_shared(load.units, 0);
        barrier_take(load.barrier, load.bytes);
    }
    return units_arrive() || !arriving.empty();
}

bool bulk_end_block()
{
    if (loads->empty() && units_end_block())
        return true;
    fault(cudaErrorLaunchFailure, "%s: has ended before a copy to its shared memory",
          where_running().c_str());
    return false;
}

} // namespace emulated
