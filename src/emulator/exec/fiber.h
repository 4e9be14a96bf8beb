// SPDX-License-Identifier: MIT
// Fibers: functions on stacks of their own that are left in the middle and gone on with later.
#ifndef SMOOTHIMG_EMULATED_FIBER_H
#define SMOOTHIMG_EMULATED_FIBER_H

#include <cstddef>

namespace emulated
{

// Besides those that are created there is one for each host thread: the stack it was born with,
// which `fiber main = {}` stands for.
struct fiber {
    void *context;    // where it was left: its stack pointer, or a ucontext_t
    char *mapping;    // guard page and stack; NULL for a host thread's own
    char *bottom;     // of the stack
    std::size_t size; // of the stack
    void *fake_stack; // AddressSanitizer's
    void (*body)();
};

// A fiber that, switched to for the first time, calls body, which never returns. NULL: no memory.
fiber *fiber_create(void (*body)());
void fiber_destroy(fiber *fiber);

// Leaves `from`, which is running, for `to`, and returns when somebody switches to `from`. Of two
// fibers one is a host thread's own.
void fiber_switch(fiber &from, fiber &to);

// Is the address in the guard page below the stack?
bool fiber_overflowed(const fiber &fiber, const void *address);

} // namespace emulated

#endif
