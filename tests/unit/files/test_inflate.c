/* SPDX-License-Identifier: MIT */
/* The zlib streams of PNG files, sound and damaged, in pieces of every size, by each decoder. */
#include "src/files/codec/png/inflate/inflate.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { RAW_BYTES = 3 * RAW_INFLATE_ROOM + 17, STREAM_BYTES = RAW_BYTES + RAW_BYTES / 100 + 1000 };

static const struct raw_inflate *const decoders[] = {
    &raw_inflate_zlib,
#ifdef HAVE_ISAL
    &raw_inflate_isal,
#endif
};

static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_RLE, Z_HUFFMAN_ONLY};

enum {
    DECODERS = sizeof decoders / sizeof *decoders,
    STRATEGIES = sizeof strategies / sizeof *strategies
};

static uint8_t raw[RAW_BYTES], back[RAW_BYTES + 1], stream[STREAM_BYTES];

/* What an inflater has made of a stream: bytes in `back`. */
struct outcome {
    size_t got, left; /* left: input after the stream */
    enum inflate_stage stage;
    const char *fault;
};

/* The stream in pieces of `piece` bytes; rows of `row` bytes taken. */
static struct outcome inflate_in_pieces(const struct raw_inflate *decoder, const uint8_t *bytes,
                                        size_t count, size_t piece, size_t row)
{
    struct outcome outcome = {.got = 0};
    struct inflater inflater;
    size_t given = 0;

    NEED(inflater_open(&inflater, decoder));
    while (outcome.got <= RAW_BYTES && !inflater_is_over(&inflater)) {
        const size_t room = RAW_BYTES + 1 - outcome.got, wanted = row < room ? row : room;
        const size_t now = inflater_take(&inflater, back + outcome.got, wanted);

        outcome.got += now;
        if (wanted == 0 || (now < wanted && !inflater_is_over(&inflater) && given == count))
            break;
        if (now < wanted && !inflater_is_over(&inflater)) {
            inflater.input = bytes + given;
            inflater.input_bytes = piece < count - given ? piece : count - given;
            given += inflater.input_bytes;
            inflater.all = given == count;
        }
    }
    outcome.left = count - given + inflater.input_bytes + inflater.surplus;
    outcome.stage = inflater.stage;
    outcome.fault = inflater.fault;
    inflater_close(&inflater);
    return outcome;
}

/* Bytes like those of filtered rows: small ones, runs, noise; repeated from `period` bytes before
 * in places. */
static void fill_raw(unsigned seed, size_t period)
{
    uint32_t state = seed * 2654435761u + 1;

    for (size_t i = 0; i < RAW_BYTES; i++) {
        const int kind = (int)(i / 997 % 5);

        state = state * 1664525 + 1013904223;
        raw[i] = (uint8_t)(kind == 0   ? state >> 24
                           : kind == 1 ? 7
                           : kind == 2 ? (state >> 24) % 5
                           : kind == 3 ? ((state >> 24) & (state >> 16) & (state >> 8))
                                       : 0);
        if (kind == 4 && i >= period)
            raw[i] = raw[i - period];
    }
}

