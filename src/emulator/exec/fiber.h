// SPDX-License-Identifier: MIT
// Fibers: functions with their own stacks, which can be suspended and resumed.
#ifndef SMOOTHIMG_EMULATED_FIBER_H
#define SMOOTHIMG_EMULATED_FIBER_H

#include <cstddef>

namespace emulated
{

// `fiber host = {}` represents a host thread's own stack.
struct fiber {
    void *context;    // while the fiber is suspended: its stack pointer, or a ucontext_t
    char *mapping;    // guard page and stack; NULL for a host thread's own stack
    char *bottom;     // lowest address of the stack
    std::size_t size; // bytes of the stack
    void *fake_stack; // used by AddressSanitizer
    void (*body)();
};

// Creates a fiber. The first switch to it calls body, which must never return. Returns NULL if
// memory runs out.
fiber *fiber_create(void (*body)());
void fiber_destroy(fiber *fiber);

// Suspends `from`, which is running, and resumes `to`. Returns when a switch resumes `from`. One of
// the two fibers must represent a host thread's own stack.
void fiber_switch(fiber &from, fiber &to);

// True if the address is in the guard page below the stack.
bool fiber_overflowed(const fiber &fiber, const void *address);

} // namespace emulated

#endif
