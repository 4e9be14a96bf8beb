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
            to[i] = (char)((i < unit.bytes ? (unsigned char)unit.device[i] : 0) ^ complement);
    }
}

static void start_load(const bulk_copy &load, place where, const void *code)
{
    shared_pointer(load.shared, load.bytes, where);
    note_copy(note::copies_to, load, code);
    barrier_check_for_copy(load.barrier, where, code);
    check_free(load.shared, load.bytes, true, where);
    for (const unit &unit : load.units)
        if (unit.bytes > 0 && !is_allocated(running_device, unit.device, unit.bytes))
            fault_here(cudaErrorIllegalAddress, where, "copies from %p, which is not allocated",
                       (void *)unit.device);
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
        asked->units.push_back({to + i, (char *)const_cast<void *>(from) + i, 16});
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

void tile_load(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t barrier, place where)
{
    bulk_copy &load = box_of(map, x, y, to, false, where);

    load.barrier = barrier;
    start_load(load, where, CALLER);
}

} // namespace emulated
