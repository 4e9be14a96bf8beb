// SPDX-License-Identifier: MIT
// Device memory: one reserved range of addresses. The end of an allocation, rounded up to 256
// bytes, is followed by a page without access:
//
//     | no access | slack | allocation | slack | no access | slack | ...
//
// The slack is the unused part of the allocation's pages. It is poisoned for AddressSanitizer, and
// filled with a pattern that is checked after each kernel.
#include "src/emulator/exec/asan.h"
#include "src/emulator/machine.h"

#include <cstring>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace emulated
{

static constexpr std::size_t PAGE = 4096, ALIGNMENT = 256;
static constexpr unsigned char SLACK = 0xc5;

struct allocation {
    int device;
    char *start;
    std::size_t bytes;
    char *end; // end of the allocation's pages; the key in `allocations` is their start
};

char *arena;
static lazy<std::map<char *, allocation>> allocations;
static std::size_t used[MAX_DEVICES];              // bytes allocated on each device
static lazy<std::map<void *, std::size_t>> pinned; // host memory: address and bytes
// Number of calls of memory_open() for which memory_close() has not been called yet.
static int open_count;

static std::size_t round_up(std::size_t bytes, std::size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

// Returns the number of bytes of the device's memory. The environment variable EMULATED_MEMORY
// gives it; if that is not set, it is half of the host's memory, but at most 32 GiB.
static std::size_t total_memory()
{
    const char *bytes = getenv("EMULATED_MEMORY");

    if (bytes != nullptr)
        return strtoull(bytes, nullptr, 10);
    const std::size_t half =
        (std::size_t)sysconf(_SC_PHYS_PAGES) / 2 * (std::size_t)sysconf(_SC_PAGESIZE);

    return half < ARENA_BYTES / 2 ? half : ARENA_BYTES / 2;
}

unsigned char poison()
{
    static const char *const text = getenv("EMULATED_POISON");
    static const auto byte = (unsigned char)(text == nullptr ? 0xff : strtol(text, nullptr, 16));

    return byte;
}

bool is_allocated(int device, const void *start, std::size_t bytes)
{
    auto next = allocations->upper_bound((char *)const_cast<void *>(start));

    if (next == allocations->begin())
        return false;
    const allocation &found = std::prev(next)->second;

    return found.device == device && start >= found.start &&
           (const char *)start + bytes <= found.start + found.bytes;
}

void memory_open()
{
    if (open_count++ == 0)
        for (const auto &[pages, allocation] : *allocations)
            UNPOISON(allocation.start, allocation.bytes);
}

void memory_close()
{
    if (--open_count == 0)
        for (const auto &[pages, allocation] : *allocations)
            POISON(allocation.start, allocation.bytes);
}

// Returns the first byte that differs from SLACK, or NULL. AddressSanitizer does not instrument
// this function, since it reads memory that is poisoned for the sanitizer.
__attribute__((no_sanitize("address"))) static const char *scribbled(const char *from,
                                                                     const char *to)
{
    for (; from < to; from++)
        if (*(const volatile unsigned char *)from != SLACK)
            return from;
    return nullptr;
}

void memory_check(const char *kernel)
{
    for (const auto &[pages, allocation] : *allocations) {
        const char *end = allocation.start + allocation.bytes;
        const char *before = scribbled(pages, allocation.start);
        const char *after = scribbled(end, allocation.end);

        if (before != nullptr)
            fault(cudaErrorIllegalAddress, "%s wrote %td bytes before an allocation of %zu bytes",
                  kernel, allocation.start - before, allocation.bytes);
        else if (after != nullptr)
            fault(cudaErrorIllegalAddress, "%s wrote %td bytes after an allocation of %zu bytes",
                  kernel, after - end + 1, allocation.bytes);
    }
}

// Returns the start of the first gap between allocations that has room for `bytes` and a page
// without access, or NULL.
static char *find_gap(std::size_t bytes)
{
    char *gap = arena + PAGE;

    for (const auto &[pages, allocation] : *allocations) {
        if ((std::size_t)(pages - gap) >= bytes + PAGE)
            break;
        gap = allocation.end + PAGE;
    }
    return (std::size_t)(arena + ARENA_BYTES - gap) >= bytes + PAGE ? gap : nullptr;
}

static void *allocate(std::size_t bytes)
{
    const std::size_t whole = round_up(bytes, PAGE);

    if (arena == nullptr) {
        void *mapping = mmap(nullptr, ARENA_BYTES, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (mapping == MAP_FAILED)
            return nullptr;
        arena = (char *)mapping;
    }
    char *pages = bytes > total_memory() - used[current_device] ? nullptr : find_gap(whole);

    if (pages == nullptr || mprotect(pages, whole, PROT_READ | PROT_WRITE) != 0)
        return nullptr;
    char *start = pages + whole - round_up(bytes, ALIGNMENT);

    memset(pages, SLACK, whole);
    memset(start, poison(), bytes);
    POISON(pages, whole);
    allocations[pages] = {current_device, start, bytes, pages + whole};
    used[current_device] += bytes;
    return start;
}

static void release(std::map<char *, allocation>::iterator where)
{
    const std::size_t bytes = (std::size_t)(where->second.end - where->first);

    UNPOISON(where->first, bytes);
    // Replaces the pages by pages without access, and so frees their memory.
    mmap(where->first, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
         -1, 0);
    used[where->second.device] -= where->second.bytes;
    allocations->erase(where);
}

void reset_memory()
{
    for (auto where = allocations->begin(); where != allocations->end();) {
        const auto next = std::next(where);

        if (where->second.device == current_device)
            release(where);
        where = next;
    }
}

} // namespace emulated

using namespace emulated;

cudaError_t cudaMalloc(void **pointer, std::size_t bytes)
{
    const guard hold(big_lock);

    if (count_request(current_device) != cudaSuccess)
        return sticky_error();
    *pointer = bytes == 0 ? nullptr : allocate(bytes);
    return fail(*pointer == nullptr && bytes > 0 ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t cudaFree(void *pointer)
{
    const guard hold(big_lock);

    if (pointer == nullptr)
        return sticky_error();
    finish_all(); // CUDA waits for the device here, too
    if (sticky_error() != cudaSuccess)
        return sticky_error();
    for (auto where = allocations->begin(); where != allocations->end(); ++where)
        if (where->second.start == pointer) {
            release(where);
            return cudaSuccess;
        }
    return fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(std::size_t *free, std::size_t *total)
{
    const guard hold(big_lock);

    *total = total_memory();
    *free = *total - used[current_device];
    return sticky_error();
}

// True if the host may pin `bytes` more. The environment variable EMULATED_PINNED limits the bytes
// of pinned memory; if it is not set, there is no limit.
static bool can_be_pinned(std::size_t bytes)
{
    const char *limit = getenv("EMULATED_PINNED");

    for (const auto &[start, taken] : *pinned)
        bytes += taken;
    return limit == nullptr || bytes <= strtoull(limit, nullptr, 10);
}

cudaError_t cudaHostAlloc(void **pointer, std::size_t bytes, unsigned)
{
    const guard hold(big_lock);

    if (sticky_error() != cudaSuccess)
        return sticky_error();
    *pointer = can_be_pinned(bytes) ? aligned_alloc(PAGE, round_up(bytes, PAGE)) : nullptr;
    if (*pointer == nullptr)
        return fail(cudaErrorMemoryAllocation);
    pinned[*pointer] = bytes;
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *pointer)
{
    const guard hold(big_lock);

    if (pointer == nullptr)
        return sticky_error();
    if (pinned->erase(pointer) == 0)
        return fail(cudaErrorInvalidValue);
    finish_all();
    free(pointer);
    return sticky_error();
}
