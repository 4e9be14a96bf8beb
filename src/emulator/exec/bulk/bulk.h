// SPDX-License-Identifier: MIT
// Declarations that the files of bulk copies share: bulk.cpp, loads.cpp, stores.cpp, boxes.cpp,
// units.cpp.
#ifndef SMOOTHIMG_EMULATED_BULK_H
#define SMOOTHIMG_EMULATED_BULK_H

#include "src/emulator/machine.h"

#include <cuda.h>

namespace emulated
{

// 16 bytes of shared memory and `bytes` of device memory. In a copy to shared memory, zeros follow
// those.
struct unit {
    uint32_t shared;
    char *device;
    unsigned bytes;
};

struct bulk_copy {
    std::vector<unit> units;
    uint32_t shared, bytes; // all shared memory that it touches
    uint32_t barrier;       // for a copy to shared memory
    unsigned thread;        // this and the next members are for copies from shared memory
    bool committed;         // to a group of stores
    unsigned long group;
    bool was_read;
    std::vector<char> data;
};

// Pending copies: to shared memory, and from it.
extern lazy<std::vector<bulk_copy>> loads, stores;
// The copy that the running thread requests. Not on the thread's stack: a fault would leak it.
extern lazy<bulk_copy> asked;

// For a copy to shared memory: writes the data, or the complement of its bytes.
void copy_to_shared(const std::vector<unit> &units, unsigned char complement);
// True if a pending copy touches that part of shared memory.
bool any_overlaps(const std::vector<bulk_copy> &copies, uint32_t first, uint32_t end);
// Fault if memory is used that a load will overwrite, or, for writes, that a store has yet to read.
void check_free(uint32_t address, unsigned bytes, bool writes, place where);
// Faults if a thread has written there without a fence.
void check_fenced(const bulk_copy &store, place where);
void note_copy(note what, const bulk_copy &copy, const void *code); // for tracing

// Returns `asked` as a copy of the box at (x, y) of a matrix to shared memory from `shared` on.
// Units outside the matrix have no bytes. whole: units that are partly inside count as inside.
bulk_copy &box_of(const CUtensorMap *map, int x, int y, uint32_t shared, bool whole, place where);

void stores_begin_block();

// Copies of 16 bytes. is_copied_to: true if one of them will write there. The others are as in
// barriers.h.
void units_begin_block();
bool is_copied_to(uint32_t address, unsigned bytes);
bool units_arrive();
bool units_end_block();

} // namespace emulated

#endif
