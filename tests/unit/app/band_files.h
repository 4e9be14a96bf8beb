/* SPDX-License-Identifier: MIT */
/* For tests of bands: files in, files out, and what should come. */
#ifndef SMOOTHIMG_BAND_FILES_H
#define SMOOTHIMG_BAND_FILES_H

#include "src/app/stream/bands/bands.h"
#include "src/lib/filter/gauss.h"

/* weights: room for those of MAX_HALO. */
void band_filter(struct filter *filter, uint64_t *weights, int64_t halo, enum edge edge);

/* A dispatcher of one operation, by the variant of that name, with so many threads. The caller
 * closes it. */
struct dispatcher *band_dispatcher(enum op op, const char *variant, int threads, int64_t device);

/* Opens path for writing; the caller closes writer.file. */
struct image_writer band_sink(const char *path, enum format format, bool plain, bool own_file);

/* Writes the images to the path, one behind the other. */
void band_write(const char *path, enum format format, bool plain, const struct image *images,
                int count);

/* The whole image, whose border is filled, by the definition, into the path. */
void band_expect(const struct variant *reference, const char *path, enum format format,
                 const struct image *image, const struct filter *filter, const uint64_t *weights);

/* All images of the path, in bands. Its rows must come in the given order. */
enum status band_run(const struct bands *bands, const char *from, const char *to,
                     enum format format, enum row_order order, struct error *error);

#endif
