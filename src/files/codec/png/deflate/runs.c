/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/deflate/runs.h"
#include "src/files/codec/png/deflate/runs_blocks.h"
#include "src/files/codec/png/deflate/runs_plan.h"

#include <endian.h>
#include <string.h>

/* --- Symbols. */

static void add_symbol(struct runs *runs, int symbol)
{
    runs->symbols[runs->symbol_count++] = (uint16_t)symbol;
    if (runs->symbol_count == 2 * RUNS_SYMBOLS)
        runs_put_blocks(runs, false);
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
        runs_put_blocks(runs, last);
    runs_put_end(runs, last);
}
