// SPDX-License-Identifier: MIT
// Declarations that the files of bulk copies share: bulk.cpp, loads.cpp, units.cpp.
#ifndef SMOOTHIMG_EMULATED_BULK_H
#define SMOOTHIMG_EMULATED_BULK_H

#include "src/emulator/machine.h"

namespace emulated
{

// A unit is 16 bytes of shared memory that are copied from device memory.
struct unit {
    uint32_t shared;
    const char *device;
};

struct bulk_copy {
    std::vector<unit> units;
    uint32_t shared, bytes; // address and length of the shared memory that the copy touches
    uint32_t barrier;       // the barrier at which the copy arrives
};

extern lazy<std::vector<bulk_copy>> loads; // pending copies
// The copy that the running thread requests. It is not on the thread's stack, because a fault
// abandons the stack, and the copy's vectors would leak.
extern lazy<bulk_copy> asked;

// Writes the data of a copy to shared memory, as they are if `complement` is 0, or their complement
// if it is 0xff.
void copy_to_shared(const std::vector<unit> &units, unsigned char complement);
void note_copy(const bulk_copy &copy, const void *code); // for tracing

// For copies of 16 bytes (units.cpp). is_copied_to() returns true if a pending copy will write to
// these bytes. The other functions correspond to bulk_begin_block, bulk_arrive and bulk_end_block
// in barriers.h.
void units_begin_block();
bool is_copied_to(uint32_t address, unsigned bytes);
bool units_arrive();
bool units_end_block();

} // namespace emulated

#endif
