/* SPDX-License-Identifier: MIT */
/* ISA-L decodes the blocks, zlib judges them. zlib reads the head of each block first, so Huffman
 * codes that it refuses never come to ISA-L. For ISA-L each block is a stream of its own, with the
 * bytes before it as the dictionary. Where ISA-L finds a fault, zlib goes on from the place where
 * that call of ISA-L began, and decides. */
#include "src/files/codec/codec.h"
#include "src/files/codec/png/inflate/raw_inflate.h"

#include <isa-l.h>
#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define WINDOW_BITS 15
#define WINDOW_BYTES ((size_t)1 << WINDOW_BITS)
#define HEAD_BYTES 288 /* of a block, at most: 17 + 19 * 3 + (286 + 30) * 7 bits */
#define TREES_READ 256 /* zlib's data_type after the head of a block */
#define LAST_BLOCK 64  /* the same, in the last block */

enum stage { IN_HEAD, IN_BODY, BY_ZLIB };

struct decoder {
    struct inflate_state isal;
    z_stream zlib;
    enum stage stage;
    bool last; /* is the current block the last one? */
    /* Input before that of the caller: bits of the byte before ahead[at], then bytes. */
    unsigned bits;
    int bit_count; /* 0 to 7 */
    uint8_t ahead[2 * sizeof(uint64_t) + HEAD_BYTES];
    size_t at, end;
    size_t head_end;               /* in `ahead`, while ISA-L has not read the head */
    uint8_t history[WINDOW_BYTES]; /* the last bytes that were made */
    size_t history_bytes;
};

/* Where a call of ISA-L begins. */
struct start {
    uint64_t read_in;
    int32_t read_in_length;
    size_t at;
    size_t pending;  /* bytes that were decoded before it: those that it makes first */
    bool head_ahead; /* it begins with the head, which zlib has read */
};

static void *open_isal(void)
{
    struct decoder *decoder = calloc(1, sizeof *decoder);

    if (decoder && inflateInit2(&decoder->zlib, -WINDOW_BITS) == Z_OK) {
        isal_inflate_init(&decoder->isal);
        return decoder;
    }
    free(decoder);
    return NULL;
}

static void close_isal(void *state)
{
    struct decoder *decoder = state;

    inflateEnd(&decoder->zlib);
    free(decoder);
}

static void remember(struct decoder *decoder, const uint8_t *bytes, size_t count)
{
    const size_t now = count < WINDOW_BYTES ? count : WINDOW_BYTES;
    const size_t room = WINDOW_BYTES - now;
    const size_t kept = decoder->history_bytes < room ? decoder->history_bytes : room;

    if (now == 0)
        return;
    memmove(decoder->history, decoder->history + decoder->history_bytes - kept, kept);
    memcpy(decoder->history + kept, bytes + count - now, now);
    decoder->history_bytes = kept + now;
}

/* Puts the bits that ISA-L has read, and not used, before the bytes that it has not read. */
static void put_back(struct decoder *decoder, uint64_t read_in, int32_t read_in_length, size_t at)
{
    const int bits = read_in_length > 0 ? read_in_length : 0;
    const size_t bytes = (size_t)bits / 8, left = decoder->end - at;
    uint64_t word = read_in >> bits % 8;

    memmove(decoder->ahead + bytes, decoder->ahead + at, left);
    for (size_t i = 0; i < bytes; i++, word >>= 8)
        decoder->ahead[i] = (uint8_t)word;
    decoder->at = 0;
    decoder->end = bytes + left;
    decoder->bit_count = bits % 8;
    decoder->bits = (unsigned)read_in & ((1u << bits % 8) - 1);
}

/* The input that comes first. */
static const uint8_t *source(const struct decoder *decoder, const struct raw_inflate_bytes *bytes,
                             size_t *count)
{
    const size_t ahead = decoder->end - decoder->at;

    *count = ahead > 0 ? ahead : bytes->input_bytes;
    return ahead > 0 ? decoder->ahead + decoder->at : bytes->input;
}

