/* SPDX-License-Identifier: MIT */
/* One image transposed in column blocks, straight from a reader that reads parts of rows into a
 * writer: some columns of the image are as many rows of the result. Where memory is short, and the
 * writer writes parts of rows, a block is taken in parts. While one part is written, the next is
 * read and transposed, by all threads, in memory that is used again. The result is that of the
 * whole image, byte for byte. */
#ifndef SMOOTHIMG_COLUMN_BLOCKS_H
#define SMOOTHIMG_COLUMN_BLOCKS_H

#include "src/app/stream/bands/bands.h"
#include "src/files/codec/codec.h"

struct column_blocks {
    const struct variant *variant; /* of transpose, on the CPU */
    const struct isa *isa;         /* NULL: the highest */
    int threads;
    int64_t max_bytes; /* of memory: blocks and then threads are fewer where that helps */
    int64_t columns;   /* of a block, rounded up to what the writer takes; 0: as is best */
    int64_t rows;      /* of it at a time, if the writer takes parts of rows; 0: as is best */
};

struct column_block_plan {
    int threads;
    struct write_requirements requirements;
    struct shape turned; /* the result */
    int64_t columns;     /* of a column block, without its context rows */
    int64_t rows; /* of the source in a part of it: all, unless the writer takes parts of rows */
    int64_t chunk_rows; /* that a thread reads at once */
    int64_t bytes; /* of memory, in all: more than blocks->max_bytes if it cannot do with those */
};

struct column_block_plan column_blocks_plan(const struct column_blocks *blocks,
                                            const struct image_writer *writer,
                                            const struct image *header);

/* Takes the image that image_reader_begin has found (*header), from the source, which must have
 * columns, and finishes it; the writer must take its rows in any order. *times is added to: as of
 * bands_run, without a halo. On failure, part of the image may be in the writer. A bad input gives
 * the error that reading it in order gives. */
enum status column_blocks_run(const struct column_blocks *blocks,
                              const struct column_block_plan *plan, struct image_reader *reader,
                              struct image_writer *writer, const struct image *header,
                              struct bands_times *times, struct error *error);

#endif
