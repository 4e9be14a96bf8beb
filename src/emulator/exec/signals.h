// SPDX-License-Identifier: MIT
// While a signal_guard exists, SIGSEGV and SIGBUS in a kernel of the calling thread end that kernel
// with cudaErrorIllegalAddress, not the program. With AddressSanitizer a signal_guard does nothing:
// the sanitizer then reports the fault in more detail, and ends the program.
#ifndef SMOOTHIMG_EMULATED_SIGNALS_H
#define SMOOTHIMG_EMULATED_SIGNALS_H

#include <csignal>

namespace emulated
{

class signal_guard
{
  public:
    signal_guard();
    ~signal_guard();
    signal_guard(const signal_guard &) = delete;
    signal_guard &operator=(const signal_guard &) = delete;

  private:
    struct sigaction old_segv, old_bus;
    stack_t old_stack;
};

} // namespace emulated

#endif