/* `count` bytes of it were read. */
static void move_on(struct decoder *decoder, struct raw_inflate_bytes *bytes, size_t count)
{
    if (decoder->at < decoder->end) {
        decoder->at += count;
        return;
    }
    bytes->input += count;
    bytes->input_bytes -= count;
}

static enum raw_inflate_result result_of(int zlib)
{
    return zlib == Z_OK || zlib == Z_BUF_ERROR ? RAW_INFLATE_GOES_ON
           : zlib == Z_STREAM_END              ? RAW_INFLATE_ENDS
           : zlib == Z_MEM_ERROR               ? RAW_INFLATE_NO_MEMORY
                                               : RAW_INFLATE_FAULT;
}

/* --- The head of a block. */

/* ISA-L reads the head again. It takes the block for the last one, and so stops at its end. */
static void begin_body(struct decoder *decoder)
{
    decoder->last = decoder->zlib.data_type & LAST_BLOCK;
    decoder->head_end = decoder->at;
    decoder->at = 0;
    isal_inflate_reset(&decoder->isal);
    if (decoder->history_bytes > 0)
        isal_inflate_set_dict(&decoder->isal, decoder->history, (uint32_t)decoder->history_bytes);
    if (decoder->bit_count > 0)
        decoder->bits |= 1;
    else
        decoder->ahead[0] |= 1;
    decoder->isal.read_in = decoder->bits;
    decoder->isal.read_in_length = decoder->bit_count;
    decoder->stage = IN_BODY;
}

/* zlib reads no byte after the head, so that all of them are kept for ISA-L. */
static enum raw_inflate_result run_head(struct decoder *decoder, struct raw_inflate_bytes *bytes)
{
    z_stream *zlib = &decoder->zlib;
    enum raw_inflate_result result;

    for (;;) {
        zlib->next_in = decoder->ahead + decoder->at;
        zlib->avail_in = (uInt)(decoder->end - decoder->at);
        zlib->next_out = bytes->output;
        zlib->avail_out = 1;
        result = result_of(inflate(zlib, Z_TREES));
        decoder->at = decoder->end - zlib->avail_in;
        if (result != RAW_INFLATE_GOES_ON)
            return result;
        if (zlib->data_type & TREES_READ)
            break;
        if (bytes->input_bytes == 0)
            return RAW_INFLATE_GOES_ON;
        decoder->ahead[decoder->end++] = *bytes->input++;
        bytes->input_bytes--;
    }
    begin_body(decoder);
    return RAW_INFLATE_GOES_ON;
}

/* --- Its symbols. */

static enum raw_inflate_result end_block(struct decoder *decoder, struct raw_inflate_bytes *bytes)
{
    put_back(decoder, decoder->isal.read_in, decoder->isal.read_in_length, decoder->at);
    if (decoder->last) {
        bytes->rest_bytes = decoder->end;
        memcpy(bytes->rest, decoder->ahead, decoder->end);
        return RAW_INFLATE_ENDS;
    }
    decoder->stage = IN_HEAD;
    inflateReset(&decoder->zlib);
    return result_of(inflatePrime(&decoder->zlib, decoder->bit_count, (int)decoder->bits));
}

/* zlib, which has read the head of the block, goes on where that call of ISA-L began. */
static enum raw_inflate_result hand_over(struct decoder *decoder, const struct start *start,
                                         struct raw_inflate_bytes *bytes)
{
    z_stream *zlib = &decoder->zlib;
    int result = Z_OK;

