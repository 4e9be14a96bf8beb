/* SPDX-License-Identifier: MIT */
/* Reverse, a row at a time and eight bytes at a time: a 64-bit word of the source, its pixels in
 * reverse order, is a 64-bit word of the target. Pixels that do not divide a word go one by one.
 * Two bytes of memory traffic a byte, and that is all the work there is. */
#include "parallel.h"
#include "variant.h"

#include <string.h>

/* The word with its pixels of 1, 2 or 4 bytes in reverse order; 8 bytes are one pixel. */
static inline uint64_t reversed_word(uint64_t word, size_t pixel_bytes)
{
    switch (pixel_bytes) {
    case 1:
        return __builtin_bswap64(word);
    case 2:
        word = (word & 0x0000ffff0000ffff) << 16 | (word >> 16 & 0x0000ffff0000ffff);
        return word << 32 | word >> 32;
    case 4:
        return word << 32 | word >> 32;
    default:
        return word;
    }
}

/* Inlined with a constant pixel_bytes each time, so that every memcpy is one load or store. */
static inline __attribute__((always_inline)) void
reverse_words(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    size_t done = 0;

    for (; done + 8 <= row_bytes; done += 8) {
        uint64_t word;

        memcpy(&word, src + done, 8);
        word = reversed_word(word, pixel_bytes);
        memcpy(dst_end - done - 8, &word, 8);
    }
    for (; done < row_bytes; done += pixel_bytes)
        memcpy(dst_end - done - pixel_bytes, src + done, pixel_bytes);
}

static void reverse_pixels(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    for (size_t done = 0; done < row_bytes; done += pixel_bytes)
        memcpy(dst_end - done - pixel_bytes, src + done, pixel_bytes);
}

static void reverse_row(const char *src, char *dst_end, size_t row_bytes, size_t pixel_bytes)
{
    switch (pixel_bytes) {
    case 1:
        reverse_words(src, dst_end, row_bytes, 1);
        break;
    case 2:
        reverse_words(src, dst_end, row_bytes, 2);
        break;
    case 4:
        reverse_words(src, dst_end, row_bytes, 4);
        break;
    case 8:
        reverse_words(src, dst_end, row_bytes, 8);
        break;
    default:
        reverse_pixels(src, dst_end, row_bytes, pixel_bytes);
    }
}

static void reverse_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct job *job = context;
    const size_t pixel_bytes = (size_t)(job->src.channels * job->src.sample_bytes);
    const size_t row_bytes = (size_t)job->src.width * pixel_bytes;

    (void)band;
    for (int64_t y = first; y < last; y++) {
        const int64_t target = job->dst.height - 1 - y;

        reverse_row((const char *)job->src.origin + y * job->src.stride_bytes,
                    (char *)job->dst.origin + target * job->dst.stride_bytes + row_bytes, row_bytes,
                    pixel_bytes);
    }
}

static const char *run(const struct job *job)
{
    parallel_rows(job->threads, job->src.height, reverse_band, job);
    return NULL;
}

DEFINE_VARIANT(reverse_cpu) = {
    .op = OP_REVERSE,
    .name = "cpu",
    .place = ON_CPU,
    .reference = false,
    .about = "eight bytes at a time; threads",
    .refuses = NULL,
    .scratch_bytes = NULL,
    .run = run,
};
