// SPDX-License-Identifier: MIT
// Where a traced kernel's accesses arrive. It is compiled with -fsanitize=thread and
// -fsanitize-coverage=trace-pc, which put a call before each access and at the start of each basic
// block; the library that goes with the first is not linked, but this.
#include "trace_log.h"

using emulated::event_kind;
using emulated::log_event;

#define CALLER ((uintptr_t)__builtin_return_address(0) - 1)

#define HOOKS(BYTES)                                                                               \
    void __tsan_read##BYTES(void *address)                                                         \
    {                                                                                              \
        log_event(CALLER, address, BYTES, event_kind::load);                                       \
    }                                                                                              \
    void __tsan_write##BYTES(void *address)                                                        \
    {                                                                                              \
        log_event(CALLER, address, BYTES, event_kind::store);                                      \
    }                                                                                              \
    void __tsan_unaligned_read##BYTES(void *address)                                               \
    {                                                                                              \
        log_event(CALLER, address, BYTES, event_kind::load);                                       \
    }                                                                                              \
    void __tsan_unaligned_write##BYTES(void *address)                                              \
    {                                                                                              \
        log_event(CALLER, address, BYTES, event_kind::store);                                      \
    }

#pragma GCC diagnostic ignored "-Wmissing-declarations"
extern "C" {
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

void __tsan_init() {}

// Whole objects: a structure that is copied.
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
