/* SPDX-License-Identifier: MIT */
/* What the tests of chains share: options, images, and runs that are compared with the references.
 * All but the runs exit with 99 if something fails. */
#ifndef SMOOTHIMG_CHAIN_RUNS_H
#define SMOOTHIMG_CHAIN_RUNS_H

#include "src/app/stream/operations/operations.h"

/* Those of the last chain_options. */
extern struct filter_weights chain_weights;

/* No operation yet, by this variant, on device 0. */
struct stream_options chain_options(const char *variant, int64_t halo_x, int64_t halo_y,
                                    enum edge edge);

/* Adds operations: s, t and r. */
void chain_add(struct stream_options *options, const char *letters);

/* As operations_of. */
struct operations chain_operations(const struct stream_options *options,
                                   const struct image *header);

/* An image with the border that the first operation needs; of 2 and 4 channels with alpha. What the
 * references of the operations make of it. The caller frees both. */
struct image chain_image(const struct stream_options *options, const struct shape *shape);
struct image chain_expect(const struct stream_options *options, const struct shape *shape);

/* Runs the operations on that image: STATUS_DIFFERENT if the result is another. alone: by a
 * dispatcher of its own. *lost: dispatcher_is_lost. */
enum status chain_run(const struct stream_options *options, struct dispatcher *dispatcher,
                      const struct shape *shape, struct report *report, struct error *error);
enum status chain_run_alone(const struct stream_options *options, const struct shape *shape,
                            bool *lost, struct error *error);

/* The same in bands of so many rows, from file to file: without transposes. */
enum status chain_run_bands(const struct stream_options *options, const struct shape *shape,
                            int64_t rows, int threads, bool *lost, struct error *error);

#endif
