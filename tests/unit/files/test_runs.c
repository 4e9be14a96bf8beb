/* SPDX-License-Identifier: MIT */
/* What runs.c compresses: zlib inflates it to the same bytes; it is hardly longer than zlib's own,
 * and keeps to its room. And the lengths of Huffman codes. */
#include "src/files/codec/png/deflate/runs.h"
#include "src/files/codec/png/deflate/huffman.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { RAW_BYTES = 300000 };

static uint8_t raw[RAW_BYTES], back[RAW_BYTES + 1];

/* Kind 0: noise; 1: small bytes; 2: runs of any length; 3: one value; 4: pieces of each; 5: two
 * values in turn; 6: noise with runs of 2, 3, 4 and more; 7: bytes each half as frequent as the
 * one before. */
static void draw_bytes(int kind, size_t count)
{
    for (size_t i = 0; i < count;) {
        const int now = kind == 4 ? (int)(i / RUNS_PIECE % 4) : kind;
        const size_t run = now == 2 ? 1 + unit_draw(699) : now == 6 ? 1 + unit_draw(6) % 5 : 1;
        const uint32_t any = unit_draw(65535) << 16 | unit_draw(65535);
        const uint8_t byte = (uint8_t)(now == 1   ? any % 5
                                       : now == 3 ? 9
                                       : now == 5 ? i % 2
                                       : now == 7 ? (uint32_t)__builtin_ctz(any | 1u << 31)
                                                  : any >> 7);

        for (size_t k = 0; k < run && i < count; k++)
            raw[i++] = byte;
    }
}

/* The length by zlib, ended in the same way. */
static size_t zlib_bytes(size_t count, bool last)
{
    uint8_t *out = malloc(RUNS_ROOM(count));
    z_stream z = {.next_in = raw, .avail_in = (uInt)count, .next_out = out};

    NEED(out && deflateInit2(&z, 1, Z_DEFLATED, -15, 8, Z_RLE) == Z_OK);
    z.avail_out = (uInt)RUNS_ROOM(count);
    deflate(&z, last ? Z_FINISH : Z_SYNC_FLUSH);
    deflateEnd(&z);
    free(out);
    return z.total_out;
}

static void check_back(const char *what, const uint8_t *out, size_t bytes, size_t count, bool last)
{
    z_stream z = {.next_in = (uint8_t *)out, .avail_in = (uInt)bytes, .next_out = back};
    int result;

    NEED(inflateInit2(&z, -15) == Z_OK);
    z.avail_out = (uInt)count + 1;
    result = inflate(&z, Z_SYNC_FLUSH);
    CHECK(result == (last ? Z_STREAM_END : Z_OK) && z.total_out == count && z.avail_in == 0 &&
              memcmp(back, raw, count) == 0,
          "%s of %zu bytes: %d, %lu bytes, %u left", what, count, result, z.total_out, z.avail_in);
    inflateEnd(&z);
}

/* In as much memory as is asked for. */
static void check(int kind, size_t count, bool last)
{
    uint8_t *out = malloc(RUNS_ROOM(count));
    char what[40];
    size_t bytes, zlib = zlib_bytes(count, last);

    NEED(out);
    snprintf(what, sizeof what, "kind %d", kind);
    bytes = runs_deflate(raw, count, last, out);
    check_back(what, out, bytes, count, last);
    CHECK(bytes <= zlib + zlib / 100 + 50 * (count / RUNS_PIECE + 1),
          "%s of %zu bytes: %zu, zlib %zu", what, count, bytes, zlib);
    free(out);
}

/* Bytes that do not repeat, as many as are below the limit; a run over it; and what follows. The
 * first and the last bytes are noise, and so stored, or few values, and so coded. */
