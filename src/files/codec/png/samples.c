/* SPDX-License-Identifier: MIT */
/* Samples of a PNG file: from its IDAT chunks, checked, to chunks for libpng that need no check. */
#include "src/files/codec/png/chunks/chunks.h"

#include <string.h>

/* --- From the file. */

static enum status begin_chunk(struct png_samples *samples, struct error *error)
{
    samples->left = png_get_uint_32(samples->head);
    samples->crc = (uint32_t)crc32_z(0, samples->head + 4, 4);
    samples->after = samples->rows_left == 0;
    if (samples->left <= PNG_CHUNK_MAX_BYTES)
        return STATUS_OK;
    return fail(error, STATUS_INPUT, "%s: damaged: the length of a chunk (IDAT) is %u, above %u",
                samples->reader->name, samples->left, PNG_CHUNK_MAX_BYTES);
}

/* Checks the checksum of the current chunk, and reads the head of the next one. */
static enum status next_chunk(struct png_samples *samples, struct error *error)
{
    uint8_t crc[4];
    enum status status = png_take_bytes(samples->reader, crc, sizeof crc, error);

    if (status != STATUS_OK)
        return status;
    if (png_get_uint_32(crc) != samples->crc && !samples->after)
        return fail(error, STATUS_INPUT, "%s: damaged: wrong checksum in the image data (IDAT)",
                    samples->reader->name);
    if (png_get_uint_32(crc) != samples->crc && !samples->fault)
        samples->fault = "wrong checksum";
    status = png_take_bytes(samples->reader, samples->head, sizeof samples->head, error);
    samples->over = status == STATUS_OK && memcmp(samples->head + 4, "IDAT", 4) != 0;
    return status == STATUS_OK && !samples->over ? begin_chunk(samples, error) : status;
}

/* Refills zlib's empty input. *more: there were bytes left. */
static enum status refill(struct png_samples *samples, bool *more, struct error *error)
{
    enum status status = STATUS_OK;
    size_t count;

    while (samples->left == 0 && !samples->over && status == STATUS_OK)
        status = next_chunk(samples, error);
    *more = status == STATUS_OK && !samples->over;
    if (!*more)
        return status;
    count = samples->left < sizeof samples->input ? samples->left : sizeof samples->input;
    samples->left -= (uint32_t)count;
    samples->zlib.next_in = samples->input;
    samples->zlib.avail_in = (uInt)count;
    status = png_take_bytes(samples->reader, samples->input, count, error);
    if (status == STATUS_OK)
        samples->crc = (uint32_t)crc32_z(samples->crc, samples->input, count);
    return status;
}

/* What the input holds of the next count bytes, which fit a uInt. */
static size_t take(struct png_samples *samples, uint8_t *bytes, size_t count)
{
    z_stream *zlib = &samples->zlib;

    if (samples->result != Z_OK)
        return 0;
    zlib->next_out = bytes;
    zlib->avail_out = (uInt)count;
    samples->result = inflate(zlib, Z_NO_FLUSH);
    if (samples->result == Z_BUF_ERROR) /* it needs input */
        samples->result = Z_OK;
    return count - zlib->avail_out;
}

/* Inflates count bytes. *got is smaller if the stream ends before that many, or its chunks do, or
 * there is a fault: see samples->result. */
static enum status unpack(struct png_samples *samples, uint8_t *bytes, size_t count, size_t *got,
                          struct error *error)
{
    enum status status = STATUS_OK;
    bool more = true;

    *got = take(samples, bytes, count);
    while (*got < count && samples->result == Z_OK && status == STATUS_OK && more) {
        status = refill(samples, &more, error);
        if (status == STATUS_OK && more)
            *got += take(samples, bytes + *got, count - *got);
    }
    return status;
}

/* In zlib's words, which it has for all but one. */
static const char *zlib_fault(const struct png_samples *samples)
{
    return samples->zlib.msg ? samples->zlib.msg : "need dictionary";
}

/* Why there are fewer bytes than the image has. */
static enum status too_few(const struct png_samples *samples, struct error *error)
{
    const char *file = samples->reader->name;

    switch (samples->result) {
    case Z_STREAM_END:
        return fail(error, STATUS_INPUT, "%s: damaged: the image data (IDAT) ends too early", file);
    case Z_OK:
        return fail(error, STATUS_INPUT,
                    "%s: damaged: chunk %s where more image data (IDAT) was expected", file,
                    png_name_of(samples->head).text);
    case Z_MEM_ERROR:
        return image_reader_no_memory(samples->reader, error);
    default:
        return fail(error, STATUS_INPUT, "%s: damaged: bad image data (IDAT): %s", file,
                    zlib_fault(samples));
    }
}

static enum status take_rows(struct png_samples *samples, uint8_t *bytes, size_t count,
                             struct error *error)
{
    size_t got;
    const enum status status = unpack(samples, bytes, count, &got, error);

    samples->rows_left -= count;
    return status == STATUS_OK && got < count ? too_few(samples, error) : status;
}

/* --- To libpng, or to a reader in its place. */

