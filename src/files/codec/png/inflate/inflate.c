/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/inflate/inflate.h"
#include "src/files/codec/png/sums.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#ifdef HAVE_ISAL
const struct raw_inflate *const inflate_fastest = &raw_inflate_isal;
#else
const struct raw_inflate *const inflate_fastest = &raw_inflate_zlib;
#endif

bool inflater_open(struct inflater *inflater, const struct raw_inflate *raw)
{
    *inflater = (struct inflater){.raw = raw, .adler = 1};
    inflater->window = malloc(RAW_INFLATE_ROOM);
    inflater->state = inflater->window ? raw->open() : NULL;
    return inflater->state;
}

void inflater_close(struct inflater *inflater)
{
    if (inflater->state)
        inflater->raw->close(inflater->state);
    free(inflater->window);
    inflater->state = inflater->window = NULL;
}

static void fault(struct inflater *inflater, const char *words)
{
    inflater->stage = INFLATE_FAULT;
    inflater->fault = words;
}

/* Gathers `count` bytes of a header or a checksum. False if the input is used up before. */
static bool gather(struct inflater *inflater, size_t count)
{
    while (inflater->wrap_bytes < count && inflater->input_bytes > 0) {
        inflater->wrap[inflater->wrap_bytes++] = *inflater->input++;
        inflater->input_bytes--;
    }
    return inflater->wrap_bytes == count;
}

/* RFC 1950: method, window size and flags; together a multiple of 31. */
static void check_header(struct inflater *inflater)
{
    const int first = inflater->wrap[0], second = inflater->wrap[1];

    inflater->wrap_bytes = 0;
    inflater->stage = INFLATE_BODY;
    if ((first << 8 | second) % 31 != 0)
        fault(inflater, "incorrect header check");
    else if ((first & 15) != Z_DEFLATED)
        fault(inflater, "unknown compression method");
    else if (first >> 4 > 7)
        fault(inflater, "invalid window size");
    else if (second & 0x20)
        fault(inflater, "need dictionary");
}

static void check_sum(struct inflater *inflater)
{
    const uint8_t *sum = inflater->wrap;

    inflater->stage = INFLATE_END;
    if (((uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3]) !=
        inflater->adler)
        fault(inflater, "incorrect data check");
}

/* The decoder has read bytes after its end: those of the checksum, and perhaps more. */
static void take_rest(struct inflater *inflater, const struct raw_inflate_bytes *bytes)
{
    const size_t room = sizeof inflater->wrap;

    inflater->wrap_bytes = bytes->rest_bytes < room ? bytes->rest_bytes : room;
    memcpy(inflater->wrap, bytes->rest, inflater->wrap_bytes);
    inflater->surplus = bytes->rest_bytes > room;
    inflater->stage = INFLATE_CHECKSUM;
}

/* Refills the empty window. False if it needs input for that. */
static bool decode(struct inflater *inflater)
{
    struct raw_inflate_bytes bytes = {.input = inflater->input,
                                      .input_bytes = inflater->input_bytes,
                                      .all = inflater->all,
                                      .output = inflater->window};
    const enum raw_inflate_result result = inflater->raw->run(inflater->state, &bytes);

    inflater->input = bytes.input;
    inflater->input_bytes = bytes.input_bytes;
    inflater->at = 0;
    inflater->end = bytes.made;
    if (result == RAW_INFLATE_ENDS)
        take_rest(inflater, &bytes);
    else if (result == RAW_INFLATE_FAULT)
        fault(inflater, "invalid compressed data");
    else if (result == RAW_INFLATE_NO_MEMORY)
        inflater->stage = INFLATE_NO_MEMORY;
    return result != RAW_INFLATE_GOES_ON || bytes.made > 0;
}

/* Goes on to the next inflated byte. False if there is none yet, or none any more. */
static bool advance(struct inflater *inflater)
{
    while (inflater->at == inflater->end) {
        if (inflater_is_over(inflater))
            return false;
        if (inflater->stage == INFLATE_BODY) {
            if (!decode(inflater))
                return false;
        } else if (inflater->stage == INFLATE_HEADER) {
            if (!gather(inflater, 2))
                return false;
            check_header(inflater);
        } else {
            if (!gather(inflater, sizeof inflater->wrap))
                return false;
            check_sum(inflater);
        }
    }
    return true;
}

size_t inflater_take(struct inflater *inflater, uint8_t *bytes, size_t count)
{
    size_t taken = 0;

    while (taken < count && advance(inflater)) {
        const size_t ready = inflater->end - inflater->at;
        const size_t now = ready < count - taken ? ready : count - taken;

        memcpy(bytes + taken, inflater->window + inflater->at, now);
        inflater->adler = png_adler(inflater->adler, bytes + taken, now);
        inflater->at += now;
        taken += now;
    }
    return taken;
}

bool inflater_is_over(const struct inflater *inflater)
{
    return inflater->at == inflater->end && inflater->stage >= INFLATE_END;
}
