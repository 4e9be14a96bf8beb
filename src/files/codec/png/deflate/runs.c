/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/deflate/runs.h"
#include "src/files/codec/png/deflate/huffman.h"
#include "src/files/codec/png/deflate/runs_plan.h"

#include <endian.h>
#include <string.h>

/* --- Bits. */

static void flush_bits(struct runs *runs)
{
    const uint64_t word = htole64(runs->bits);

    memcpy(runs->out, &word, sizeof word);
    runs->out += runs->bit_count / 8;
    runs->bits >>= runs->bit_count / 8 * 8;
    runs->bit_count %= 8;
}

/* At most 48 bits. */
static void put_bits(struct runs *runs, uint64_t bits, uint32_t count)
{
    runs->bits |= bits << runs->bit_count;
    runs->bit_count += (int)count;
    flush_bits(runs);
}

static void put_rest_of_byte(struct runs *runs)
{
    put_bits(runs, 0, (uint32_t)(8 - runs->bit_count) % 8);
}

static void put_description(struct runs *runs, const struct runs_description *description)
{
    uint16_t codes[LENGTH_SYMBOLS];

    put_bits(runs, (uint64_t)(description->literals - END - 1), 5);
    put_bits(runs, DISTANCES - 1, 5);
    put_bits(runs, (uint64_t)(description->lengths_count - 4), 4);
    for (int i = 0; i < description->lengths_count; i++)
        put_bits(runs, description->lengths[runs_length_order[i]], 3);
    huffman_codes(description->lengths, LENGTH_SYMBOLS, codes);
    for (int i = 0; i < description->count; i++) {
        const int symbol = description->symbols[i];

        put_bits(runs, codes[symbol], description->lengths[symbol]);
        put_bits(runs, description->extra[i], runs_extra_bits(symbol));
    }
}

/* --- Blocks. */

static void put_symbols(struct runs *runs, const struct runs_plan *plan, const uint8_t *lengths,
                        uint32_t distance_bits)
{
    const uint16_t *symbols = runs->symbols + plan->first;
    struct runs_code kinds[KINDS], end;
    size_t i = 0;

    runs_make_codes(kinds, &end, lengths, distance_bits);
    for (; i + 2 <= plan->count; i += 2) { /* at most 7 + 2 (15 + 5 + 5) bits at a time */
        const struct runs_code first = kinds[symbols[i]], second = kinds[symbols[i + 1]];

        runs->bits |= (uint64_t)first.bits << runs->bit_count;
        runs->bit_count += (int)first.count;
        runs->bits |= (uint64_t)second.bits << runs->bit_count;
        runs->bit_count += (int)second.count;
        flush_bits(runs);
    }
    if (i < plan->count)
        put_bits(runs, kinds[symbols[i]].bits, kinds[symbols[i]].count);
    put_bits(runs, end.bits, end.count);
}

static void put_stored_head(struct runs *runs, size_t count)
{
    put_rest_of_byte(runs);
    put_bits(runs, count | (uint64_t)(~count & MAX_STORED) << 16, 32);
}

/* The byte before a symbol, which a run repeats. */
static int byte_before(const struct runs *runs, size_t symbol)
{
    while (symbol > 0)
        if (runs->symbols[--symbol] < FIRST_RUN)
            return runs->symbols[symbol];
    return runs->before;
}

/* The bytes of the symbols, as they are. */
static void put_stored(struct runs *runs, const struct runs_plan *plan)
{
    int last = byte_before(runs, plan->first);

    put_stored_head(runs, plan->raw_bytes);
    for (size_t i = plan->first; i < plan->first + plan->count; i++) {
        const int symbol = runs->symbols[i];
        const size_t bytes = symbol < FIRST_RUN ? 1 : (size_t)(symbol - FIRST_RUN + SHORTEST_RUN);

        if (symbol < FIRST_RUN)
            last = symbol;
        memset(runs->out, last, bytes);
        runs->out += bytes;
    }
}

static void put_block(struct runs *runs, const struct runs_plan *plan, bool last)
{
    uint8_t fixed[FIXED_SYMBOLS];

    put_bits(runs, (uint64_t)plan->way << 1 | last, 3);
    if (plan->way == RUNS_STORED) {
        put_stored(runs, plan);
    } else if (plan->way == RUNS_FIXED) {
        runs_fixed_lengths(fixed);
        put_symbols(runs, plan, fixed, 5);
    } else {
        put_description(runs, &plan->description);
        put_symbols(runs, plan, plan->lengths, 1);
    }
}

