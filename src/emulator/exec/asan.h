// SPDX-License-Identifier: MIT
// Functions of AddressSanitizer. After POISON(START, BYTES) the sanitizer reports every access to
// these bytes, until UNPOISON. In a build without AddressSanitizer both macros do nothing.
#ifndef SMOOTHIMG_EMULATED_ASAN_H
#define SMOOTHIMG_EMULATED_ASAN_H

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#include <cstddef>

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define POISON(START, BYTES) __asan_poison_memory_region(START, BYTES)
#define UNPOISON(START, BYTES) __asan_unpoison_memory_region(START, BYTES)
// Returns the size of a global variable without its red zone, the poisoned bytes after it, which
// clang includes in the symbol's size.
static inline std::size_t bytes_of_global(char *start, std::size_t bytes)
{
    char *red = (char *)__asan_region_is_poisoned(start, bytes);

    return red != nullptr ? (std::size_t)(red - start) : bytes;
}
#else
static inline std::size_t bytes_of_global(char *, std::size_t bytes)
{
    return bytes;
}
#define POISON(START, BYTES) ((void)(START), (void)(BYTES))
#define UNPOISON(START, BYTES) ((void)(START), (void)(BYTES))
#endif

#endif
