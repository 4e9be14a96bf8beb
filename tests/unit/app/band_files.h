/* SPDX-License-Identifier: MIT */
/* What the tests of bands share: they write a file, process it in bands, and compare. All but
 * band_run exit with 99 if something fails. */
#ifndef SMOOTHIMG_BAND_FILES_H
#define SMOOTHIMG_BAND_FILES_H

#include "src/app/stream/bands/bands.h"
#include "src/lib/filter/gauss.h"

/* Sets the filter, with the default sigma and norm, and its weights. */
void band_filter(struct filter *filter, struct filter_weights *weights, int64_t halo_x,
                 int64_t halo_y, enum edge edge);

/* Opens a dispatcher for one operation with the named variant. The caller closes it. */
struct dispatcher *band_dispatcher(enum op op, const char *variant, int threads, int64_t device);

/* Operation op of a dispatcher of band_dispatcher. weights: NULL for reverse. */
struct operations band_operations(enum op op, const struct filter_weights *weights);

/* Opens the path for writing; the caller closes the writer's file. own_file: see struct
 * image_writer. */
struct image_writer band_writer(const char *path, enum format format, bool plain, bool own_file);

/* Writes the images to the path, one after the other. */
void band_write(const char *path, enum format format, bool plain, const struct image *images,
                int count);

/* Runs the reference on the whole image, whose border is filled, and writes the result to the path.
 */
void band_expect(const struct variant *reference, const char *path, enum format format,
                 const struct image *image, const struct filter_weights *weights);

/* Processes all images of the file `from` in bands, and writes `to`. The reader must give its rows
 * in the given order. Errors are those of bands_run. */
enum status band_run(const struct bands *bands, const char *from, const char *to,
                     enum format format, enum row_order order, struct error *error);

#endif
