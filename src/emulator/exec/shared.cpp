// SPDX-License-Identifier: MIT
#include "src/emulator/exec/shared.h"
#include "src/emulator/exec/asan.h"
#include "src/emulator/exec/bulk/barriers.h"
#include "src/emulator/exec/threads.h"

#include <cstring>
#include <sys/mman.h>

namespace emulated
{

static constexpr std::size_t PAGE = 4096;
static constexpr unsigned char SLACK = 0xc5;
static constexpr std::size_t ROOM = (SHARED_BYTES_ROOM + PAGE - 1) / PAGE * PAGE;
static char *room, *dynamic;
static std::size_t dynamic_bytes;

void *dynamic_shared()
{
    return dynamic;
}

bool in_dynamic_shared(const void *address)
{
    return (const char *)address >= dynamic && (const char *)address < dynamic + dynamic_bytes;
}

// PTX instructions address shared memory by 32-bit numbers. On the emulated device the number of
// the first dynamic byte is 1024, as on a GPU. The number of a byte in a static array is STATIC
// plus the byte's distance from origin_of_static.
alignas(1024) static char origin_of_static[1024];
static constexpr uint32_t DYNAMIC = 1024, STATIC = 0x80000000;

// True if the bytes are in a static array of the kernel. Always true in a stripped program, whose
// symbols do not name the arrays.
static bool lies_in_static(const char *pointer, std::size_t bytes)
{
    if (shared_arrays(nullptr).empty())
        return true;
    for (const range &array : shared_arrays(site->kernel))
        if (pointer >= array.start && pointer + bytes <= array.start + array.bytes)
            return true;
    return false;
}

uint32_t shared_address(const void *pointer, place where)
{
    const char *at = (const char *)pointer;

    if (in_dynamic_shared(at))
        return DYNAMIC + (uint32_t)(at - dynamic);
    if (!lies_in_static(at, 1))
        fault_here(cudaErrorIllegalAddress, where, "%p is no shared memory", pointer);
    return STATIC + (uint32_t)(at - origin_of_static);
}

char *shared_pointer(uint32_t address, std::size_t bytes, place where)
{
    if (address >= DYNAMIC && address + bytes <= DYNAMIC + dynamic_bytes)
        return dynamic + (address - DYNAMIC);
    char *pointer = origin_of_static + (int32_t)(address - STATIC);

    if (!lies_in_static(pointer, bytes))
        fault_here(cudaErrorIllegalAddress, where, "%zu bytes at %#x are no shared memory", bytes,
                   address);
    return pointer;
}

void *shared_memory(uint32_t address, unsigned bytes, place where)
{
    if (address % bytes != 0)
        fault_here(cudaErrorIllegalAddress, where, "%u bytes at %#x are not aligned", bytes,
                   address);
    char *pointer = shared_pointer(address, bytes, where);

    check_access(address, bytes, where);
    return pointer;
}

// The dynamic bytes are at the end of `room`; up to 15 bytes of padding follow, so that the first
// byte is aligned to 16. Then comes a page without access. The page before the dynamic bytes is
// filled with a pattern.
void shared_open(const launch_site &site)
{
    if (room == nullptr) {
        room = (char *)mmap(nullptr, PAGE + ROOM + PAGE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) +
               PAGE;
        mprotect(room + ROOM, PAGE, PROT_NONE);
    }
    dynamic_bytes = site.shared_bytes;
    dynamic = room + ROOM - (dynamic_bytes + 15) / 16 * 16;
    UNPOISON(room - PAGE, PAGE + ROOM);
    memset(dynamic - PAGE, SLACK, PAGE);
    POISON(room - PAGE, PAGE + ROOM);
    UNPOISON(dynamic, dynamic_bytes);
}

void shared_close()
{
    POISON(room, ROOM);
}

// AddressSanitizer does not instrument this function, since it reads memory that is poisoned for
// the sanitizer.
__attribute__((no_sanitize("address"))) void shared_check(const char *kernel)
{
    for (const char *byte = dynamic - PAGE; byte < dynamic; byte++)
        if (*(const volatile unsigned char *)byte != SLACK) {
            fault(cudaErrorIllegalAddress, "%s wrote %td bytes before its dynamic shared memory",
                  kernel, dynamic - byte);
            return;
        }
}

void shared_refill(const launch_site &site)
{
    memset(dynamic, poison(), dynamic_bytes);
    for (const range &array : shared_arrays(site.kernel))
        memset(array.start, poison(), array.bytes);
}

} // namespace emulated
