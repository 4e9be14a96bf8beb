// SPDX-License-Identifier: MIT
// Bulk copies from shared memory. A unit of 16 bytes that is partly inside the matrix is written
// whole, as on an H200.
#include "src/emulator/exec/bulk/barriers.h"
#include "src/emulator/exec/bulk/bulk.h"
#include "src/emulator/exec/shared.h"
#include "src/emulator/exec/threads.h"

#include <algorithm>
#include <cstring>

namespace emulated
{

static unsigned long groups[MAX_THREADS]; // how many groups of copies each thread has committed

void stores_begin_block()
{
    for (unsigned i = 0; i < thread_count; i++)
        groups[i] = 0;
}

void tile_store(const CUtensorMap *map, int x, int y, uint32_t from, place where)
{
    bulk_copy &store = box_of(map, x, y, from, true, where);

    shared_pointer(store.shared, store.bytes, where);
    if (any_overlaps(*loads, store.shared, store.shared + store.bytes))
        fault_here(cudaErrorLaunchFailure, where,
                   "stores shared memory that a copy is on its way to");
    check_fenced(store, where);
    note_copy(note::copies_from, store, __builtin_return_address(0));
    store.thread = current_thread();
    stores->push_back(store);
}

void tile_stores_commit()
{
    const unsigned self = current_thread();

    for (bulk_copy &store : *stores)
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

    for (bulk_copy &store : *stores)
        if (store.thread == self && store.committed && !store.was_read &&
            store.group + newest < groups[self])
            read_store(store);
}

// Writes to device memory the data that read_store() has read from shared memory for the current
// thread's stores.
static void write_stores()
{
    for (std::size_t i = 0; i < stores->size();) {
        const bulk_copy &store = stores[i];

        if (store.thread != current_thread() || !store.was_read) {
            i++;
            continue;
        }
        for (std::size_t at = 0; at < store.units.size(); at++)
            memcpy(store.units[at].device, &store.data[16 * at], store.units[at].bytes);
        stores->erase(stores->begin() + (std::ptrdiff_t)i);
    }
}

void tile_stores_done()
{
    wait_for_reads(0);
    write_stores();
}

void bulk_end_thread()
{
    if (stores->empty())
        return;
    write_stores();
    for (const bulk_copy &store : *stores)
        if (store.thread == current_thread())
            fault_here(cudaErrorLaunchFailure, {"", 0},
                       "ends before a copy has read its shared memory");
}

} // namespace emulated