/* Writes the symbols, as one block or as two, whichever is shorter. */
static void put_blocks(struct runs *runs, bool last)
{
    const size_t first = runs->symbol_count < RUNS_SYMBOLS ? runs->symbol_count : RUNS_SYMBOLS;
    const size_t second = runs->symbol_count - first;
    uint32_t kinds[KINDS], more[KINDS];
    struct runs_plan whole, halves[2];

    runs_count_kinds(runs->symbols, first, kinds);
    if (second > 0) {
        runs_count_kinds(runs->symbols + first, second, more);
        runs_plan_block(kinds, 0, first, &halves[0]);
        runs_plan_block(more, first, second, &halves[1]);
        for (int kind = 0; kind < KINDS; kind++)
            kinds[kind] += more[kind];
    }
    runs_plan_block(kinds, 0, runs->symbol_count, &whole);
    if (second > 0 && halves[0].bits + halves[1].bits + 3 < whole.bits) {
        put_block(runs, &halves[0], false);
        put_block(runs, &halves[1], last);
    } else {
        put_block(runs, &whole, last);
    }
    runs->symbol_count = 0;
    runs->before = runs->last;
}

/* --- Symbols. */

static void add_symbol(struct runs *runs, int symbol)
{
    runs->symbols[runs->symbol_count++] = (uint16_t)symbol;
    if (runs->symbol_count == 2 * RUNS_SYMBOLS)
        put_blocks(runs, false);
}

static void end_run(struct runs *runs)
{
    while (runs->run >= SHORTEST_RUN) {
        const size_t now = runs->run < LONGEST_RUN ? runs->run : LONGEST_RUN;

        runs->run -= now;
        add_symbol(runs, FIRST_RUN + (int)now - SHORTEST_RUN);
    }
    for (; runs->run > 0; runs->run--)
        add_symbol(runs, runs->last);
}

static void add_byte(struct runs *runs, uint8_t byte)
{
    if (byte == runs->last) {
        runs->run++;
        return;
    }
    end_run(runs);
    runs->last = byte;
    add_symbol(runs, byte);
}

/* --- Symbols of many bytes at once: the processor predicts badly where runs begin and end. */

enum {
    WINDOW = 64,                        /* bytes, a bit for each */
    CHUNK = 16,                         /* bytes that become symbols at once */
    WINDOW_READ = WINDOW + CHUNK,       /* bytes of a window, and after it, that are readable */
    WINDOW_SYMBOLS = WINDOW + CHUNK + 1 /* more than are written for a window */
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

/* How many of the lowest bits are set, up to the first that is not. */
static size_t lowest_ones(uint64_t bits)
{
    return ~bits ? (size_t)__builtin_ctzll(~bits) : 64;
}

/* Bytes without a run, of which whole chunks are readable. */
static void add_single(struct runs *runs, const uint8_t *bytes, size_t count)
{
    uint16_t *symbols = runs->symbols + runs->symbol_count;

    for (size_t i = 0; i < count; i += CHUNK)
        for (int k = 0; k < CHUNK; k++)
            symbols[i + (size_t)k] = bytes[i + (size_t)k];
    runs->symbol_count += count;
}

/* The run goes on, or ends before the first byte of the window that differs. Returns the bytes
 * that belong to it. */
static size_t add_to_run(struct runs *runs, const uint8_t *bytes)
{
    const size_t more = lowest_ones(repeats(bytes));

    runs->run += more;
    if (more < WINDOW)
        end_run(runs);
    return more;
}

/* Bytes of a window before which no run is open. A run that reaches its end is left open; and of
 * two bytes at its end it is not known whether one begins there. Returns the bytes that were taken,
 * at least one. */
static size_t add_window(struct runs *runs, const uint8_t *bytes)
{
    uint64_t same = repeats(bytes);
    size_t at = 0;

    for (uint64_t three; (three = same & same >> 1 & same >> 2) != 0;) {
        const size_t single = (size_t)__builtin_ctzll(three), run = lowest_ones(same >> single);

        add_single(runs, bytes + at, single);
        at += single + run;
        if (at == WINDOW) {
            runs->run = run;
            return at;
        }
        runs->symbols[runs->symbol_count++] = (uint16_t)(FIRST_RUN + run - SHORTEST_RUN);
        same >>= single + run;
    }
    if (at < WINDOW - 2) {
        add_single(runs, bytes + at, WINDOW - 2 - at);
        at = WINDOW - 2;
    }
    return at;
}

void runs_begin(struct runs *runs)
{
    runs->bits = 0;
    runs->bit_count = 0;
    runs->symbol_count = runs->run = 0;
    runs->last = runs->before = -1;
}

void runs_add(struct runs *runs, const uint8_t *bytes, size_t count)
{
    size_t i = 0;

    while (i < count) {
        if (i == 0 || count - i < WINDOW_READ ||
            runs->symbol_count + WINDOW_SYMBOLS > 2 * RUNS_SYMBOLS) {
            add_byte(runs, bytes[i++]);
        } else if (runs->run > 0) {
            i += add_to_run(runs, bytes + i);
        } else {
            i += add_window(runs, bytes + i);
            runs->last = bytes[i - 1];
        }
    }
}

void runs_end(struct runs *runs, bool last)
{
    end_run(runs);
    if (last || runs->symbol_count > 0)
        put_blocks(runs, last);
    if (!last) {
        put_bits(runs, RUNS_STORED, 3);
        put_stored_head(runs, 0);
    }
    put_rest_of_byte(runs);
}
