// SPDX-License-Identifier: MIT
#include "src/emulator/exec/shared.h"
#include "src/emulator/exec/asan.h"

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

// The dynamic bytes are at the end of `room` (minus up to 15 bytes for alignment), before a page
// without access and after a page with a pattern.
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

// Reads memory that is poisoned for ASan.
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