/* Compresses the first `count` bytes into `stream`. */
static size_t compress_raw(size_t count, int level, int strategy)
{
    z_stream z = {.next_in = raw, .avail_in = (uInt)count};

    NEED(deflateInit2(&z, level, Z_DEFLATED, 15, 8, strategy) == Z_OK);
    z.next_out = stream;
    z.avail_out = STREAM_BYTES;
    NEED(deflate(&z, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

static void check_sound(const struct raw_inflate *decoder, size_t count, size_t bytes, size_t piece,
                        size_t row)
{
    const struct outcome outcome = inflate_in_pieces(decoder, stream, bytes, piece, row);

    CHECK(outcome.got == count && memcmp(back, raw, count) == 0 && outcome.stage == INFLATE_END &&
              outcome.left == 0,
          "%s: %zu of %zu bytes in pieces of %zu and %zu: stage %d, %zu left", decoder->name,
          outcome.got, count, piece, row, (int)outcome.stage, outcome.left);
}

/* Every kind of block, and matches as far back as can be. */
static void test_sound(void)
{
    static const size_t counts[] = {0, 1, 300, 40000, RAW_BYTES};
    static const size_t pieces[] = {1, 5, 16384, STREAM_BYTES}, rows[] = {4097, 1, 4097, RAW_BYTES};
    static const int levels[] = {0, 1, 9};

    fill_raw(1, 32768 - 262);
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++)
            for (size_t s = 0; s < STRATEGIES; s++) {
                const size_t bytes = compress_raw(counts[n], levels[l], strategies[s]);

                for (size_t p = counts[n] == RAW_BYTES ? 2 : 0; p < 4; p++)
                    for (size_t d = 0; d < DECODERS; d++)
                        check_sound(decoders[d], counts[n], bytes, pieces[p], rows[p]);
            }
}

/* A stream that ends anywhere: all decoders have the same bytes at the same place, no more than
 * there are, and ask for more. */
static void test_cut(void)
{
    for (size_t s = 0; s < STRATEGIES; s++) {
        const size_t bytes = compress_raw(3000, 6, strategies[s]);

        for (size_t cut = 0; cut < bytes; cut++) {
            const struct outcome first = inflate_in_pieces(decoders[0], stream, cut, 100, 61);

            CHECK(memcmp(back, raw, first.got) == 0 && first.stage < INFLATE_END, "cut at %zu",
                  cut);
            for (size_t d = 1; d < DECODERS; d++) {
                const struct outcome other = inflate_in_pieces(decoders[d], stream, cut, 100, 61);

                CHECK(other.got == first.got && other.stage == first.stage &&
                          memcmp(back, raw, other.got) == 0,
                      "%s, cut at %zu: %zu bytes, not %zu", decoders[d]->name, cut, other.got,
                      first.got);
            }
        }
    }
}

/* left: are there bytes after the stream? */
static void check_tail(const char *name, size_t bytes, enum inflate_stage stage, const char *fault,
                       bool left)
{
    static const size_t pieces[] = {1, 7, 30000};

    for (size_t d = 0; d < DECODERS; d++)
        for (int p = 0; p < 3; p++) {
            const struct outcome outcome =
                inflate_in_pieces(decoders[d], stream, bytes, pieces[p], 61);
            const char *said = outcome.fault ? outcome.fault : "no fault";

            CHECK(outcome.got == 5000 && memcmp(back, raw, 5000) == 0 && outcome.stage == stage &&
                      left == (outcome.left > 0) && strcmp(said, fault) == 0,
                  "%s, %s: %zu bytes, stage %d, %s, %zu left", name, decoders[d]->name, outcome.got,
                  (int)outcome.stage, said, outcome.left);
        }
}

/* The faults after the last byte come after it. */
static void test_tails(void)
{
    size_t bytes = compress_raw(5000, 6, Z_DEFAULT_STRATEGY);

    memset(stream + bytes, 0x55, 20);
    check_tail("sound", bytes, INFLATE_END, "no fault", false);
    check_tail("a byte after it", bytes + 1, INFLATE_END, "no fault", true);
    check_tail("bytes after it", bytes + 20, INFLATE_END, "no fault", true);
    check_tail("no checksum", bytes - 1, INFLATE_CHECKSUM, "no fault", false);
    stream[bytes - 1] ^= 1;
    check_tail("wrong checksum", bytes, INFLATE_FAULT, "incorrect data check", false);
    bytes = compress_raw(5000, 0, Z_DEFAULT_STRATEGY);
    stream[2] = 0; /* not the last block */
    stream[bytes - 4] = 7;
    check_tail("bad block", bytes - 3, INFLATE_FAULT, "invalid compressed data", false);
}

static void check_head(int first, int second, const char *fault)
{
    stream[0] = (uint8_t)first;
    stream[1] = (uint8_t)second;
    for (size_t d = 0; d < DECODERS; d++) {
        const struct outcome outcome = inflate_in_pieces(decoders[d], stream, 2, 1, 1);

        CHECK(outcome.got == 0 && outcome.stage == INFLATE_FAULT &&
                  strcmp(outcome.fault, fault) == 0,
              "%02x %02x: stage %d", (unsigned)first, (unsigned)second, (int)outcome.stage);
    }
}

static void test_heads(void)
{
    check_head(0x78, 0x02, "incorrect header check");
    check_head(0x77, 0x85, "unknown compression method");
    check_head(0x88, 0x1c, "invalid window size");
    check_head(0x78, 0x20, "need dictionary");
}

#ifdef HAVE_ISAL
/* Both decoders have the same bytes and the same verdict at the same place. */
static void check_same(const char *what, size_t place, size_t bytes, size_t piece)
{
    static uint8_t good[RAW_BYTES + 1];
    const struct outcome first = inflate_in_pieces(decoders[0], stream, bytes, piece, 3000);
    struct outcome other;

    memcpy(good, back, first.got);
    other = inflate_in_pieces(decoders[1], stream, bytes, piece, 3000);
    CHECK(other.got == first.got && memcmp(good, back, first.got) == 0,
          "%s %zu: %zu bytes, not %zu", what, place, other.got, first.got);
    if (first.got <= RAW_BYTES) /* else there is no more room */
        CHECK(other.stage == first.stage && other.fault == first.fault &&
                  (first.stage != INFLATE_END || other.left == first.left),
              "%s %zu: stage %d, not %d; %zu left, not %zu", what, place, (int)other.stage,
              (int)first.stage, other.left, first.left);
}

/* Each `every`th bit is wrong. */
static void check_flipped(size_t count, int level, int strategy, size_t piece, size_t every)
{
    const size_t bytes = compress_raw(count, level, strategy);

    for (size_t bit = 16; bit < 8 * bytes; bit += every) {
        stream[bit / 8] ^= (uint8_t)(1 << bit % 8);
        check_same("bit", bit, bytes, piece);
        stream[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

/* The smallest streams, at every bit; larger ones, and those of many blocks and windows, at some.
 */
static void test_flipped(void)
{
    for (size_t s = 0; s < STRATEGIES; s++) {
        check_flipped(3000, 6, strategies[s], STREAM_BYTES, 3);
        check_flipped(300, 6, strategies[s], 1, 1);
        check_flipped(RAW_BYTES, 6, strategies[s], 16384, 40009);
    }
    check_flipped(3000, 0, Z_DEFAULT_STRATEGY, 7, 5);
}

/* One match after another goes on over the end of the room. ISA-L keeps its rest, a few bytes,
 * until the next call, which may find a fault, or no more input. */
static void test_room(void)
{
    size_t bytes;

    memset(raw, 0, sizeof raw);
    check_flipped(RAW_BYTES, 6, Z_FIXED, STREAM_BYTES, 61);
    bytes = compress_raw(RAW_BYTES, 6, Z_FIXED);
    for (size_t cut = 2; cut < bytes; cut += 7)
        check_same("cut", cut, cut, STREAM_BYTES);
}

/* Bytes that are no stream, after the head: of the type of block that their first bits say. */
static void test_arbitrary(void)
{
    uint32_t state = 1;

    for (size_t turn = 0; turn < 4000; turn++) {
        for (size_t i = 0; i < 64; i++) {
            state = state * 1664525 + 1013904223;
            stream[i] = (uint8_t)(state >> 24);
        }
        stream[0] = 0x78;
        stream[1] = 0x01;
        check_same("turn", turn, 64, turn % 64 + 1);
    }
}

/* The next period of a stream that never ends; its matches reach into the one before. */
static size_t next_period(z_stream *z, size_t period)
{
    z->next_in = raw;
    z->avail_in = (uInt)period;
    z->next_out = stream;
    z->avail_out = STREAM_BYTES;
    NEED(deflate(z, Z_SYNC_FLUSH) == Z_OK);
    return STREAM_BYTES - z->avail_out;
}

/* ISA-L counts bytes in 32 bits; matches reach from after byte 2^32 to before it. */
static void test_long(void)
{
    const size_t period = 32000;
    z_stream z = {.next_in = NULL};
    struct inflater inflater;
    size_t bytes;
    bool same = true;

    fill_raw(1, period);
    NEED(deflateInit(&z, 9) == Z_OK && inflater_open(&inflater, &raw_inflate_isal));
    for (uint64_t done = 0; done <= ((uint64_t)1 << 32) + 2 * period && same; done += period) {
        if (done <= period)
            bytes = next_period(&z, period);
        inflater.input = stream;
        inflater.input_bytes = bytes;
        same = inflater_take(&inflater, back, period) == period && memcmp(back, raw, period) == 0;
        CHECK(same || done > 0, "the first period");
    }
    CHECK(same, "a fault near 4 GiB");
    inflater_close(&inflater);
    deflateEnd(&z);
}
#endif

int main(void)
{
    test_sound();
    test_cut();
    test_tails();
    test_heads();
#ifdef HAVE_ISAL
    test_flipped();
    test_room();
    test_arbitrary();
    test_long();
#endif
    return unit_result();
}
