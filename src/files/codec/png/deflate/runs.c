/* SPDX-License-Identifier: MIT */
/* The bytes become deflate blocks (RFC 1951) in pieces: each is coded by a Huffman code of its own,
 * or stored if that is shorter. */
#include "src/files/codec/png/deflate/runs.h"
#include "src/files/codec/png/deflate/huffman.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHORTEST_RUN = 3,
    LONGEST_RUN = 258,
    FIRST_RUN = 256, /* symbols: bytes, then runs by their length */
    KINDS = FIRST_RUN + LONGEST_RUN - SHORTEST_RUN + 1,
    END = 256, /* deflate's symbols: 0..255 are bytes, those after END lengths of matches */
    SYMBOLS = 286,
    DISTANCES = 2, /* distance 1 is the first; a complete code has two */
    LENGTHS = 19,  /* symbols for code lengths: those from FIRST_REPEAT on repeat one */
    FIRST_REPEAT = 16,
};

/* --- Symbols of many bytes at once: the processor predicts badly where runs begin and end. */

enum {
    WINDOW = 64, /* bytes, a bit for each */
    CHUNK = 16,  /* bytes that become symbols at once; readable after a window */
};

struct symbols {
    uint16_t list[RUNS_PIECE + CHUNK];
    size_t count;
};

/* Bit k: does byte k of 8 repeat the one before it? The one before them is readable. */
static uint64_t repeats_in_word(const uint8_t *bytes)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    uint64_t these, before, differ, same;

    memcpy(&these, bytes, sizeof these);
    memcpy(&before, bytes - 1, sizeof before);
    differ = le64toh(these) ^ le64toh(before);
    same = ~(((differ & low) + low) | differ | low); /* the highest bit of each byte that is 0 */
    return (same >> 7) * 0x0102040810204080 >> 56;   /* moves these bits side by side */
}

/* The same of a window. */
static uint64_t repeats(const uint8_t *bytes)
{
    uint64_t bits = 0;

    for (int k = 0; k < WINDOW; k += 8)
        bits |= repeats_in_word(bytes + k) << k;
    return bits;
}

/* How many bytes, of at most `most`, repeat the one before them. */
static size_t run_length(const uint8_t *bytes, size_t most)
{
    size_t run = 0;

    while (run + 8 <= most && repeats_in_word(bytes + run) == 0xff)
        run += 8;
    while (run < most && bytes[run] == bytes[-1])
        run++;
    return run;
}

/* Bytes without a run, of which whole chunks are readable. */
static void add_single(struct symbols *symbols, const uint8_t *bytes, size_t count)
{
    uint16_t *list = symbols->list + symbols->count;

    for (size_t i = 0; i < count; i += CHUNK)
        for (int k = 0; k < CHUNK; k++)
            list[i + (size_t)k] = bytes[i + (size_t)k];
    symbols->count += count;
}

/* A run of the byte, as symbols of runs and, at its end, of bytes. */
static void add_run(struct symbols *symbols, uint8_t byte, size_t run)
{
    while (run >= SHORTEST_RUN) {
        const size_t now = run < LONGEST_RUN ? run : LONGEST_RUN;

        symbols->list[symbols->count++] = (uint16_t)(FIRST_RUN + now - SHORTEST_RUN);
        run -= now;
    }
    for (; run > 0; run--)
        symbols->list[symbols->count++] = byte;
}

/* The symbols of a window; a run that reaches its end is followed beyond it. Of two bytes at its
 * end it is not known whether a run begins there. Returns the bytes that were taken, at least one
 * and of `left` at most. */
static size_t add_window(struct symbols *symbols, const uint8_t *bytes, size_t left)
{
    uint64_t same = repeats(bytes);
    size_t at = 0;

    for (uint64_t three; (three = same & same >> 1 & same >> 2) != 0;) {
        const size_t single = (size_t)__builtin_ctzll(three);
        const uint64_t from = ~(same >> single);
        size_t run = from ? (size_t)__builtin_ctzll(from) : WINDOW;

        add_single(symbols, bytes + at, single);
        at += single;
        if (at + run == WINDOW)
            run += run_length(bytes + WINDOW, left - WINDOW);
        add_run(symbols, bytes[at], run);
        at += run;
        if (at >= WINDOW)
            return at;
        same >>= single + run;
    }
    if (at < WINDOW - 2) {
        add_single(symbols, bytes + at, WINDOW - 2 - at);
        at = WINDOW - 2;
    }
    return at;
}

