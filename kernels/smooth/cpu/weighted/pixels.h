/* SPDX-License-Identifier: MIT */
/* Pixels as the lanes of vectors, their samples as planes of REAL, and back. For weighted/reals.h
 * only. A pixel has 2 or 4 channels, and no more bytes than a real. */

typedef LANE OF_REALS(lanes) __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t OF_REALS(pixels_2) __attribute__((vector_size(WIDTH * 2), aligned(1), may_alias));
typedef uint32_t OF_REALS(pixels_4) __attribute__((vector_size(WIDTH * 4), aligned(1), may_alias));
typedef uint64_t OF_REALS(pixels_8) __attribute__((vector_size(WIDTH * 8), aligned(1), may_alias));
#define lanes OF_REALS(lanes)

/* bytes: of a pixel */
INLINED lanes OF_REALS(load_pixels)(const void *src, int bytes)
{
    if (bytes == 2)
        return __builtin_convertvector(*(const OF_REALS(pixels_2) *)src, lanes);
#if REAL_BYTES == 8
    if (bytes == 8)
        return (lanes) * (const OF_REALS(pixels_8) *)src;
#endif
    return __builtin_convertvector(*(const OF_REALS(pixels_4) *)src, lanes);
}

INLINED void OF_REALS(store_pixels)(void *dst, lanes pixels, int bytes)
{
    if (bytes == 2)
        *(OF_REALS(pixels_2) *)dst = __builtin_convertvector(pixels, OF_REALS(pixels_2));
#if REAL_BYTES == 8
    else if (bytes == 8)
        *(OF_REALS(pixels_8) *)dst = (OF_REALS(pixels_8))pixels;
#endif
    else
        *(OF_REALS(pixels_4) *)dst = __builtin_convertvector(pixels, OF_REALS(pixels_4));
}

/* The same for the first n pixels of a vector, or all: nothing beyond them is touched. */
INLINED lanes OF_REALS(load_some)(const void *src, int bytes, int64_t n)
{
    char some[VECTOR_BYTES] = {0};

    if (n >= WIDTH)
        return OF_REALS(load_pixels)(src, bytes);
    memcpy(some, src, (size_t)(n * bytes));
    return OF_REALS(load_pixels)(some, bytes);
}

INLINED void OF_REALS(store_some)(void *dst, lanes pixels, int bytes, int64_t n)
{
    char some[VECTOR_BYTES];

    if (n >= WIDTH) {
        OF_REALS(store_pixels)(dst, pixels, bytes);
        return;
    }
    OF_REALS(store_pixels)(some, pixels, bytes);
    memcpy(dst, some, (size_t)(n * bytes));
}

/* Where the bits of sample c are in a pixel's lane. */
INLINED int OF_REALS(place)(int c, int channels, int bits)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (channels - 1 - c) * bits;
#else
    (void)channels;
    return c * bits;
#endif
}

/* Sample c of each pixel. Not all processors convert integers of 64 bits: as the lower bits of the
 * double 2^52 they are their own conversion. */
INLINED vector OF_REALS(sample)(lanes pixels, int c, int channels, int bits)
{
    const lanes samples = pixels >> OF_REALS(place)(c, channels, bits) & (((LANE)1 << bits) - 1);

#if REAL_BYTES == 8
    return (vector)(samples | 0x4330000000000000) - 0x1p52;
#else
    return __builtin_convertvector((truths)samples, vector);
#endif
}

/* The whole numbers of estimates, in the place of sample c. */
INLINED lanes OF_REALS(placed)(lanes estimates, int c, int channels, int bits)
{
    const int place = OF_REALS(place)(c, channels, bits), down = FRACTION - place;
    const lanes moved = down >= 0 ? estimates >> down : estimates << -down;

    return moved & ((((LANE)1 << bits) - 1) << place);
}

/* A bit for each lane that is negative. */
INLINED uint32_t OF_REALS(negative)(truths value)
{
#if REAL_BYTES == 8
    return negative_wides((ints)value);
#else
    return negative_ints((ints)value);
#endif
}
