/* SPDX-License-Identifier: MIT */
#include "src/files/codec/codec.h"
#include "src/files/codec/png/inflate/raw_inflate.h"

#include <isa-l.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#define LONGEST_MATCH 258

static void *open_isal(void)
{
    struct inflate_state *inflate = malloc(sizeof *inflate);

    if (inflate)
        isal_inflate_init(inflate);
    return inflate;
}

/* The whole bytes in ISA-L's buffer of bits: those after the end of the stream. */
static void take_rest(const struct inflate_state *inflate, struct raw_inflate_bytes *bytes)
{
    const int bits = inflate->read_in_length > 0 ? inflate->read_in_length : 0;
    uint64_t word = inflate->read_in >> bits % 8;

    for (bytes->rest_bytes = 0; bytes->rest_bytes < (size_t)bits / 8; word >>= 8)
        bytes->rest[bytes->rest_bytes++] = (uint8_t)word;
}

/* After a symbol without a meaning, or a match from before the first byte: ISA-L counts the bytes
 * of a match that it has not copied, so the last ones are not taken for good. A bad head of a block
 * has no such bytes. */
static void drop_doubtful(int result, struct raw_inflate_bytes *bytes)
{
    if (result != ISAL_INVALID_BLOCK)
        bytes->made -= bytes->made < LONGEST_MATCH ? bytes->made : LONGEST_MATCH;
}

static enum raw_inflate_result run_isal(void *state, struct raw_inflate_bytes *bytes)
{
    struct inflate_state *inflate = state;
    int result;

    inflate->next_in = (uint8_t *)bytes->input; /* ISA-L only reads it */
    inflate->avail_in = (uint32_t)bytes->input_bytes;
    inflate->next_out = bytes->output;
    inflate->avail_out = (uint32_t)RAW_INFLATE_ROOM;
    result = isal_inflate(inflate);
    bytes->input = inflate->next_in;
    bytes->input_bytes = inflate->avail_in;
    bytes->made = RAW_INFLATE_ROOM - inflate->avail_out;
    bytes->rest_bytes = 0;
    if (result != ISAL_DECOMP_OK) {
        drop_doubtful(result, bytes);
        return RAW_INFLATE_FAULT;
    }
    if (inflate->block_state != ISAL_BLOCK_FINISH)
        return RAW_INFLATE_GOES_ON;
    take_rest(inflate, bytes);
    return RAW_INFLATE_ENDS;
}

const struct raw_inflate raw_inflate_isal = {"ISA-L", open_isal, run_isal, free};

#define TEXT_OF(MACRO) TEXT_OF_VALUE(MACRO) /* the macro's value as a string */
#define TEXT_OF_VALUE(VALUE) #VALUE

const char *codec_isal_version(void)
{
    return TEXT_OF(ISAL_MAJOR_VERSION) "." TEXT_OF(ISAL_MINOR_VERSION) "." TEXT_OF(
        ISAL_PATCH_VERSION);
}
