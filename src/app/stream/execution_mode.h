/* SPDX-License-Identifier: MIT */
/* The way of one image from the source to the writer: in bands of rows, in strips of columns, or in
 * memory as a whole; the memory that it will take is taken from the budget first. */
#ifndef SMOOTHIMG_ROUTES_H
#define SMOOTHIMG_ROUTES_H

#include "pipeline.h"
#include "writer.h"

/* Takes the image that source_begin has found (*about) through the operations and into the writer,
 * and finishes it. STATUS_INPUT also where it would take more memory than there may ever be. */
enum status route_image(const struct pipeline *pipeline, struct source *source,
                        struct writer *writer, const struct image *about, struct report *report,
                        struct error *error);

#endif
