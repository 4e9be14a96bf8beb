// SPDX-License-Identifier: MIT
#include "src/emulator/exec/fiber.h"
#include "src/emulator/exec/asan.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>

// A switch between fibers takes 10 ns with the assembly code below, and 300 ns with swapcontext,
// which makes a system call.
#if defined(__x86_64__) && !defined(EMULATED_PORTABLE_FIBERS)
#define WITH_ASSEMBLY 1
#else
#include <ucontext.h>
#endif

namespace emulated
{

static constexpr std::size_t STACK_BYTES = 64 * 1024, GUARD_BYTES = 4096;

// The last switch from a host thread's stack to a fiber was from `host` to `entered`.
static fiber *host, *entered;

// These two functions tell AddressSanitizer about a change of stacks: leave() is called before the
// change, arrive() after it.
static void leave(fiber &from, const fiber &to)
{
#ifdef WITH_ASAN
    __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.size);
#else
    (void)from, (void)to;
#endif
}

static void arrive(const fiber &self)
{
#ifdef WITH_ASAN
    if (self.mapping != nullptr) // also returns the bounds of the host thread's stack
        __sanitizer_finish_switch_fiber(self.fake_stack, (const void **)&host->bottom, &host->size);
    else
        __sanitizer_finish_switch_fiber(self.fake_stack, nullptr, nullptr);
#else
    (void)self;
#endif
}

static void first_entry()
{
    arrive(*entered);
    entered->body();
    __builtin_trap();
}

#ifdef WITH_ASSEMBLY
// Saves the callee-saved registers on the current stack, changes to the other stack, and restores
// the registers from there.
__asm__(".pushsection .text\n"
        ".type emulated_swap, @function\n"
        "emulated_swap:\n" // emulated_swap(void **from, void *to)
        "  pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp\n"
        "  ret\n"
        ".size emulated_swap, . - emulated_swap\n"
        ".popsection\n");
extern "C" void emulated_swap(void **from, void *to);

static void prepare(fiber &fiber)
{
    void **top = (void **)(fiber.bottom + fiber.size);

    *--top = nullptr; // aligns the stack as after a call, and ends a backtrace
    *--top = (void *)first_entry;
    for (int i = 0; i < 6; i++)
        *--top = nullptr;
    fiber.context = top;
}

static void swap(fiber &from, fiber &to)
{
    emulated_swap(&from.context, to.context);
}

static void release(fiber &) {}
#else
static void prepare(fiber &fiber)
{
    ucontext_t *context = new ucontext_t;

    getcontext(context);
    context->uc_stack.ss_sp = fiber.bottom;
    context->uc_stack.ss_size = fiber.size;
    context->uc_link = nullptr;
    makecontext(context, first_entry, 0);
    fiber.context = context;
}

static void swap(fiber &from, fiber &to)
{
    if (from.context == nullptr) // the first switch from a host thread
        from.context = new ucontext_t;
    swapcontext((ucontext_t *)from.context, (ucontext_t *)to.context);
}

static void release(fiber &fiber)
{
    delete (ucontext_t *)fiber.context;
}
#endif

fiber *fiber_create(void (*body)())
{
    static unsigned created;
    void *mapping = mmap(nullptr, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    fiber *made;

    if (mapping == MAP_FAILED)
        return nullptr;
    mprotect(mapping, GUARD_BYTES, PROT_NONE);
    made = new fiber{};
    made->mapping = (char *)mapping;
    made->bottom = made->mapping + GUARD_BYTES;
    // The tops of stacks have different offsets in a page; otherwise they would all share a few
    // cache sets.
    made->size = STACK_BYTES - 64 * (created++ % 32);
    made->body = body;
    prepare(*made);
    return made;
}

void fiber_destroy(fiber *fiber)
{
    release(*fiber);
    UNPOISON(fiber->bottom, STACK_BYTES); // removes red zones of unfinished functions
    munmap(fiber->mapping, GUARD_BYTES + STACK_BYTES);
    delete fiber;
}

void fiber_switch(fiber &from, fiber &to)
{
    if (to.mapping != nullptr) {
        host = &from;
        entered = &to;
    }
    leave(from, to);
    swap(from, to);
    arrive(from);
}

bool fiber_overflowed(const fiber &fiber, const void *address)
{
    const char *byte = (const char *)address;

    return byte >= fiber.mapping && byte < fiber.bottom;
}

} // namespace emulated
