/* SPDX-License-Identifier: MIT */
/* One image transposed in column blocks, straight from a reader that reads parts of rows into a
 * writer. A column block, some columns of the image, becomes as many rows of the result. All
 * threads write one block, and read and transpose the next, in memory for two blocks. The result is
 * that of the whole image, byte for byte. */
#ifndef SMOOTHIMG_COLUMN_BLOCKS_H
#define SMOOTHIMG_COLUMN_BLOCKS_H

#include "src/app/stream/report.h"
#include "src/files/codec/codec.h"

struct column_blocks {
    const struct variant *variant; /* of transpose, on the CPU */
    const struct isa *isa;         /* NULL: the highest */
    int threads;
    int64_t max_bytes; /* memory limit; blocks get narrower and threads fewer to meet it */
    int64_t columns;   /* of a block, rounded up to the writer's blocks; 0: chosen by the plan */
};

struct column_block_plan {
    int threads;
    struct write_requirements requirements;
    struct shape turned; /* the result */
    int64_t columns;     /* of a column block, without its context rows */
    int64_t chunk_rows;  /* source rows that a thread reads at once */
    int64_t bytes; /* of memory in all; above blocks->max_bytes if even one thread takes more */
};

/* Plans the transpose of an image with this header. */
struct column_block_plan column_blocks_plan(const struct column_blocks *blocks,
                                            const struct image_writer *writer,
                                            const struct image *header);

/* Takes the image that image_reader_begin has found (*header) from the reader to the writer, and
 * finishes it in both. The reader must read parts of rows (image_reader_has_columns), the writer
 * take rows in any order. Adds to *times as bands_run does, halo aside. After a failure the writer
 * may have part of the image. STATUS_INPUT is the error that reading the rows in order gives. */
enum status column_blocks_run(const struct column_blocks *blocks,
                              const struct column_block_plan *plan, struct image_reader *reader,
                              struct image_writer *writer, const struct image *header,
                              struct bands_times *times, struct error *error);

#endif
