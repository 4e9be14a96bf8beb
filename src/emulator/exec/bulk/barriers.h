// SPDX-License-Identifier: MIT
// What the scheduler and copies need of barriers in shared memory. Kernels have theirs from
// emulated_tensor.h.
#ifndef SMOOTHIMG_EMULATED_BARRIERS_H
#define SMOOTHIMG_EMULATED_BARRIERS_H

#include "src/emulator/machine.h"

#include <emulated_tensor.h>

namespace emulated
{

void barriers_begin_block(); // there are none
bool barriers_release();     // makes threads ready whose wait is over; false: none
bool is_waited_for(uint32_t address);
std::string missing_at(uint32_t address); // for messages

// A fault if a copy may not count at the barrier. code: where the kernel asks for it.
void barrier_check_for_copy(uint32_t address, place where, const void *code);
void barrier_take(uint32_t address, uint32_t bytes); // they have arrived

// A fault if there is no barrier; then the arrival of a thread whose copies have come.
void barrier_check_for_arrival(uint32_t address, place where, const void *code);
void barrier_take_arrival(uint32_t address);

// Copies to and from shared memory: see bulk.h.
void bulk_begin_block();
void bulk_end_thread();
bool bulk_end_block(); // false: a fault
bool bulk_arrive();    // ends the copies to shared memory that threads wait for; false: none
void check_access(uint32_t address, unsigned bytes, bool writes, place where);

} // namespace emulated

#endif
