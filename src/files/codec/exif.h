/* SPDX-License-Identifier: MIT */
/* The few tags of EXIF that depend on how an image lies. EXIF is a TIFF structure, which JPEG has
 * in a segment and PNG in a chunk. Whatever its bytes are, nothing outside them is read. */
#ifndef SMOOTHIMG_EXIF_H
#define SMOOTHIMG_EXIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORIENTATION_AS_STORED 1 /* the viewer turns nothing */

/* How a viewer turns the stored image, 1..8 as in TIFF; ORIENTATION_AS_STORED if nothing is said.
 */
int exif_orientation(const uint8_t *bytes, size_t count);

/* All that is kept of EXIF where metadata is dropped: a directory with the orientation alone,
 * without which a viewer would show the image turned. Returns its length, or 0: nothing is turned.
 */
#define EXIF_ORIENTATION_BYTES 26
size_t exif_only_orientation(const uint8_t *bytes, size_t count,
                             uint8_t only[EXIF_ORIENTATION_BYTES]);

/* The orientation after the stored image was transposed. A viewer that obeys it shows the transpose
 * of what it showed before: turns by 90 and 270 degrees change places, and so do the two mirror
 * images. A turn by 180 degrees goes with all of them, so that reverse changes none. */
int orientation_transposed(int orientation);

/* After transpose: the orientation, and what is said of x and of y (resolution, sides). The
 * thumbnail and the maker's notes stay. */
void exif_transpose(uint8_t *bytes, size_t count);

#endif
