/* SPDX-License-Identifier: MIT */
#include "src/files/codec/codec.h"
#include "src/files/codec/png/inflate/raw_inflate.h"

#include <stdlib.h>
#include <zlib.h>

#define WINDOW_BITS 15 /* deflate's largest window, whatever the header declares */

static void *open_zlib(void)
{
    z_stream *stream = calloc(1, sizeof *stream);

    if (stream && inflateInit2(stream, -WINDOW_BITS) == Z_OK)
        return stream;
    free(stream);
    return NULL;
}

static enum raw_inflate_result run_zlib(void *state, struct raw_inflate_bytes *bytes)
{
    z_stream *stream = state;
    int result;

    stream->next_in = (uint8_t *)bytes->input; /* zlib only reads it */
    stream->avail_in = (uInt)bytes->input_bytes;
    stream->next_out = bytes->output;
    stream->avail_out = (uInt)RAW_INFLATE_ROOM;
    result = inflate(stream, Z_NO_FLUSH);
    bytes->input = stream->next_in;
    bytes->input_bytes = stream->avail_in;
    bytes->made = RAW_INFLATE_ROOM - stream->avail_out;
    bytes->rest_bytes = 0;
    if (result == Z_STREAM_END)
        return RAW_INFLATE_ENDS;
    if (result == Z_MEM_ERROR)
        return RAW_INFLATE_NO_MEMORY;
    return result == Z_OK || result == Z_BUF_ERROR ? RAW_INFLATE_GOES_ON : RAW_INFLATE_FAULT;
}

static void close_zlib(void *state)
{
    inflateEnd(state);
    free(state);
}

const struct raw_inflate raw_inflate_zlib = {"zlib", open_zlib, run_zlib, close_zlib};

const char *codec_zlib_version(void)
{
    return zlibVersion();
}

#ifndef HAVE_ISAL
const char *codec_isal_version(void)
{
    return NULL;
}
#endif
