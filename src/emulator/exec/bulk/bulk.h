// SPDX-License-Identifier: MIT
// Declarations that the files of bulk copies share: bulk.cpp, loads.cpp, stores.cpp, boxes.cpp,
// units.cpp.
#ifndef SMOOTHIMG_EMULATED_BULK_H
#define SMOOTHIMG_EMULATED_BULK_H

#include "src/emulator/machine.h"

#include <cuda.h>

namespace emulated
{

// A unit is 16 bytes of shared memory, the first `bytes` of which are copied to or from device
// memory. A copy to shared memory fills the other bytes of the 16 with zeros.
struct unit {
    uint32_t shared;
    char *device;
    unsigned bytes;
};

struct bulk_copy {
    std::vector<unit> units;
    uint32_t shared, bytes; // address and length of the shared memory that the copy touches
    uint32_t barrier;       // the barrier at which a copy to shared memory arrives
    // Only for copies from shared memory:
    unsigned thread;        // the thread that requested the copy
    bool committed;         // tile_stores_commit() has put the copy in a group
    unsigned long group;    // number of that group among the thread's groups, from 0
    bool was_read;          // `data` has been filled from shared memory
    std::vector<char> data; // 16 bytes for each unit
};

// Pending copies to shared memory (loads), and from it (stores).
extern lazy<std::vector<bulk_copy>> loads, stores;
// The copy that the running thread requests. It is not on the thread's stack, because a fault
// abandons the stack, and the copy's vectors would leak.
extern lazy<bulk_copy> asked;

// Writes the data of a copy to shared memory, as they are if `complement` is 0, or their complement
// if it is 0xff.
void copy_to_shared(const std::vector<unit> &units, unsigned char complement);
// True if one of the copies has yet to read or write shared memory in first..end-1.
bool any_overlaps(const std::vector<bulk_copy> &copies, uint32_t first, uint32_t end);
// Faults if a pending copy to shared memory will overwrite these bytes. For a write, also faults if
// a pending copy from shared memory has yet to read them.
void check_free(uint32_t address, unsigned bytes, bool writes, place where);
// Faults if `store`, a copy from shared memory, reads bytes that a thread has written without a
// fence after the write.
void check_fenced(const bulk_copy &store, place where);
void note_copy(note what, const bulk_copy &copy, const void *code); // for tracing

// Sets `asked` to a copy between the box (rectangle) at (x, y) of a matrix and shared memory at
// `shared`, and returns `asked`. Units outside the matrix have 0 bytes. If `whole` is true, units
// that are partly inside the matrix are copied whole.
bulk_copy &box_of(const CUtensorMap *map, int x, int y, uint32_t shared, bool whole, place where);

void stores_begin_block();

// For copies of 16 bytes (units.cpp). is_copied_to() returns true if a pending copy will write to
// these bytes. The other functions correspond to bulk_begin_block, bulk_arrive and bulk_end_block
// in barriers.h.
void units_begin_block();
bool is_copied_to(uint32_t address, unsigned bytes);
bool units_arrive();
bool units_end_block();

} // namespace emulated

#endif
