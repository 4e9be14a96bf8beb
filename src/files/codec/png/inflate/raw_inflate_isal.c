/* SPDX-License-Identifier: MIT */
/* ISA-L decodes the blocks, zlib judges them. zlib reads the head of each block first, so ISA-L
 * never sees Huffman codes that zlib refuses. zlib copies stored blocks. Where ISA-L finds a fault,
 * zlib goes on from the place where that call of ISA-L began, and decides. */
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

/* Bits of zlib's data_type. */
#define UNUSED_BITS 7  /* how many bits of the last byte are not used yet */
#define LAST_BLOCK 64  /* the block is the last one */
#define BLOCK_ENDS 128 /* inflate has returned at the end of a block */
#define HEAD_ENDS 256  /* inflate has returned at the end of the head of a block */

enum stage { IN_HEAD, IN_BODY, BY_ZLIB };

struct decoder {
    struct inflate_state isal;
    z_stream zlib;
    enum stage stage;
    bool last; /* is the current block the last one? */
    /* Input before that of the caller: the upper bit_count bits of ahead[0], 0 to 7, and the bytes
       from ahead[1] to ahead[end - 1]. They are kept while they are read, at ahead[at]. */
    int bit_count;
    uint8_t ahead[1 + sizeof(uint64_t) + HEAD_BYTES];
    size_t at, end;
    uint8_t history[WINDOW_BYTES]; /* the last bytes that were made */
    size_t history_bytes;
};

static enum raw_inflate_result result_of(int zlib)
{
    return zlib == Z_OK || zlib == Z_BUF_ERROR ? RAW_INFLATE_GOES_ON
           : zlib == Z_STREAM_END              ? RAW_INFLATE_ENDS
           : zlib == Z_MEM_ERROR               ? RAW_INFLATE_NO_MEMORY
                                               : RAW_INFLATE_FAULT;
}

static void remember(struct decoder *decoder, const uint8_t *bytes, size_t count)
{
    const size_t now = count < WINDOW_BYTES ? count : WINDOW_BYTES;
    const size_t room = WINDOW_BYTES - now;
    const size_t kept = decoder->history_bytes < room ? decoder->history_bytes : room;

    memmove(decoder->history, decoder->history + decoder->history_bytes - kept, kept);
    memcpy(decoder->history + kept, bytes + count - now, now);
    decoder->history_bytes = kept + now;
}

/* Puts the lower bits of `word` before the input. zlib gets those of a broken byte now. */
static void put_back(struct decoder *decoder, uint64_t word, int32_t count)
{
    const int bits = count > 0 ? count : 0;
    const size_t bytes = (size_t)bits / 8, left = decoder->end - decoder->at;

    memmove(decoder->ahead + 1 + bytes, decoder->ahead + decoder->at, left);
    decoder->at = 1;
    decoder->end = 1 + bytes + left;
    decoder->bit_count = bits % 8;
    decoder->ahead[0] = (uint8_t)(word << (8 - bits % 8));
    word >>= bits % 8;
    for (size_t i = 1; i <= bytes; i++, word >>= 8)
        decoder->ahead[i] = (uint8_t)word;
    inflatePrime(&decoder->zlib, -1, 0);
    inflatePrime(&decoder->zlib, bits % 8, decoder->ahead[0] >> (8 - bits % 8));
}

static void begin_head(struct decoder *decoder, uint64_t word, int32_t bits)
{
    inflateReset(&decoder->zlib);
    put_back(decoder, word, bits);
    decoder->stage = IN_HEAD;
}

