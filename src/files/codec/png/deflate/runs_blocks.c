/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/deflate/runs_blocks.h"
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

void runs_put_blocks(struct runs *runs, bool last)
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

void runs_put_end(struct runs *runs, bool last)
{
    if (!last) {
        put_bits(runs, RUNS_STORED, 3);
        put_stored_head(runs, 0);
    }
    put_rest_of_byte(runs);
}
