// SPDX-License-Identifier: MIT
// Declarations that the files of copies to shared memory share: bulk.cpp, units.cpp.
#ifndef SMOOTHIMG_EMULATED_BULK_H
#define SMOOTHIMG_EMULATED_BULK_H

#include "src/emulator/machine.h"

namespace emulated
{

// Bytes of device memory that are copied to shared memory.
struct copy {
    uint32_t shared;
    const char *device;
    uint32_t bytes;
};

// Writes the data of a copy to shared memory, as they are if `complement` is 0, or their complement
// if it is 0xff.
void copy_to_shared(const copy &copy, unsigned char complement);

// For copies of 16 bytes (units.cpp). is_copied_to() returns true if a pending copy will write to
// these bytes. The other functions correspond to bulk_begin_block, bulk_arrive and bulk_end_block
// in barriers.h.
void units_begin_block();
bool is_copied_to(uint32_t address, unsigned bytes);
bool units_arrive();
bool units_end_block();

} // namespace emulated

#endif
