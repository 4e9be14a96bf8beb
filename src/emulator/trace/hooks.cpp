// SPDX-License-Identifier: MIT
// The functions that a traced kernel calls before each access (-fsanitize=thread) and at the start
// of each basic block (-fsanitize-coverage=trace-pc). The program is linked with these functions
// instead of the sanitizer's library.
#include "src/emulator/trace/log.h"

using emulated::event_kind;
using emulated::log_event;

#define CALLER ((uintptr_t)__builtin_return_address(0) - 1)

#define HOOK(NAME, BYTES, KIND)                                                                    \
    void __tsan_##NAME##BYTES(void *address)                                                       \
    {                                                                                              \
        log_event(CALLER, address, BYTES, event_kind::KIND);                                       \
    }
#define HOOKS(BYTES)                                                                               \
    HOOK(read, BYTES, load)                                                                        \
    HOOK(write, BYTES, store)                                                                      \
    HOOK(unaligned_read, BYTES, load)                                                              \
    HOOK(unaligned_write, BYTES, store)

// Hooks for atomic operations of host code that is compiled with the kernels.
#define ATOMIC_HOOKS(BITS)                                                                         \
    uint##BITS##_t __tsan_atomic##BITS##_load(const volatile uint##BITS##_t *from, int)            \
    {                                                                                              \
        return __atomic_load_n(from, __ATOMIC_SEQ_CST);                                            \
    }                                                                                              \
    void __tsan_atomic##BITS##_store(volatile uint##BITS##_t *to, uint##BITS##_t value, int)       \
    {                                                                                              \
        __atomic_store_n(to, value, __ATOMIC_SEQ_CST);                                             \
    }

#pragma GCC diagnostic ignored "-Wmissing-declarations"
extern "C" {
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
ATOMIC_HOOKS(8)
ATOMIC_HOOKS(64)

void __tsan_init() {}

// Hooks for copies of whole structures.
void __tsan_read_range(void *address, unsigned long bytes)
{
    log_event(CALLER, address, (unsigned)bytes, event_kind::load);
}

void __tsan_write_range(void *address, unsigned long bytes)
{
    log_event(CALLER, address, (unsigned)bytes, event_kind::store);
}

void __sanitizer_cov_trace_pc()
{
    log_event(CALLER, nullptr, 0, event_kind::basic_block);
}
}
