// SPDX-License-Identifier: MIT
#include "src/emulator/exec/signals.h"
#include "src/emulator/exec/asan.h"
#include "src/emulator/machine.h"

namespace emulated
{

#ifdef WITH_ASAN
signal_guard::signal_guard() = default;
signal_guard::~signal_guard() = default;
#else
static char stack[64 * 1024]; // for the handler: the kernel's stack may have overflowed

static void handle(int number, siginfo_t *info, void *)
{
    sigset_t mine;

    // Outside of kernels this handler restores the default action: the faulting instruction then
    // runs again and ends the program.
    if (!in_kernel()) {
        signal(number, SIG_DFL);
        return;
    }
    // The system unblocks a signal when its handler returns. This handler never returns, so it
    // unblocks the signal itself.
    sigemptyset(&mine);
    sigaddset(&mine, number);
    pthread_sigmask(SIG_UNBLOCK, &mine, nullptr);
    give_up(info->si_addr);
}

signal_guard::signal_guard()
{
    struct sigaction action = {};
    stack_t own = {};

    own.ss_sp = stack;
    own.ss_size = sizeof stack;
    sigaltstack(&own, &old_stack);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, &old_segv);
    sigaction(SIGBUS, &action, &old_bus);
}

signal_guard::~signal_guard()
{
    sigaction(SIGSEGV, &old_segv, nullptr);
    sigaction(SIGBUS, &old_bus, nullptr);
    sigaltstack(&old_stack, nullptr);
}
#endif

} // namespace emulated
