/* SPDX-License-Identifier: MIT */
/* Writes broken images, each with the one fault that its name says. */
#include <string.h>

#include "images/make/make_images.h"

static bool text(FILE *file, const char *string)
{
    fputs(string, file);
    return true;
}

bool break_truncated_pgm(FILE *file)
{
    return text(file, "P5\n8 8\n255\nonly these of 64 bytes");
}

bool break_truncated_plain(FILE *file)
{
    return text(file, "P2\n4 3\n255\n1 2 3 4\n5 6 7\n");
}

bool break_wrong_magic(FILE *file)
{
    return text(file, "P9\n2 2\n255\nabcd");
}

bool break_maxval0(FILE *file)
{
    return text(file, "P5\n2 2\n0\nabcd");
}

bool break_maxval70000(FILE *file)
{
    return text(file, "P5\n2 2\n70000\nabcdefgh");
}

/* The file is raw, not plain, because a reader may forget to check raw samples. */
bool break_sample_above_maxval(FILE *file)
{
    return text(file, "P5\n2 2\n100\n\001\144\145\002"); /* octal: 1 100 101 2 */
}

bool break_huge_pgm(FILE *file)
{
    return text(file, "P5\n1000000 1000000\n255\nfew");
}

/* Only white space may end a number; here "$" and "X" do. */
bool break_wrong_separator(FILE *file)
{
    return text(file, "P5\n3$2\n255Xabcdef");
}

bool break_empty(FILE *file)
{
    return text(file, "");
}

bool break_text(FILE *file)
{
    return text(file, "This is a plain text file with the wrong ending to its name.\n");
}

/* The header of a GIF file: another format. */
bool break_foreign(FILE *file)
{
    fwrite("GIF89a\1\0\1\0\0\0", 1, 13, file);
    return true;
}

bool break_zero_width(FILE *file)
{
    return text(file, "P5\n0 4\n255\n");
}

bool break_negative_width(FILE *file)
{
    return text(file, "P5\n-4 4\n255\n0123456789abcdef");
}

/* A whole image, followed by bytes that are neither white space nor another image. */
bool break_trailing_junk(FILE *file)
{
    return text(file, "P5\n2 2\n255\nabcdjunk that is no image\n");
}

/* The PNG files below are written chunk by chunk, because libpng writes no broken files. */

static void put32(FILE *file, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        putc((int)(value >> shift & 255), file);
}

/* CRC-32, bit by bit. */
static uint32_t crc_of(const unsigned char *bytes, size_t count)
{
    uint32_t crc = 0xffffffffU;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? 0xedb88320U ^ (crc >> 1) : crc >> 1;
    }
    return ~crc;
}

/* Writes a chunk. typed_data: the four letters of its type, then the data. crc_error is XORed to
 * the CRC. */
static void put_chunk(FILE *file, const unsigned char *typed_data, size_t count, uint32_t crc_error)
{
    put32(file, (uint32_t)(count - 4));
    fwrite(typed_data, 1, count, file);
    put32(file, crc_of(typed_data, count) ^ crc_error);
}

static void put_text(FILE *file, const char *typed_text)
{
    put_chunk(file, (const unsigned char *)typed_text, strlen(typed_text), 0);
}

static void put_signature(FILE *file)
{
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
}

/* Writes the header chunk of an 8-bit grey square whose side is below 2^24. */
static void put_header(FILE *file, uint32_t side)
{
    const unsigned char a = (unsigned char)(side >> 16 & 255), b = (unsigned char)(side >> 8 & 255),
                        c = (unsigned char)(side & 255);
    const unsigned char head[] = {'I', 'H', 'D', 'R', 0, a, b, c, 0, a, b, c, 8, 0, 0, 0, 0};
    put_chunk(file, head, sizeof head, 0);
}

static void put_head(FILE *file, uint32_t side)
{
    put_signature(file);
    put_header(file, side);
}

static void put_end(FILE *file)
{
    put_text(file, "IEND");
}

/* Four rows of four pixels (each row begins with its filter's number, 0) in one stored deflate
 * block: two bytes of zlib header, block type, length 20 and its complement, the rows, Adler-32. */
