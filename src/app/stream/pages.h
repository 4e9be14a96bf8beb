/* SPDX-License-Identifier: MIT */
/* An image that is in memory as a whole, for all operations one after the other; and a volume: the
 * images of one input are its pages, and are filtered along three axes, with one rounding. Its
 * pages are read and written one after the other, and no more of them are in memory than the filter
 * reaches over, and some. */
#ifndef SMOOTHIMG_PAGES_H
#define SMOOTHIMG_PAGES_H

#include "src/app/stream/passage.h"

/* Takes the image, of a volume with all that follow, from the reader to the writer, verified where
 * the options say so. STATUS_INPUT if pages differ in size or kind, or if the budget is too small;
 * STATUS_UNSUPPORTED for edge rules that need the last pages first. */
enum status pages_run(const struct passage *passage, struct error *error);

#endif
