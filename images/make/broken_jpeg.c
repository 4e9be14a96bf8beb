/* SPDX-License-Identifier: MIT */
/* Writes JPEG files that consist of headers: each ends where its samples would begin, or before.
 * Besides, each has the fault that its name says. */
#include "images/make/make_images.h"

#define BASELINE 0xc0
#define LOSSLESS 0xc3
#define ARITHMETIC 0xc9

static void put16(FILE *file, int value)
{
    putc(value >> 8, file);
    putc(value & 255, file);
}

static void put_segment(FILE *file, int marker, int bytes)
{
    put16(file, 0xff00 | marker);
    put16(file, bytes + 2);
}

/* Writes a frame header without subsampling. */
static void put_frame(FILE *file, int process, int width, int height, int components)
{
    put_segment(file, process, 6 + 3 * components);
    putc(8, file); /* bits */
    put16(file, height);
    put16(file, width);
    putc(components, file);
    for (int i = 1; i <= components; i++) {
        putc(i, file);
        putc(0x11, file); /* sampling factors: 1 x 1 */
        putc(0, file);    /* number of the quantization table */
    }
}

/* Writes the header of a scan of all components and all coefficients. */
static void put_scan(FILE *file, int components)
{
    put_segment(file, 0xda, 4 + 2 * components);
    putc(components, file);
    for (int i = 1; i <= components; i++) {
        putc(i, file);
        putc(0, file); /* numbers of the Huffman tables */
    }
    putc(0, file);
    putc(63, file);
    putc(0, file);
}

static bool put_headers(FILE *file, int process, int width, int height, int components)
{
    put16(file, 0xffd8);
    put_frame(file, process, width, height, components);
    put_scan(file, components);
    return true;
}

/* The file ends after 20 bytes: the marker of its start, and the segment JFIF. */
bool break_truncated_jpeg(FILE *file)
{
    put16(file, 0xffd8);
    put_segment(file, 0xe0, 14);
    fwrite("JFIF\0\1\1\0\0\1\0\1\0", 1, 14, file);
    return true;
}

bool break_huge_jpeg(FILE *file)
{
    return put_headers(file, BASELINE, 4000, 4000, 1);
}

/* Height 0 says that the number of lines follows the samples. */
bool break_zero_height(FILE *file)
{
    return put_headers(file, BASELINE, 4, 0, 1);
}

bool break_cmyk_jpeg(FILE *file)
{
    return put_headers(file, BASELINE, 4, 4, 4);
}

bool break_two_components(FILE *file)
{
    return put_headers(file, BASELINE, 4, 4, 2);
}

bool break_arithmetic(FILE *file)
{
    return put_headers(file, ARITHMETIC, 4, 4, 1);
}

bool break_lossless(FILE *file)
{
    return put_headers(file, LOSSLESS, 4, 4, 1);
}
