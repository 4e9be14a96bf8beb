// SPDX-License-Identifier: MIT
// Copies by the copy unit (cp.async.bulk, TMA). A GPU makes them at any time between the request
// and the end of a wait. Here:
//
// - A copy to shared memory overwrites its destination with the complement of the data at once, and
//   arrives as late as it may: when no thread can go on, and one waits for the copy's barrier.
// - A copy from shared memory reads it when its thread waits for that.
//
// So what a kernel uses or overwrites too early is wrong. Accesses by functions of
// emulated_tensor.h are faults besides, and writes that the copy unit may not see yet.
#include "src/emulator/exec/barriers.h"
#include "src/emulator/exec/shared.h"
#include "src/emulator/exec/tensor_map.h"
#include "src/emulator/exec/threads.h"

#include <algorithm>
#include <cstring>

namespace emulated
{

namespace
{

// 16 bytes of shared memory and `bytes` of device memory; to shared memory zeros follow those.
struct unit {
    uint32_t shared;
    char *device;
    unsigned bytes;
};

struct bulk_copy {
    std::vector<unit> units;
    uint32_t shared, bytes; // all that it touches there
    uint32_t barrier;       // of one to shared memory
    unsigned thread;        // of one from shared memory, as is what follows
    bool committed;         // to a group
    unsigned long group;
    bool was_read;
    std::vector<char> data;
};

struct written {
    uint32_t first, end;
};

} // namespace

static std::vector<bulk_copy> &loads = *new std::vector<bulk_copy>;
static std::vector<bulk_copy> &stores = *new std::vector<bulk_copy>;
// The copy that the running thread asks for: a fault would leave one on its stack for good.
static bulk_copy &asked = *new bulk_copy;
static unsigned long groups[MAX_THREADS]; // committed by each thread
static std::vector<written> unfenced[MAX_THREADS];

void bulk_begin_block()
{
    loads.clear();
    stores.clear();
    for (unsigned i = 0; i < thread_count; i++) {
        groups[i] = 0;
        unfenced[i].clear();
    }
}

static bool overlap(const bulk_copy &copy, uint32_t first, uint32_t end)
{
    return copy.shared < end && first < copy.shared + copy.bytes;
}

static bool any_overlaps(const std::vector<bulk_copy> &copies, uint32_t first, uint32_t end)
{
    return std::any_of(copies.begin(), copies.end(), [=](const bulk_copy &copy) {
        return !copy.was_read && overlap(copy, first, end);
    });
}

static void check_free(uint32_t address, unsigned bytes, bool writes, place where)
{
    if (any_overlaps(loads, address, address + bytes))
        fault_here(cudaErrorLaunchFailure, where,
                   "uses shared memory that a copy is on its way to");
    if (writes && any_overlaps(stores, address, address + bytes))
        fault_here(cudaErrorLaunchFailure, where,
                   "overwrites shared memory that a copy has yet to read");
}

void check_access(uint32_t address, unsigned bytes, bool writes, place where)
{
    check_free(address, bytes, writes, where);
    if (writes)
        unfenced[current_thread()].push_back({address, address + bytes});
}

void fence_for_tma()
{
    unfenced[current_thread()].clear();
}

// --- Copies to shared memory.

static void copy_to_shared(const bulk_copy &copy, unsigned char complement)
{
    for (const unit &unit : copy.units) {
        char *to = shared_pointer(unit.shared, 16, {});

        for (unsigned i = 0; i < 16; i++)
            to[i] = (char)((i < unit.bytes ? (unsigned char)unit.device[i] : 0) ^ complement);
    }
}

static void note_copy(note what, const bulk_copy &copy, const void *code)
{
    if (watcher != nullptr)
        watcher->note(what, shared_pointer(copy.shared, copy.bytes, {}), copy.bytes, code);
}

#define CALLER __builtin_return_address(0)

static void start_load(const bulk_copy &load, place where, const void *code)
{
    shared_pointer(load.shared, load.bytes, where);
    note_copy(note::copies_to, load, code);
    barrier_check_for_copy(load.barrier, where, code);
    check_free(load.shared, load.bytes, true, where);
    for (const unit &unit : load.units)
        if (unit.bytes > 0 && !is_allocated(unit.device, unit.bytes))
            fault_here(cudaErrorIllegalAddress, where, "copies from %p, which is not allocated",
                       (void *)unit.device);
    copy_to_shared(load, 0xff);
    loads.push_back(load);
}

void row_load(uint32_t to, const void *from, uint32_t bytes, uint32_t barrier, place where)
{
    need_capability(9, "a bulk copy", where);
    if (to % 16 != 0 || (uintptr_t)from % 16 != 0 || bytes % 16 != 0)
        fault_here(cudaErrorLaunchFailure, where,
                   "a copy of %u bytes from %p to %#x: multiples of 16 are needed", bytes, from,
                   to);
    asked = {};
    asked.shared = to;
    asked.bytes = bytes;
    asked.barrier = barrier;
    for (uint32_t i = 0; i < bytes; i += 16)
        asked.units.push_back({to + i, (char *)const_cast<void *>(from) + i, 16});
    start_load(asked, where, CALLER);
}

// Whether a thread waits for the copy.
static bool arrives(const bulk_copy &load)
{
    return is_waited_for(load.barrier);
}

bool bulk_arrive()
{
    const auto first = std::stable_partition(loads.begin(), loads.end(),
                                             [](const bulk_copy &load) { return !arrives(load); });
    const std::vector<bulk_copy> arriving(first, loads.end());

    loads.erase(first, loads.end());
    for (const bulk_copy &load : arriving) {
        copy_to_shared(load, 0);
        barrier_take(load.barrier, load.bytes);
    }
    return !arriving.empty();
}

bool bulk_end_block()
{
    if (loads.empty())
        return true;
    fault(cudaErrorLaunchFailure, "%s: has ended before a copy to its shared memory",
          where_running().c_str());
    return false;
}

// --- Boxes of a matrix.

static const tensor_map &map_at(const CUtensorMap *map, place where)
{
    const tensor_map *described = reinterpret_cast<const tensor_map *>(map);

    if (described->mark != tensor_map::MARK)
        fault_here(cudaErrorLaunchFailure, where, "no map of a matrix");
    return *described;
}

// The box at (x, y), which lies from `shared` on; to units outside the matrix belong no bytes.
// whole: units that are partly inside count as inside.
static bulk_copy &box_of(const CUtensorMap *described, int x, int y, uint32_t shared, bool whole,
                         place where)
{
    const tensor_map &map = map_at(described, where);
    bulk_copy &box = asked;

    need_capability(9, "a copy of a box", where);
    if (x % 16 != 0)
        fault_here(cudaErrorIllegalInstruction, where, "a box from column %d on: no multiple of 16",
                   x);
    if (shared % 128 != 0)
        fault_here(cudaErrorLaunchFailure, where, "a box at %#x: no multiple of 128", shared);
    box = {};
    box.shared = shared;
    box.bytes = map.box_width * map.box_rows;
    for (uint32_t i = 0; i < box.bytes; i += 16) {
        const uint32_t at = shared + i;
        const int64_t column = x + (int64_t)(i % map.box_width);
        const int64_t row = y + (int64_t)(i / map.box_width);
        const bool inside =
            column >= 0 && column < (int64_t)map.width && row >= 0 && row < (int64_t)map.rows;
        const int64_t left = inside ? (int64_t)map.width - column : 0;

        box.units.push_back({map.swizzled ? at ^ (at >> 7 & 7) << 4 : at,
                             map.base + row * (int64_t)map.stride + column,
                             left > 0 && whole ? 16 : (unsigned)std::min(left, (int64_t)16)});
    }
    return box;
}

void tile_load(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t barrier, place where)
{
    bulk_copy &load = box_of(map, x, y, to, false, where);

    load.barrier = barrier;
    start_load(load, where, CALLER);
}

// --- Copies from shared memory. A unit that is partly inside the matrix is written whole, as on an
// H200.

void tile_store(const CUtensorMap *map, int x, int y, uint32_t from, place where)
{
    bulk_copy &store = box_of(map, x, y, from, true, where);

    shared_pointer(store.shared, store.bytes, where);
    if (any_overlaps(loads, store.shared, store.shared + store.bytes))
        fault_here(cudaErrorLaunchFailure, where,
                   "stores shared memory that a copy is on its way to");
    for (unsigned i = 0; i < thread_count; i++)
        for (const written &range : unfenced[i])
            if (overlap(store, range.first, range.end))
                fault_here(cudaErrorLaunchFailure, where,
                           "stores what %s has written without a fence", thread_name(i).c_str());
    note_copy(note::copies_from, store, CALLER);
    store.thread = current_thread();
    stores.push_back(store);
}

void tile_stores_commit()
{
    const unsigned self = current_thread();

    for (bulk_copy &store : stores)
        if (store.thread == self && !store.committed) {
            store.committed = true;
            store.group = groups[self];
        }
    groups[self]++;
}

static void read_store(bulk_copy &store)
{
    for (const unit &unit : store.units)
        store.data.insert(store.data.end(), shared_pointer(unit.shared, 16, {}),
                          shared_pointer(unit.shared, 16, {}) + 16);
    store.was_read = true;
}

void wait_for_reads(unsigned newest)
{
    const unsigned self = current_thread();

    for (bulk_copy &store : stores)
        if (store.thread == self && store.committed && !store.was_read &&
            store.group + newest < groups[self])
            read_store(store);
}

// Writes what the current thread's stores have read.
static void write_stores()
{
    for (std::size_t i = 0; i < stores.size();) {
        const bulk_copy &store = stores[i];

        if (store.thread != current_thread() || !store.was_read) {
            i++;
            continue;
        }
        for (std::size_t at = 0; at < store.units.size(); at++)
            memcpy(store.units[at].device, &store.data[16 * at], store.units[at].bytes);
        stores.erase(stores.begin() + (std::ptrdiff_t)i);
    }
}

void tile_stores_done()
{
    wait_for_reads(0);
    write_stores();
}

void bulk_end_thread()
{
    if (stores.empty())
        return;
    write_stores();
    for (const bulk_copy &store : stores)
        if (store.thread == current_thread())
            fault_here(cudaErrorLaunchFailure, {"", 0},
                       "ends before a copy has read its shared memory");
}

} // namespace emulated
