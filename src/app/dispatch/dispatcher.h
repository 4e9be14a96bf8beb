/* SPDX-License-Identifier: MIT */
/* Where each operation is done, under --variant auto for each image anew: asks choice.h, opens the
 * GPU in the background where it could pay, and goes on without it if it fails. For one thread, but
 * for what chooser_lanes gives. */
#ifndef SMOOTHIMG_CHOOSER_H
#define SMOOTHIMG_CHOOSER_H

#include "bands.h"
#include "glance.h"
#include "options.h"
#include "run.h"

#include <stdio.h>

struct chooser;

/* Chooses the variants as far as they can be known before the image is read, and begins to open the
 * GPU if one of them needs it, or if under auto it is likely to pay for the work to come:
 * *expected, or NULL: not known. `first` counts the lanes of other choosers before this one: with
 * --device all, lane i is on device first + i modulo their number. STATUS_USAGE and STATUS_DEVICE
 * as registry_choose. Borrows the options. The caller closes it. */
enum status chooser_open(const struct options *options, const struct glance *expected, int first,
                         struct chooser **chooser, struct error *error);

/* Waits for an opening that is still under way. NULL is legal. */
void chooser_close(struct chooser *chooser);

/* Under auto, chooses for an image whose header has been read. */
void chooser_choose(struct chooser *chooser, const struct image *about);

/* Under auto, takes the CPU for the image at hand, for the reason given, a string that stays. */
void chooser_settle_for_cpu(struct chooser *chooser, const char *why);

/* Does operation i as run_variant does; options->gpu is found here. Under auto, what fails on the
 * GPU is done on the CPU. */
enum status chooser_run(struct chooser *chooser, int i, const struct image *src,
                        const struct run_options *options, int64_t dst_halo, struct image *dst,
                        struct error *error);

/* GPUs for the bands of operation 0, which was chosen for one: up to one for each of
 * options->threads threads. Under auto, a band that fails on its GPU is done on the CPU, and so is
 * all that follows. */
const struct band_lanes *chooser_lanes(struct chooser *chooser);

/* The variants of the operations: those that the image at hand was done by. */
const struct variant *const *chooser_variants(const struct chooser *chooser);

/* The GPU, once an operation was done on it; else NULL. */
struct gpu *chooser_gpu(const struct chooser *chooser);

/* "0: NVIDIA H200", of the GPU that was opened; "" if none was. */
void chooser_name_gpu(const struct chooser *chooser, char *text, size_t bytes);

/* The number of the device of the first lane. */
int chooser_device(const struct chooser *chooser);

/* Has a GPU been asked for by the command line, or begun to be opened? */
bool chooser_wants_gpu(const struct chooser *chooser);

/* Is there a GPU for variants that the command line names? Waits for it. STATUS_DEVICE if not. */
enum status chooser_check(struct chooser *chooser, struct error *error);

/* Is there no GPU for variants that the command line names, or is it there no more? Then no image
 * can be done. */
bool chooser_is_lost(const struct chooser *chooser);

/* Under auto, the lines of --verbose for the last image: what was chosen for each operation, and
 * why; and if the GPU failed, how. */
void chooser_print(FILE *stream, const struct chooser *chooser);

/* The lines of --verbose on how long each GPU took to open that was opened; false, and no line, if
 * none was. */
bool chooser_print_opening(FILE *stream, const struct chooser *chooser);

#endif
