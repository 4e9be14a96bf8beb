/* SPDX-License-Identifier: MIT */
/* Counts the bytes to which the compressed data of a strip or tile expand. The data are damaged if
 * they expand to more bytes than the rows need, with two exceptions: the last strip may have all
 * its rows, though the image has fewer left (bytes_of_rows), and the last LZW code may be too long
 * (count_lzw). */
#include "src/files/codec/tiff/tiff.h"

#include "kernels/common/numbers.h"

#include <string.h>
#include <zlib.h>

#define CHUNK_BYTES (1 << 14)

/* The compressed bytes of a part: a strip or tile. */
struct part_input {
    struct tiff_handle *handle;
    /* The bytes that have not been read yet: their offset in the file, and their number. */
    int64_t at, left;
    bool reversed;    /* the lowest bit of a byte is the first in the stream */
    size_t next, end; /* index of the next byte in `chunk`, and the number of bytes read into it */
    uint8_t chunk[CHUNK_BYTES];
};

/* Reads the next chunk. Returns false at the end of the data. */
static bool next_chunk(struct part_input *input)
{
    const tmsize_t wanted = (tmsize_t)min(input->left, (int64_t)sizeof input->chunk);
    const tmsize_t count = tiff_handle_move(input->handle, false, input->at, input->chunk, wanted);

    if (input->reversed)
        TIFFReverseBits(input->chunk, count);
    input->at += count;
    input->left -= count;
    input->next = 0;
    input->end = (size_t)count;
    return count > 0;
}

/* Returns the next byte, or -1 at the end of the data. */
static int next_byte(struct part_input *input)
{
    return input->next < input->end || next_chunk(input) ? input->chunk[input->next++] : -1;
}

/* Decodes a deflate stream to its end, or until more than `most` bytes have come out. Returns the
 * number of decoded bytes, or -1 if the stream does not end properly: *fault then says why. */
static int64_t count_deflate(struct part_input *input, int64_t most, const char **fault)
{
    uint8_t bytes[CHUNK_BYTES];
    z_stream stream = {0};
    int64_t count = 0;
    int result = inflateInit(&stream);

    while (result == Z_OK && count <= most) {
        if (stream.avail_in == 0 && next_chunk(input)) {
            stream.next_in = input->chunk;
            stream.avail_in = (uInt)input->end;
        }
        stream.next_out = bytes;
        stream.avail_out = sizeof bytes;
        result = inflate(&stream, Z_NO_FLUSH);
        count += (int64_t)(sizeof bytes - stream.avail_out);
    }
    *fault = stream.msg              ? stream.msg
             : result == Z_MEM_ERROR ? "no memory to decode it"
                                     : "the deflate stream has no end";
    inflateEnd(&stream);
    return result == Z_STREAM_END || count > most ? count : -1;
}

static int64_t count_packbits(struct part_input *input, int64_t most)
{
    int64_t count = 0;
    int length, byte;

    while (count <= most && (length = next_byte(input)) >= 0) {
        const int literals = length < 128 ? length + 1 : 1; /* how many bytes follow the length */

        if (length == 128) /* no operation */
            continue;
        byte = 0;
        for (int i = 0; i < literals && byte >= 0; i++)
            byte = next_byte(input);
        if (byte >= 0)
            count += length < 128 ? literals : 257 - length;
    }
    return count;
}

#define LZW_CLEAR 256
#define LZW_END 257
#define LZW_MIN_BITS 9
#define LZW_MAX_BITS 12

/* LZW's table of codes: the length of each code's string. The strings themselves are not needed to
 * count bytes. */
struct lzw_table {
    int32_t lengths[1 << LZW_MAX_BITS];
    int32_t count, bits; /* number of codes in use; bits of the next code */
    int32_t before;      /* the previous code; LZW_CLEAR, of length 0, if there is none */
    uint32_t read;       /* the bits read last */
    int held;            /* how many bits of `read`, its lowest, have not been used yet */
};

/* Returns the length of the code's string. Adds an entry to the table: the previous code's
 * string, then the first byte of this code's string. */
static int32_t lzw_length(struct lzw_table *table, int32_t code)
{
    const int32_t before = table->lengths[table->before];

    if (before > 0 && table->count < 1 << LZW_MAX_BITS)
        table->lengths[table->count++] = before + 1;
    /* Damaged: libtiff has refused this code, or has stopped decoding before it. */
    if (code >= table->count)
        return 0;
    table->before = code;
    /* TIFF encoders switch to longer codes one entry early. */
    if (table->count >= (1 << table->bits) - 1 && table->bits < LZW_MAX_BITS)
        table->bits++;
    return table->lengths[code];
}

