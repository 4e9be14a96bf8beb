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
    struct runs_plan plans[3];

    runs_plan_block(runs, 0, runs->symbol_count, &plans[0]);
    if (runs->symbol_count > RUNS_SYMBOLS) {
        runs_plan_block(runs, 0, RUNS_SYMBOLS, &plans[1]);
        runs_plan_block(runs, RUNS_SYMBOLS, runs->symbol_count - RUNS_SYMBOLS, &plans[2]);
    }
    if (runs->symbol_count > RUNS_SYMBOLS && plans[1].bits + plans[2].bits + 3 < plans[0].bits) {
        put_block(runs, &plans[1], false);
        put_block(runs, &plans[2], last);
    } else {
        put_block(runs, &plans[0], last);
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

/* Does no run of three begin in the next 6 bytes? The bytes before and after them are readable. */
static bool are_single(const uint8_t *bytes)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    uint64_t these, before, differ, same;

    memcpy(&these, bytes, sizeof these);
    memcpy(&before, bytes - 1, sizeof before);
    differ = these ^ before;
    same = ~(((differ & low) + low) | differ | low); /* the highest bit of each byte that is 0 */
    return (same & same >> 8 & same >> 16) == 0;
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
    enum { AT_ONCE = 6 };
    size_t i = 0;

    while (i < count) {
        if (i == 0 || runs->run > 0 || count - i < 8 || !are_single(bytes + i) ||
            runs->symbol_count + AT_ONCE >= 2 * RUNS_SYMBOLS) {
            add_byte(runs, bytes[i++]);
            continue;
        }
        for (int k = 0; k < AT_ONCE; k++)
            runs->symbols[runs->symbol_count++] = bytes[i++];
        runs->last = bytes[i - 1];
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
