/* SPDX-License-Identifier: MIT */
/* An image in place of made data, for the rows of the memory suite that take one. */
#ifndef SMOOTHIMG_LAB_PICTURE_H
#define SMOOTHIMG_LAB_PICTURE_H

#include "bench_options.h"
#include "experiment.h"

/* The picture of --image with a border of size->halo pixels: a made one is of this size, a file's
 * has its own. Without --image *picture is empty. The caller frees it. STATUS_UNSUPPORTED if it has
 * several channels, or samples of two bytes. */
enum status lab_picture_make(const struct bench_options *options, const struct lab_size *size,
                             struct image *picture, struct error *error);

/* Fills an input that is an image of the picture's size. */
void lab_picture_fill(const struct image *picture, const struct lab_want *want,
                      const struct lab_array *array);

#endif