static void *open_isal(void)
{
    struct decoder *decoder = calloc(1, sizeof *decoder);

    if (decoder && inflateInit2(&decoder->zlib, -WINDOW_BITS) == Z_OK) {
        isal_inflate_init(&decoder->isal);
        begin_head(decoder, 0, 0);
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

/* zlib, which has read the head of the block, decodes the rest. */
static enum raw_inflate_result hand_over(struct decoder *decoder)
{
    decoder->stage = BY_ZLIB;
    if (decoder->history_bytes == 0)
        return RAW_INFLATE_GOES_ON;
    return result_of(
        inflateSetDictionary(&decoder->zlib, decoder->history, (uInt)decoder->history_bytes));
}

/* --- The head of a block. */

/* Eight bits, from any one on. */
static unsigned byte_at(const uint8_t *bytes, size_t bit)
{
    return (bytes[bit / 8] | (unsigned)bytes[bit / 8 + 1] << 8) >> bit % 8 & 0xff;
}

/* ISA-L gets the bits of the head only: the odd ones first, then whole bytes. It is told that more
 * blocks follow: else it decodes one symbol at a time. False for a stored block. */
static bool give_head(struct decoder *decoder, size_t begin, size_t end)
{
    struct inflate_state *isal = &decoder->isal;
    const size_t odd = (end - begin) % 8, count = (end - begin) / 8;
    uint8_t head[HEAD_BYTES], none[8];

    decoder->ahead[begin / 8] &= (uint8_t) ~(1u << begin % 8);
    for (size_t i = 0; i < count; i++)
        head[i] = (uint8_t)byte_at(decoder->ahead, begin + odd + 8 * i);
    isal_inflate_reset(isal);
    isal_inflate_set_dict(isal, decoder->history, (uint32_t)decoder->history_bytes);
    isal->read_in = byte_at(decoder->ahead, begin) & ((1u << odd) - 1);
    isal->read_in_length = (int32_t)odd;
    isal->next_in = head;
    isal->avail_in = (uint32_t)count;
    isal->next_out = none;
    isal->avail_out = sizeof none;
    isal_inflate(isal);
    return isal->block_state == ISAL_BLOCK_CODED;
}

/* All that was read after the head becomes ISA-L's. It stops at the end of a last block. */
static void begin_body(struct decoder *decoder, int unused)
{
    struct inflate_state *isal = &decoder->isal;

    isal->bfinal = 1;
    isal->read_in = decoder->ahead[decoder->at - 1] >> (8 - unused);
    isal->read_in_length = unused;
    for (; decoder->at < decoder->end; isal->read_in_length += 8)
        isal->read_in |= (uint64_t)decoder->ahead[decoder->at++] << isal->read_in_length;
    decoder->stage = IN_BODY;
}

static enum raw_inflate_result end_head(struct decoder *decoder)
{
    const int unused = decoder->zlib.data_type & UNUSED_BITS;
    const size_t begin = 8 - (size_t)decoder->bit_count, end = 8 * decoder->at - (size_t)unused;

    decoder->last = decoder->zlib.data_type & LAST_BLOCK;
    if (!give_head(decoder, begin, end))
        return hand_over(decoder);
    begin_body(decoder, unused);
    return RAW_INFLATE_GOES_ON;
}

/* zlib reads no byte after the head. */
static enum raw_inflate_result run_head(struct decoder *decoder, struct raw_inflate_bytes *bytes)
{
    z_stream *zlib = &decoder->zlib;
    const size_t room = sizeof decoder->ahead - decoder->end;
    const size_t tried = bytes->input_bytes < room ? bytes->input_bytes : room;
    enum raw_inflate_result result;
    size_t back;

    memcpy(decoder->ahead + decoder->end, bytes->input, tried);
    decoder->end += tried;
    zlib->next_in = decoder->ahead + decoder->at;
    zlib->avail_in = (uInt)(decoder->end - decoder->at);
    zlib->next_out = bytes->output;
    zlib->avail_out = 1;
    result = result_of(inflate(zlib, Z_TREES));
    decoder->at = decoder->end - zlib->avail_in;
    back = zlib->avail_in < tried ? zlib->avail_in : tried;
    decoder->end -= back;
    bytes->input += tried - back;
    bytes->input_bytes -= tried - back;
    if (result != RAW_INFLATE_GOES_ON || !(zlib->data_type & HEAD_ENDS))
        return result;
    return end_head(decoder);
}

/* --- Its symbols. */

static void move_on(struct raw_inflate_bytes *bytes, size_t left)
{
    bytes->input += bytes->input_bytes - left;
    bytes->input_bytes = left;
}

/* The bytes ahead were read after the end of the stream. */
static enum raw_inflate_result end_stream(const struct decoder *decoder,
                                          struct raw_inflate_bytes *bytes)
{
    bytes->rest_bytes = decoder->end - decoder->at;
    memcpy(bytes->rest, decoder->ahead + decoder->at, bytes->rest_bytes);
    return RAW_INFLATE_ENDS;
}

/* Makes the bytes that ISA-L had before the call, and puts its input back. */
static enum raw_inflate_result take_back(struct decoder *decoder, uint64_t word, int32_t bits,
                                         size_t pending, struct raw_inflate_bytes *bytes)
{
    put_back(decoder, word, bits);
    bytes->made = pending;
    remember(decoder, bytes->output, pending);
    return hand_over(decoder);
}

static enum raw_inflate_result run_body(struct decoder *decoder, struct raw_inflate_bytes *bytes)
{
    struct inflate_state *isal = &decoder->isal;
    const uint64_t word = isal->read_in;
    const int32_t bits = isal->read_in_length;
    const size_t pending = (size_t)(isal->tmp_out_valid - isal->tmp_out_processed);

    if (bytes->all && bytes->input_bytes == 0 && pending == 0)
        return take_back(decoder, word, bits, 0, bytes);
    isal->next_in = (uint8_t *)bytes->input; /* ISA-L only reads it */
    isal->avail_in = (uint32_t)bytes->input_bytes;
    isal->next_out = bytes->output;
    isal->avail_out = (uint32_t)RAW_INFLATE_ROOM;
    if (isal_inflate(isal) != ISAL_DECOMP_OK)
        return take_back(decoder, word, bits, pending, bytes);
    move_on(bytes, isal->avail_in);
    bytes->made = RAW_INFLATE_ROOM - isal->avail_out;
    remember(decoder, bytes->output, bytes->made);
    if (isal->block_state != ISAL_BLOCK_FINISH)
        return RAW_INFLATE_GOES_ON;
    begin_head(decoder, isal->read_in, isal->read_in_length);
    return decoder->last ? end_stream(decoder, bytes) : RAW_INFLATE_GOES_ON;
}

/* To the end of the stream, or of a block that ends with a whole byte, as stored ones do: ISA-L
 * goes on there. */
static enum raw_inflate_result run_zlib(struct decoder *decoder, struct raw_inflate_bytes *bytes)
{
    z_stream *zlib = &decoder->zlib;
    const bool ahead = decoder->at < decoder->end;
    enum raw_inflate_result result;

    zlib->next_in = ahead ? decoder->ahead + decoder->at : (uint8_t *)bytes->input; /* only read */
    zlib->avail_in = (uInt)(ahead ? decoder->end - decoder->at : bytes->input_bytes);
    zlib->next_out = bytes->output;
    zlib->avail_out = (uInt)RAW_INFLATE_ROOM;
    result = result_of(inflate(zlib, Z_BLOCK));
    bytes->made = RAW_INFLATE_ROOM - zlib->avail_out;
    remember(decoder, bytes->output, bytes->made);
    if (ahead)
        decoder->at = decoder->end - zlib->avail_in;
    else
        move_on(bytes, zlib->avail_in);
    if (result == RAW_INFLATE_ENDS)
        return end_stream(decoder, bytes);
    if ((zlib->data_type & (BLOCK_ENDS | LAST_BLOCK | UNUSED_BITS)) == BLOCK_ENDS)
        begin_head(decoder, 0, 0);
    return result;
}

/* More than one stage, until there are bytes or no more input. */
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
             (decoder->stage != stage || decoder->zlib.data_type & BLOCK_ENDS ||
              decoder->end - decoder->at + bytes->input_bytes < left));
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