static void find_symbols(const uint8_t *bytes, size_t count, struct symbols *symbols)
{
    size_t i = 1;

    symbols->list[0] = bytes[0];
    symbols->count = 1;
    while (count - i >= WINDOW + CHUNK)
        i += add_window(symbols, bytes + i, count - i);
    while (i < count) {
        const size_t run = run_length(bytes + i, count - i), now = run > 0 ? run : 1;

        add_run(symbols, bytes[i], now);
        i += now;
    }
}

/* --- Bits. */

struct writer {
    uint8_t *out;
    uint64_t bits; /* that are not in `out` */
    int count;
};

static void flush_bits(struct writer *writer)
{
    const uint64_t word = htole64(writer->bits);

    memcpy(writer->out, &word, sizeof word);
    writer->out += writer->count / 8;
    writer->bits >>= writer->count / 8 * 8;
    writer->count %= 8;
}

/* At most 48 bits. */
static void put_bits(struct writer *writer, uint64_t bits, int count)
{
    writer->bits |= bits << writer->count;
    writer->count += count;
    flush_bits(writer);
}

/* A stored block; none of its bytes: up to the end of a byte. */
static void put_stored(struct writer *writer, const uint8_t *bytes, size_t count, bool last)
{
    put_bits(writer, last, 3);
    put_bits(writer, 0, (8 - writer->count) % 8);
    put_bits(writer, count | (~count & 0xffff) << 16, 32);
    memcpy(writer->out, bytes, count);
    writer->out += count;
}

/* --- A Huffman code and what it codes. */

/* A symbol's code and what follows it: a run's length and distance. */
struct code {
    uint32_t bits;
    int count;
};

/* The description of a code: lengths, and repeats of them with how often in their extra bits. */
struct description {
    uint8_t symbols[SYMBOLS + DISTANCES], extra[SYMBOLS + DISTANCES];
    int count;
};

/* Deflate's symbol for a run, and its extra bits. */
static int run_symbol(int length, struct code *extra)
{
    const int n = length - SHORTEST_RUN;
    const int bits = n < 8 || length == LONGEST_RUN ? 0 : 29 - __builtin_clz((unsigned)n);

    *extra = (struct code){(uint32_t)n & ((1u << bits) - 1), bits};
    return length == LONGEST_RUN ? SYMBOLS - 1 : END + 1 + 4 * bits + (n >> bits);
}

/* How often deflate's symbols occur. Two counts in turn: a symbol's does not wait for that of the
 * same symbol just before. */
static void count_symbols(const struct symbols *symbols, uint32_t counts[SYMBOLS])
{
    uint32_t kinds[2][KINDS] = {0};
    struct code unused;

    for (size_t i = 0; i < symbols->count; i++)
        kinds[i % 2][symbols->list[i]]++;
    memset(counts, 0, SYMBOLS * sizeof *counts);
    counts[END] = 1;
    for (int kind = 0; kind < KINDS; kind++)
        counts[kind < FIRST_RUN ? kind : run_symbol(kind - FIRST_RUN + SHORTEST_RUN, &unused)] +=
            kinds[0][kind] + kinds[1][kind];
}

static void describe(struct description *description, int symbol, int extra)
{
    description->symbols[description->count] = (uint8_t)symbol;
    description->extra[description->count++] = (uint8_t)extra;
}

/* `repeats` times the length: once as it is, then by symbol 16; zeros by 17 and 18. */
static void describe_repeats(struct description *description, uint8_t length, int repeats)
{
    if (length > 0) {
        describe(description, length, 0);
        repeats--;
    }
    while (repeats > 0) {
        const int most = length > 0 ? 6 : repeats > 10 ? 138 : 10;
        const int now = repeats < most ? repeats : most;

        if (now < 3)
            describe(description, length, 0);
        else
            describe(description, length > 0 ? 16 : now > 10 ? 18 : 17, now - (now > 10 ? 11 : 3));
        repeats -= now < 3 ? 1 : now;
    }
}