    decoder->stage = BY_ZLIB;
    if (start->head_ahead) {
        decoder->at = decoder->head_end;
    } else {
        put_back(decoder, start->read_in, start->read_in_length, start->at);
        inflatePrime(zlib, -1, 0);
        inflatePrime(zlib, decoder->bit_count, (int)decoder->bits);
    }
    bytes->made = start->pending;
    remember(decoder, bytes->output, bytes->made);
    if (decoder->history_bytes > 0)
        result = inflateSetDictionary(zlib, decoder->history, (uInt)decoder->history_bytes);
    return result_of(result);
}

static enum raw_inflate_result run_body(struct decoder *decoder, struct raw_inflate_bytes *bytes)
{
    struct inflate_state *isal = &decoder->isal;
    const struct start start = {isal->read_in, isal->read_in_length, decoder->at,
                                (size_t)(isal->tmp_out_valid - isal->tmp_out_processed),
                                isal->block_state == ISAL_BLOCK_NEW_HDR};
    size_t count;

    if (bytes->all && start.at == decoder->end && bytes->input_bytes == 0 && start.pending == 0)
        return hand_over(decoder, &start, bytes);
    isal->next_in = (uint8_t *)source(decoder, bytes, &count); /* ISA-L only reads it */
    isal->avail_in = (uint32_t)count;
    isal->next_out = bytes->output;
    isal->avail_out = (uint32_t)RAW_INFLATE_ROOM;
    if (isal_inflate(isal) != ISAL_DECOMP_OK)
        return hand_over(decoder, &start, bytes);
    move_on(decoder, bytes, count - isal->avail_in);
    bytes->made = RAW_INFLATE_ROOM - isal->avail_out;
    remember(decoder, bytes->output, bytes->made);
    return isal->block_state == ISAL_BLOCK_FINISH ? end_block(decoder, bytes) : RAW_INFLATE_GOES_ON;
}

static enum raw_inflate_result run_zlib(struct decoder *decoder, struct raw_inflate_bytes *bytes)
{
    z_stream *zlib = &decoder->zlib;
    enum raw_inflate_result result;
    size_t count;

    zlib->next_in = (uint8_t *)source(decoder, bytes, &count); /* zlib only reads it */
    zlib->avail_in = (uInt)count;
    zlib->next_out = bytes->output + bytes->made;
    zlib->avail_out = (uInt)(RAW_INFLATE_ROOM - bytes->made);
    result = result_of(inflate(zlib, Z_NO_FLUSH));
    bytes->made = RAW_INFLATE_ROOM - zlib->avail_out;
    move_on(decoder, bytes, count - zlib->avail_in);
    if (result == RAW_INFLATE_ENDS) {
        bytes->rest_bytes = decoder->end - decoder->at;
        memcpy(bytes->rest, decoder->ahead + decoder->at, bytes->rest_bytes);
    }
    return result;
}

static enum raw_inflate_result run_isal(void *state, struct raw_inflate_bytes *bytes)
{
    static enum raw_inflate_result (*const runs[])(struct decoder *, struct raw_inflate_bytes *) = {
        run_head, run_body, run_zlib};
    struct decoder *decoder = state;
    enum raw_inflate_result result;
    enum stage stage;
    size_t left;

    bytes->made = bytes->rest_bytes = 0;
    do {
        stage = decoder->stage;
        left = decoder->end - decoder->at + bytes->input_bytes;
        result = runs[stage](decoder, bytes);
    } while (result == RAW_INFLATE_GOES_ON && bytes->made == 0 &&
             (decoder->stage != stage || decoder->end - decoder->at + bytes->input_bytes < left));
    return result;
}

const struct raw_inflate raw_inflate_isal = {"ISA-L", open_isal, run_isal, close_isal};

#define TEXT_OF(MACRO) TEXT_OF_VALUE(MACRO) /* the macro's value as a string */
#define TEXT_OF_VALUE(VALUE) #VALUE

const char *codec_isal_version(void)
{
    return TEXT_OF(ISAL_MAJOR_VERSION) "." TEXT_OF(ISAL_MINOR_VERSION) "." TEXT_OF(
        ISAL_PATCH_VERSION);
}
