/* SPDX-License-Identifier: MIT */
/* How symbols of struct runs are written: as deflate blocks, each in the way that its plan found
 * the shortest. */
#ifndef SMOOTHIMG_CODEC_PNG_RUNS_BLOCKS_H
#define SMOOTHIMG_CODEC_PNG_RUNS_BLOCKS_H

#include "src/files/codec/png/deflate/runs.h"

/* Writes the symbols, as one block or as two, whichever is shorter, and begins anew. */
void runs_put_blocks(struct runs *runs, bool last);

/* After the last symbols: up to a whole byte; unless the stream has ended, by an empty block. */
void runs_put_end(struct runs *runs, bool last);

#endif
