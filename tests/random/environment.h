/* SPDX-License-Identifier: MIT */
/* Sets the floating-point environment of a caller, which a call of the library must not change. */
#ifndef SMOOTHIMG_RANDOM_ENVIRONMENT_H
#define SMOOTHIMG_RANDOM_ENVIRONMENT_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct environment {
    fenv_t before;
};

/* Flushes subnormal numbers to zero, as in a process that is linked with -ffast-math. */
static inline void flush_subnormals(void)
{
#if defined __SSE__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); /* FTZ, DAZ */
#elif defined __aarch64__
    uint64_t fpcr;

    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr | 1 << 24)); /* FZ */
#endif
}

/* Copies the floating-point environment to *environment. On i686, clears in the copy the x87 unit's
 * last instruction, last operand and condition codes: every function that returns a floating-point
 * number may change them. */
static inline void environment_get(fenv_t *environment)
{
    memset(environment, 0, sizeof *environment);
    fegetenv(environment);
#if defined __i386__ && defined __GLIBC__
    environment->__eip = environment->__data_offset = 0;
    environment->__cs_selector = environment->__data_selector = 0;
    environment->__opcode = 0;
    environment->__status_word &= FE_ALL_EXCEPT;
#endif
}

/* Enters a floating-point environment, and records it. `number` is its index in environments[] of
 * request.c. */
static inline void environment_enter(struct environment *environment, int number)
{
    static const int roundings[] = {FE_TONEAREST, FE_UPWARD,    FE_DOWNWARD, FE_TOWARDZERO,
                                    FE_TONEAREST, FE_TONEAREST, FE_UPWARD};

    fesetenv(FE_DFL_ENV);
    if (number == 2)
        feraiseexcept(FE_ALL_EXCEPT);
    fesetround(roundings[number]);
    if (number == 4 || number == 6)
        flush_subnormals();
#ifdef __GLIBC__
    if (number >= 5)
        feenableexcept(FE_ALL_EXCEPT); /* has no effect on processors without traps */
#endif
    environment_get(&environment->before);
}

/* Restores the default environment. Returns true if the entered environment has changed since. */
static inline bool environment_leave(const struct environment *environment)
{
    fenv_t after;

    environment_get(&after);
    fesetenv(FE_DFL_ENV);
    return memcmp(&environment->before, &after, sizeof after) != 0;
}

#endif
