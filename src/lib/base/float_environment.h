/* SPDX-License-Identifier: MIT */
/* The floating-point environment. The definition of a filter and all error bounds assume the
 * default environment: rounding to nearest, subnormal numbers, no traps. Each public call that
 * computes saves the caller's environment, computes in the default environment, and restores the
 * caller's. The library's worker threads always have the default environment. */
#ifndef SMOOTHIMG_FLOAT_ENVIRONMENT_H
#define SMOOTHIMG_FLOAT_ENVIRONMENT_H

/* Marks functions that compute in the default environment. They are not inlined, since a compiler
 * may move arithmetic, but not a call, past a change of the environment. */
#define IN_DEFAULT_ENVIRONMENT __attribute__((noinline))

/* Saving and restoring take 6 ns together on a Xeon; with fenv.h they take 184 ns, which slows
 * calls on small images. */
#ifdef __x86_64__
#include <xmmintrin.h>

/* The mxcsr register controls arithmetic here and in libm; the x87 control word controls how printf
 * rounds. */
struct float_environment {
    unsigned mxcsr;
    unsigned short x87;
};

static inline struct float_environment float_environment_enter(void)
{
    /* Both registers get the values that they have when a process starts: exceptions are masked. */
    const unsigned short x87 = 0x37f;
    struct float_environment callers = {.mxcsr = _mm_getcsr()};

    __asm__ volatile("fnstcw %0" : "=m"(callers.x87));
    __asm__ volatile("fldcw %0" : : "m"(x87));
    _mm_setcsr(0x1f80);
    return callers;
}

static inline void float_environment_leave(const struct float_environment *callers)
{
    __asm__ volatile("fldcw %0" : : "m"(callers->x87));
    _mm_setcsr(callers->mxcsr);
}

#else
#include <fenv.h>

struct float_environment {
    fenv_t all;
};

static inline struct float_environment float_environment_enter(void)
{
    struct float_environment callers;

    fegetenv(&callers.all);
    fesetenv(FE_DFL_ENV);
    return callers;
}

static inline void float_environment_leave(const struct float_environment *callers)
{
    fesetenv(&callers->all);
}
#endif

#endif