static void lzw_clear(struct lzw_table *table)
{
    table->count = LZW_END + 1;
    table->bits = LZW_MIN_BITS;
    table->before = LZW_CLEAR;
}

/* Returns the next code; LZW_END also at the end of the data. */
static int32_t next_code(struct part_input *input, struct lzw_table *table)
{
    for (; table->held < table->bits; table->held += 8) {
        const int byte = next_byte(input);

        if (byte < 0)
            return LZW_END;
        table->read = table->read << 8 | (uint32_t)byte;
    }
    table->held -= table->bits;
    return (int32_t)(table->read >> table->held & ((1U << table->bits) - 1));
}

/* Counts the bytes of all codes. If only the last code goes beyond `wanted` bytes, returns
 * `wanted`, because valid files have such a code: Photoshop packs a byte too many, and old versions
 * of libtiff may write an end code of too few bits, which reads as another code. */
static int64_t count_lzw(struct part_input *input, int64_t wanted, int64_t most)
{
    struct lzw_table table = {.lengths = {0}};
    int64_t count = 0, before = 0; /* before: the count without the last code's bytes */
    int32_t code;

    for (int i = 0; i < LZW_CLEAR; i++)
        table.lengths[i] = 1;
    lzw_clear(&table);
    while (before <= most && (code = next_code(input, &table)) != LZW_END) {
        if (code == LZW_CLEAR) {
            lzw_clear(&table);
            continue;
        }
        before = count;
        count += lzw_length(&table, code);
    }
    return before <= wanted ? min(count, wanted) : count;
}

/* True for the LZW format that libtiff wrote before 1989, in which codes begin with the lowest bit
 * of a byte. */
static bool is_old_lzw(struct part_input *input)
{
    return next_chunk(input) && input->end > 1 && input->chunk[0] == 0 && input->chunk[1] & 1;
}

static int64_t count_bytes(struct part_input *input, uint16_t compression, int64_t wanted,
                           int64_t most, const char **fault)
{
    switch (compression) {
    case COMPRESSION_NONE:
        return wanted;
    case COMPRESSION_PACKBITS:
        return count_packbits(input, most);
    case COMPRESSION_LZW:
        return is_old_lzw(input) ? wanted : count_lzw(input, wanted, most);
    default:
        return count_deflate(input, most, fault);
    }
}

/* Returns the number of bytes to which the rows of a strip or tile expand. In a tile all rows
 * count; in a strip only the rows inside the image count. Sets *most to the number of bytes of a
 * whole tile or strip, since some programs write a whole strip even if the image has fewer rows
 * left. */
static int64_t bytes_of_rows(const struct tiff_handle *handle, const struct tiff_kind *kind,
                             uint32_t index, int64_t *most)
{
    const int64_t height = kind->shape.height;
    const int64_t strips = (height - 1) / kind->block_rows + 1;
    const int64_t left = height - index % strips * kind->block_rows;
    const int64_t row_bytes = kind->tiled ? 0 : TIFFVStripSize(handle->tif, 1);
    uint32_t rows = (uint32_t)kind->block_rows;

    if (kind->tiled)
        return *most = TIFFTileSize(handle->tif);
    TIFFGetField(handle->tif, TIFFTAG_ROWSPERSTRIP, &rows);
    if (__builtin_mul_overflow(row_bytes, (int64_t)rows, most))
        *most = INT64_MAX;
    return min(left, kind->block_rows) * row_bytes;
}

enum status tiff_part_check_end(struct tiff_handle *handle, const struct tiff_kind *kind,
                                uint32_t index, const char *where, struct error *error)
{
    uint16_t fill_order = FILLORDER_MSB2LSB;
    struct part_input input = {.handle = handle,
                               .at = (int64_t)TIFFGetStrileOffset(handle->tif, index),
                               .left = (int64_t)TIFFGetStrileByteCount(handle->tif, index)};
    const char *fault = NULL;
    int64_t most;
    const int64_t wanted = bytes_of_rows(handle, kind, index, &most);
    int64_t count;

    TIFFGetFieldDefaulted(handle->tif, TIFFTAG_FILLORDER, &fill_order);
    input.reversed = fill_order == FILLORDER_LSB2MSB;
    count = count_bytes(&input, kind->compression, wanted, most, &fault);
    if (handle->reason == 0 && count >= 0 && (count <= wanted || count == most))
        return STATUS_OK;
    snprintf(handle->fault, sizeof handle->fault, "%s",
             count < 0 ? fault : "its strip or tile has more data than rows");
    return tiff_fault(handle, where, error);
}
