// SPDX-License-Identifier: MIT
// The functions of barriers in shared memory that the scheduler and copies call. The functions that
// kernels call are in emulated_tensor.h.
#ifndef SMOOTHIMG_EMULATED_BARRIERS_H
#define SMOOTHIMG_EMULATED_BARRIERS_H

#include "src/emulator/machine.h"

#include <emulated_tensor.h>

namespace emulated
{

void barriers_begin_block(); // removes all barriers
// Faults if a phase of a barrier has begun and not ended. Such a kernel counts arrivals wrongly,
// even if no wait has shown it. Returns false after a fault.
bool barriers_end_block();
bool barriers_release(); // makes those threads ready whose wait has ended; false: there were none
bool is_waited_for(uint32_t address);
// For messages: how many arrivals and bytes the barrier's current phase still waits for.
std::string missing_at(uint32_t address);

// Faults if there is no barrier, or if no fence has made the barrier visible to copies yet. `code`
// is the address of the kernel's instruction that requests a copy.
void barrier_check_for_copy(uint32_t address, place where, const void *code);
void barrier_take(uint32_t address, uint32_t bytes); // records that `bytes` bytes have arrived

// For copies of 16 bytes: barrier_check_for_arrival faults if there is no barrier;
// barrier_take_arrival records the arrival of a thread whose copies are done.
void barrier_check_for_arrival(uint32_t address, place where, const void *code);
void barrier_take_arrival(uint32_t address);

// For copies to shared memory; scheduler.cpp and rendezvous.cpp call these three functions.
void bulk_begin_block();
bool bulk_end_block(); // false: there was a fault
bool bulk_arrive();    // completes the copies that threads wait for; false: there were none
// Faults if a pending copy will write to these bytes.
void check_access(uint32_t address, unsigned bytes, place where);

} // namespace emulated

#endif