/* Lengths of `literals` symbols and then of distances, all 1. */
static void put_lengths(struct writer *writer, const uint8_t *lengths, int literals)
{
    static const uint8_t order[LENGTHS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                           11, 4,  12, 3, 13, 2, 14, 1, 15};
    static const int extra_bits[] = {2, 3, 7};
    struct description description = {.count = 0};
    uint8_t all[SYMBOLS + DISTANCES], own[LENGTHS];
    uint16_t codes[LENGTHS];
    uint32_t counts[LENGTHS] = {0};
    int described = LENGTHS;

    memcpy(all, lengths, (size_t)literals);
    memset(all + literals, 1, DISTANCES);
    for (int i = 0, next; i < literals + DISTANCES; i = next) {
        for (next = i + 1; next < literals + DISTANCES && all[next] == all[i];)
            next++;
        describe_repeats(&description, all[i], next - i);
    }
    for (int i = 0; i < description.count; i++)
        counts[description.symbols[i]]++;
    huffman_lengths(counts, LENGTHS, 7, own);
    huffman_codes(own, LENGTHS, codes);
    while (own[order[described - 1]] == 0)
        described--;
    put_bits(writer, (uint64_t)(literals - END - 1), 5);
    put_bits(writer, DISTANCES - 1, 5);
    put_bits(writer, (uint64_t)(described - 4), 4);
    for (int i = 0; i < described; i++)
        put_bits(writer, own[order[i]], 3);
    for (int i = 0; i < description.count; i++) {
        const int symbol = description.symbols[i], repeat = symbol - FIRST_REPEAT;

        put_bits(writer, codes[symbol], own[symbol]);
        put_bits(writer, description.extra[i], repeat < 0 ? 0 : extra_bits[repeat]);
    }
}

/* The codes of bytes and of runs with their distance, of one bit. */
static void make_codes(struct code kinds[KINDS], const uint8_t *lengths, const uint16_t *codes)
{
    for (int kind = 0; kind < KINDS; kind++) {
        struct code extra = {0, -1};
        const int symbol =
            kind < FIRST_RUN ? kind : run_symbol(kind - FIRST_RUN + SHORTEST_RUN, &extra);

        kinds[kind] = (struct code){codes[symbol] | extra.bits << lengths[symbol],
                                    lengths[symbol] + extra.count + 1};
    }
}

static void put_coded(struct writer *writer, const struct symbols *symbols, bool last)
{
    uint32_t counts[SYMBOLS];
    uint8_t lengths[SYMBOLS];
    uint16_t codes[SYMBOLS];
    struct code kinds[KINDS];
    int literals = SYMBOLS;
    size_t i = 0;

    count_symbols(symbols, counts);
    huffman_lengths(counts, SYMBOLS, HUFFMAN_MAX_LENGTH, lengths);
    huffman_codes(lengths, SYMBOLS, codes);
    make_codes(kinds, lengths, codes);
    while (lengths[literals - 1] == 0)
        literals--;
    put_bits(writer, 2 << 1 | last, 3);
    put_lengths(writer, lengths, literals);
    for (; i + 2 <= symbols->count; i += 2) { /* at most 7 + 2 (15 + 5 + 1) bits at a time */
        const struct code first = kinds[symbols->list[i]], second = kinds[symbols->list[i + 1]];

        writer->bits |= (uint64_t)first.bits << writer->count;
        writer->count += first.count;
        writer->bits |= (uint64_t)second.bits << writer->count;
        writer->count += second.count;
        flush_bits(writer);
    }
    if (i < symbols->count)
        put_bits(writer, kinds[symbols->list[i]].bits, kinds[symbols->list[i]].count);
    put_bits(writer, codes[END], lengths[END]);
}

size_t runs_deflate(const uint8_t *bytes, size_t count, bool last, uint8_t *out)
{
    struct writer writer = {.out = out};
    struct symbols *symbols = malloc(sizeof *symbols); /* too large for a stack */

    if (!symbols)
        return 0;
    for (size_t done = 0, now; done < count; done += now) {
        const struct writer before = writer;
        bool ends;

        now = count - done < RUNS_PIECE ? count - done : RUNS_PIECE;
        ends = last && done + now == count;
        find_symbols(bytes + done, now, symbols);
        put_coded(&writer, symbols, ends);
        if ((size_t)(writer.out - before.out) > now + 4) {
            writer = before;
            put_stored(&writer, bytes + done, now, ends);
        }
    }
    if (!last)
        put_stored(&writer, bytes, 0, false);
    put_bits(&writer, 0, (8 - writer.count) % 8);
    free(symbols);
    return (size_t)(writer.out - out);
}
