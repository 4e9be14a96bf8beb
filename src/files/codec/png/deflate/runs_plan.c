/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/deflate/runs_plan.h"
#include "src/files/codec/png/deflate/huffman.h"

#include <string.h>

const uint8_t runs_length_order[LENGTH_SYMBOLS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                   11, 4,  12, 3, 13, 2, 14, 1, 15};

/* Deflate's symbol for a run, and its extra bits. */
static int run_symbol(int length, struct runs_code *extra)
{
    const int n = length - SHORTEST_RUN;
    const int bits = n < 8 || length == LONGEST_RUN ? 0 : 29 - __builtin_clz((unsigned)n);

    *extra = (struct runs_code){(uint32_t)n & ((1u << bits) - 1), (uint32_t)bits};
    if (length == LONGEST_RUN)
        return SYMBOLS - 1;
    return END + 1 + 4 * bits + (n >> bits);
}

/* Two counts in turn: a symbol's count does not wait for that of the same symbol just before. */
void runs_count_kinds(const uint16_t *symbols, size_t count, uint32_t kinds[KINDS])
{
    uint32_t even[KINDS] = {0}, odd[KINDS] = {0};
    size_t i = 0;

    for (; i + 2 <= count; i += 2) {
        even[symbols[i]]++;
        odd[symbols[i + 1]]++;
    }
    if (i < count)
        even[symbols[i]]++;
    for (int kind = 0; kind < KINDS; kind++)
        kinds[kind] = even[kind] + odd[kind];
}

/* Counts deflate's symbols; returns the bits of all runs' extra bits. */
static uint64_t count_symbols(const uint32_t *kinds, struct runs_plan *plan, uint32_t *symbols)
{
    uint64_t bits = 0;

    memcpy(symbols, kinds, END * sizeof *symbols);
    memset(symbols + END, 0, (FIXED_SYMBOLS - END) * sizeof *symbols);
    symbols[END] = 1;
    plan->raw_bytes = plan->count;
    for (int kind = FIRST_RUN; kind < KINDS; kind++) {
        const int length = kind - FIRST_RUN + SHORTEST_RUN;
        struct runs_code extra;

        symbols[run_symbol(length, &extra)] += kinds[kind];
        plan->raw_bytes += (size_t)kinds[kind] * (size_t)(length - 1);
        bits += kinds[kind] * extra.count;
    }
    return bits;
}

/* The bits of all symbols, of which a run has distance_bits more. */
static uint64_t bits_of(const uint32_t *counts, const uint8_t *lengths, uint32_t distance_bits)
{
    uint64_t bits = 0;

    for (int symbol = 0; symbol < SYMBOLS; symbol++)
        bits += (uint64_t)counts[symbol] * (lengths[symbol] + (symbol > END ? distance_bits : 0));
    return bits;
}

void runs_make_codes(struct runs_code *kinds, struct runs_code *end, const uint8_t *lengths,
                     uint32_t distance_bits)
{
    uint16_t bits[FIXED_SYMBOLS];

    huffman_codes(lengths, FIXED_SYMBOLS, bits);
    *end = (struct runs_code){bits[END], lengths[END]};
    for (int kind = 0; kind < KINDS; kind++) {
        struct runs_code extra = {0, 0};
        const int symbol =
            kind < FIRST_RUN ? kind : run_symbol(kind - FIRST_RUN + SHORTEST_RUN, &extra);
        const uint32_t after = kind < FIRST_RUN ? 0 : extra.count + distance_bits;

        kinds[kind] = (struct runs_code){bits[symbol] | extra.bits << lengths[symbol],
                                         lengths[symbol] + after};
    }
}

void runs_fixed_lengths(uint8_t lengths[FIXED_SYMBOLS])
{
    memset(lengths, 8, FIXED_SYMBOLS);
    memset(lengths + 144, 9, END - 144);
    memset(lengths + END, 7, 280 - END);
}

static void describe(struct runs_description *description, uint8_t symbol, int extra)
{
    description->symbols[description->count] = symbol;
    description->extra[description->count++] = (uint8_t)extra;
}

/* `repeats` times the length: once as it is, then by symbol 16; zeros by 17 and 18. */
static void describe_repeats(struct runs_description *description, uint8_t length, int repeats)
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

uint32_t runs_extra_bits(int symbol)
{
    return symbol < REPEATS ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
}

/* literals: how many lengths, those of distances not among them. */
static void describe_lengths(struct runs_description *description, const uint8_t *lengths,
                             int literals)
{
    uint8_t all[SYMBOLS + DISTANCES];
    const int count = literals + DISTANCES;
    uint32_t counts[LENGTH_SYMBOLS] = {0};

    memcpy(all, lengths, (size_t)literals);
    memset(all + literals, 1, DISTANCES);
    description->literals = literals;
    description->count = 0;
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && all[next] == all[i];)
            next++;
        describe_repeats(description, all[i], next - i);
    }
    for (int i = 0; i < description->count; i++)
        counts[description->symbols[i]]++;
    huffman_lengths(counts, LENGTH_SYMBOLS, 7, description->lengths);
    description->lengths_count = LENGTH_SYMBOLS;
    while (description->lengths[runs_length_order[description->lengths_count - 1]] == 0)
        description->lengths_count--;
    description->bits = 5 + 5 + 4 + 3 * (uint64_t)description->lengths_count;
    for (int symbol = 0; symbol < LENGTH_SYMBOLS; symbol++)
        description->bits +=
            counts[symbol] * (description->lengths[symbol] + runs_extra_bits(symbol));
}

void runs_plan_block(const uint32_t kinds[KINDS], size_t first, size_t count,
                     struct runs_plan *plan)
{
    uint32_t counts[FIXED_SYMBOLS];
    uint8_t fixed[FIXED_SYMBOLS];
    uint64_t extra, bits[3];
    int literals = SYMBOLS;

    plan->first = first;
    plan->count = count;
    extra = count_symbols(kinds, plan, counts);
    runs_fixed_lengths(fixed);
    memset(plan->lengths, 0, sizeof plan->lengths);
    huffman_lengths(counts, SYMBOLS, HUFFMAN_MAX_LENGTH, plan->lengths);
    while (plan->lengths[literals - 1] == 0)
        literals--;
    describe_lengths(&plan->description, plan->lengths, literals);
    bits[RUNS_STORED] =
        plan->raw_bytes <= MAX_STORED ? 8 * ((uint64_t)plan->raw_bytes + 4) : UINT64_MAX;
    bits[RUNS_FIXED] = bits_of(counts, fixed, 5) + extra;
    bits[RUNS_OWN] = bits_of(counts, plan->lengths, 1) + extra + plan->description.bits;
    plan->way = bits[RUNS_FIXED] <= bits[RUNS_OWN] ? RUNS_FIXED : RUNS_OWN;
    if (bits[RUNS_STORED] <= bits[plan->way])
        plan->way = RUNS_STORED;
    plan->bits = bits[plan->way];
}
