/* SPDX-License-Identifier: MIT */
/* The floating-point environment. Bounds of errors, and the definition of a filter, hold in the
 * default one: rounding to nearest, subnormal numbers, no traps. What a caller has set is put aside
 * while the library computes. The workers of the pool have the default one, so that this is done
 * where a call comes in, and nowhere else. */
#ifndef SMOOTHIMG_FLOAT_ENVIRONMENT_H
#define SMOOTHIMG_FLOAT_ENVIRONMENT_H

/* Of the functions that compute in between: compilers move arithmetic past a change of the
 * environment, but not a call. */
#define IN_DEFAULT_ENVIRONMENT __attribute__((noinline))

/* On a Xeon fenv.h takes 184 ns for both functions, which a small image notices; this 6 ns. */
#ifdef __x86_64__
#include <xmmintrin.h>

/* All arithmetic of ours and of libm obeys mxcsr; printf rounds as the x87 control word says. */
struct float_environment {
    unsigned mxcsr;
    unsigned short x87;
};

static inline struct float_environment float_environment_enter(void)
{
    const unsigned short x87 = 0x37f; /* both as a process begins: all exceptions masked */
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