enum status png_samples_take(struct png_samples *samples, uint8_t *bytes, size_t count,
                             struct error *error)
{
    samples->apart = true;
    return take_rows(samples, bytes, count, error);
}

static void append(struct png_samples *samples, const void *bytes, size_t count)
{
    memcpy(samples->frame + samples->frame_end, bytes, count);
    samples->frame_end += count;
}

static void append_number(struct png_samples *samples, uint32_t number)
{
    uint8_t bytes[4];

    png_save_uint_32(bytes, number);
    append(samples, bytes, sizeof bytes);
}

static void append_head(struct png_samples *samples, uint32_t length)
{
    append_number(samples, length);
    append(samples, "IDAT", 4);
}

/* For libpng, if the rows go to another reader: the end of the first chunk, which has zlib's
 * header, and a second chunk with the end of a stream of no bytes. libpng checks these CRCs. */
static void append_nothing(struct png_samples *samples)
{
    static const uint8_t bytes[] = {0xec, 0x1a, 0x7e, 0xd2, 0, 0, 0, 9, 'I',  'D',  'A',  'T', 1,
                                    0,    0,    0xff, 0xff, 0, 0, 0, 1, 0xef, 0xec, 0xf9, 0xc6};

    append(samples, bytes, sizeof bytes);
    samples->closed = true;
}

/* Ends the chunk of the last block, and begins the chunk of the next: each block is one chunk.
 * libpng does not check the CRC, which is 0. */
static void next_frame(struct png_samples *samples)
{
    const bool last = samples->rows_left == 0;
    const uint16_t length = samples->rows_left < PNG_SAMPLES_BLOCK_BYTES
                                ? (uint16_t)samples->rows_left
                                : PNG_SAMPLES_BLOCK_BYTES;
    const uint8_t block[] = {last, (uint8_t)length, (uint8_t)(length >> 8), (uint8_t)~length,
                             (uint8_t)(~length >> 8)};

    samples->frame_at = samples->frame_end = 0;
    if (samples->apart) {
        append_nothing(samples);
        return;
    }
    append_number(samples, 0);
    append_head(samples, (uint32_t)sizeof block + length + (last ? 4 : 0));
    append(samples, block, sizeof block);
    if (last) {
        append_number(samples, (uint32_t)samples->zlib.adler); /* of all the rows */
        append_number(samples, 0);
    }
    samples->block_left = length;
    samples->closed = last;
}

enum status png_samples_begin(struct png_samples *samples, struct image_reader *reader,
                              const uint8_t head[PNG_HEAD_BYTES], struct error *error)
{
    static const uint8_t zlib_head[] = {0x78, 0x01};

    samples->reader = reader;
    samples->rows_left = 1; /* until the header is known */
    memcpy(samples->head, head, PNG_HEAD_BYTES);
    append_head(samples, sizeof zlib_head);
    append(samples, zlib_head, sizeof zlib_head);
    if (inflateInit(&samples->zlib) != Z_OK)
        return image_reader_no_memory(samples->reader, error);
    return begin_chunk(samples, error);
}

enum status png_samples_read(struct png_samples *samples, uint8_t *bytes, size_t count,
                             size_t *given, struct error *error)
{
    size_t framed = samples->frame_end - samples->frame_at;

    if (framed == 0 && samples->block_left == 0 && !samples->closed) {
        next_frame(samples);
        framed = samples->frame_end;
    }
    if (framed > 0 || samples->block_left == 0) {
        *given = framed < count ? framed : count;
        memcpy(bytes, samples->frame + samples->frame_at, *given);
        samples->frame_at += *given;
        return STATUS_OK;
    }
    *given = samples->block_left < count ? samples->block_left : count;
    samples->block_left -= *given;
    return take_rows(samples, bytes, *given, error);
}

/* The fault after the last sample, or NULL. extra: the chunks hold more bytes than the stream. */
static const char *fault_of(const struct png_samples *samples, bool more_rows, bool extra)
{
    if (samples->fault)
        return samples->fault;
    if (more_rows)
        return "more data than the image has";
    if (samples->result == Z_STREAM_END)
        return extra ? "extra bytes" : NULL;
    return samples->result == Z_OK ? "no end of the compressed data" : zlib_fault(samples);
}

enum status png_samples_finish(struct png_samples *samples, uint8_t head[PNG_HEAD_BYTES],
                               struct error *error)
{
    bool more = true, extra;
    const char *fault;
    uint8_t byte;
    size_t got;
    enum status status = unpack(samples, &byte, 1, &got, error);

    extra = samples->zlib.avail_in > 0;
    while (status == STATUS_OK && more) {
        status = refill(samples, &more, error);
        extra |= more;
    }
    if (status != STATUS_OK)
        return status;
    fault = fault_of(samples, got > 0, extra);
    if (fault)
        metadata_note(&samples->reader->metadata.faults, "IDAT after the last sample", fault);
    memcpy(head, samples->head, PNG_HEAD_BYTES);
    return STATUS_OK;
}

void png_samples_drop(struct png_samples *samples)
{
    inflateEnd(&samples->zlib); /* harmless if it is not open */
}
