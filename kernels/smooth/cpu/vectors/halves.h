/* SPDX-License-Identifier: MIT */
/* WIDTH doubles as floats. Only for files that have vectors of WIDTH doubles. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_HALVES_H
#define SMOOTHIMG_SMOOTH_VECTORS_HALVES_H

typedef float halves __attribute__((vector_size(WIDTH * 4), ANYWHERE(4)));

/* gcc 12 would convert wide vectors in parts. */
INLINED halves narrowed(vector value)
{
#ifdef __AVX512F__
    return (halves)_mm512_cvtpd_ps((__m512d)value);
#elif defined __AVX2__
    return (halves)_mm256_cvtpd_ps((__m256d)value);
#else
    return __builtin_convertvector(value, halves);
#endif
}

#endif
