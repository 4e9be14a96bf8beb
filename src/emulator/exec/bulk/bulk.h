// SPDX-License-Identifier: MIT
// What the files of bulk copies share: bulk.cpp, loads.cpp, stores.cpp, boxes.cpp,
// units.cpp.
#ifndef SMOOTHIMG_EMULATED_BULK_H
#define SMOOTHIMG_EMULATED_BULK_H

#include "src/emulator/machine.h"

#include <cuda.h>

namespace emulated
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

// Under way: to shared memory, and from it.
extern std::vector<bulk_copy> &loads, &stores;
// The copy that the running thread asks for: a fault would leave one on its stack for good.
extern bulk_copy &asked;

// To shared memory: the data, or the complement of its bytes.
void copy_to_shared(const std::vector<unit> &units, unsigned char complement);
// Whether copies that are not through with it touch that part of shared memory.
bool any_overlaps(const std::vector<bulk_copy> &copies, uint32_t first, uint32_t end);
// Faults: memory that a load is on its way to, or, for writes, that a store has yet to read.
void check_free(uint32_t address, unsigned bytes, bool writes, place where);
// A fault if a thread has written there without a fence.
void check_fenced(const bulk_copy &store, place where);
void note_copy(note what, const bulk_copy &copy, const void *code); // for tracing

// `asked` as a copy of the box at (x, y) of a matrix, which lies from `shared` on; to units outside
// the matrix belong no bytes. whole: units that are partly inside count as inside.
bulk_copy &box_of(const CUtensorMap *map, int x, int y, uint32_t shared, bool whole, place where);

void stores_begin_block();

// Copies of 16 bytes. is_copied_to: whether one is on its way there; the others as their namesakes
// in barriers.h.
void units_begin_block();
bool is_copied_to(uint32_t address, unsigned bytes);
bool units_arrive();
bool units_end_block();

} // namespace emulated

#endif