static const unsigned char square[] = {
    'I', 'D', 'A', 'T', 0x78, 0x01, 0x01, 20,  0, 0xeb, 0xff, 0,   10,  20,   30,   40, 0,    50,
    60,  70,  80,  0,   90,   100,  110,  120, 0, 130,  140,  150, 160, 0x24, 0xcc, 5,  0x51,
};

bool break_bad_crc(FILE *file)
{
    put_head(file, 4);
    put_chunk(file, square, sizeof square, 1);
    put_end(file);
    return true;
}

bool break_truncated_png(FILE *file)
{
    put_head(file, 4);
    put32(file, sizeof square - 4);
    fwrite(square, 1, sizeof square / 2, file);
    return true;
}

bool break_huge_png(FILE *file)
{
    put_head(file, 1000000);
    put_chunk(file, square, sizeof square, 0);
    put_end(file);
    return true;
}

/* The upper-case first letter makes the chunk critical: a reader that does not know the chunk must
 * refuse the file. */
bool break_critical_after(FILE *file)
{
    put_head(file, 4);
    put_chunk(file, square, sizeof square, 0);
    put_text(file, "CRITwhat this says matters");
    put_end(file);
    return true;
}

/* The samples are in two chunks with another chunk between them, which PNG forbids. */
bool break_text_between(FILE *file)
{
    static const unsigned char title[] = "tEXtTitle\0text";
    unsigned char rest[sizeof square] = {'I', 'D', 'A', 'T'};
    const size_t half = sizeof square / 2;
    memcpy(rest + 4, square + half, sizeof square - half);
    put_head(file, 4);
    put_chunk(file, square, half, 0);
    put_chunk(file, title, sizeof title - 1, 0);
    put_chunk(file, rest, 4 + sizeof square - half, 0);
    put_end(file);
    return true;
}

bool break_before_header(FILE *file)
{
    put_signature(file);
    put_text(file, "prVtprivate");
    put_header(file, 4);
    put_chunk(file, square, sizeof square, 0);
    put_end(file);
    return true;
}

/* The rows of `square`, compressed with dynamic Huffman codes. The only code for distances has two
 * bits, so three quarters of the codes for distances are undefined, which deflate forbids. No
 * distance occurs, so a reader that does not check gets the rows. */
bool break_incomplete_codes(FILE *file)
{
    static const unsigned char rows[] = {
        'I',  'D',  'A',  'T',  0x78, 0x01, 0x05, 0xe0, 0x81, 0x09, 0x00, 0x30, 0x08, 0xc0, 0x30,
        0x08, 0x00, 0x80, 0x00, 0x00, 0x08, 0x00, 0x80, 0x00, 0x00, 0x08, 0x00, 0x80, 0x00, 0x00,
        0x08, 0x00, 0x80, 0x00, 0x00, 0x08, 0x00, 0x80, 0x00, 0x00, 0x08, 0x00, 0x80, 0x00, 0x00,
        0x08, 0x00, 0x80, 0x00, 0x00, 0x0c, 0x00, 0x80, 0x01, 0x00, 0xb0, 0x53, 0x57, 0x40, 0x62,
        0x01, 0x35, 0x0f, 0xc8, 0xea, 0x81, 0x3d, 0xf7, 0x7d, 0x24, 0xcc, 0x05, 0x51};
    put_head(file, 4);
    put_chunk(file, rows, sizeof rows, 0);
    put_end(file);
    return true;
}

/* The stream of samples is correct, but has three rows; the header says four. */
bool break_missing_row(FILE *file)
{
    static const unsigned char rows[] = {
        'I', 'D', 'A', 'T', 0x78, 0x01, 0x01, 15, 0,   0xf0, 0xff, 0,    10,   20,   30,
        40,  0,   50,  60,  70,   80,   0,    90, 100, 110,  120,  0x10, 0x13, 0x03, 0x0d,
    };
    put_head(file, 4);
    put_chunk(file, rows, sizeof rows, 0);
    put_end(file);
    return true;
}