static size_t draw_run_at(size_t limit, size_t run, bool noise_before, bool noise_after)
{
    const size_t count = limit + run + 300;

    for (size_t i = 0; i < count; i++) {
        const bool noise = i < limit ? noise_before : noise_after;

        raw[i] = (uint8_t)(i == 0                          ? 1
                           : i >= limit && i < limit + run ? raw[limit - 1]
                           : noise                         ? raw[i - 1] + 1 + unit_draw(254)
                                                           : raw[i - 1] % 7u + 1);
    }
    return count;
}

static void check_run_at(size_t limit, size_t run, bool noise_before, bool noise_after)
{
    const size_t count = draw_run_at(limit, run, noise_before, noise_after);
    uint8_t *out = malloc(RUNS_ROOM(count));
    char what[60];

    NEED(out);
    snprintf(what, sizeof what, "a run of %zu after byte %zu", run, limit);
    check_back(what, out, runs_deflate(raw, count, true, out), count, true);
    check_back(what, out, runs_deflate(raw, count, false, out), count, false);
    free(out);
}

/* Where a block ends, and where a window does in which runs are looked for: runs of one symbol and
 * of several, before, at and over the limit. */
static void test_limits(void)
{
    static const size_t runs[] = {1, 2, 3, 63, 130, 257, 258, 259, 260, 261, 519, 5 * 258 + 2};
    static const size_t limits[] = {64, 128, 512, RUNS_PIECE, 2 * RUNS_PIECE};

    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
        for (size_t before = 0; before < 5; before++)
            for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
                for (int noise = 0; noise < 4; noise++)
                    check_run_at(limits[l] + 2 - before, runs[r], noise % 2, noise / 2);
}

static void test_runs(void)
{
    static const size_t counts[] = {
        1, 2, 3, 4, 9, 257, 258, 259, 260, RUNS_PIECE, RUNS_PIECE + 1, 100000, RAW_BYTES};

    for (int kind = 0; kind < 8; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            draw_bytes(kind, counts[c]);
            check(kind, counts[c], true);
            check(kind, counts[c], false);
        }
}

/* A complete code, no length above `longest`, the more frequent symbols no longer. */
static void check_lengths(const char *what, const uint32_t *counts, int symbols, int longest,
                          bool all)
{
    uint8_t lengths[HUFFMAN_MAX_SYMBOLS];
    uint32_t used = 0;
    bool right = true;

    huffman_lengths(counts, symbols, longest, lengths);
    for (int i = 0; i < symbols; i++) {
        used += lengths[i] ? 1u << (longest - lengths[i]) : 0;
        right &= lengths[i] <= longest && (counts[i] == 0 || lengths[i] > 0) &&
                 (!all || counts[i] > 0 || lengths[i] == 0);
        for (int k = 0; k < i; k++)
            right &= counts[k] <= counts[i] || counts[i] == 0 || lengths[k] <= lengths[i];
    }
    CHECK(right && used == 1u << longest, "%s, up to %d bits: %u used", what, longest, used);
}

static void test_lengths(void)
{
    uint32_t counts[HUFFMAN_MAX_SYMBOLS] = {0};

    check_lengths("none", counts, 19, 7, false);
    counts[5] = 3;
    check_lengths("one", counts, 19, 7, false);
    for (int i = 0; i < 22; i++) /* 1 1 2 3 5 8 ...: a code as long as can be */
        counts[i] = i < 2 ? 1 : counts[i - 1] + counts[i - 2];
    check_lengths("Fibonacci's", counts, 22, 15, true);
    check_lengths("Fibonacci's", counts, 19, 7, true);
    for (int turn = 0; turn < 100; turn++) {
        for (int i = 0; i < 286; i++)
            counts[i] = unit_draw(2) ? unit_draw(65535) >> unit_draw(15) : 0;
        counts[0] = counts[1] = 1;
        check_lengths("any", counts, 286, 15, true);
        check_lengths("any", counts, 286, 9, true);
    }
}

int main(void)
{
    test_runs();
    test_limits();
    test_lengths();
    return unit_result();
}
