/* SPDX-License-Identifier: MIT */
/* The few tags of EXIF that depend on an image's orientation. EXIF is a TIFF structure, which is in
 * a segment of JPEG and in a chunk of PNG. No byte outside it is read, whatever it contains. */
#ifndef SMOOTHIMG_EXIF_H
#define SMOOTHIMG_EXIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORIENTATION_AS_STORED 1 /* the viewer turns nothing */

/* Returns how a viewer turns the stored image, 1..8 as in TIFF, or ORIENTATION_AS_STORED if EXIF
 * does not say. */
int exif_orientation(const uint8_t *bytes, size_t count);

/* Makes the EXIF that remains if metadata is dropped: a directory with only the orientation,
 * without which a viewer would show the image turned. Returns its length, or 0 if nothing is
 * turned. */
#define EXIF_ORIENTATION_BYTES 26
size_t exif_only_orientation(const uint8_t *bytes, size_t count,
                             uint8_t only[EXIF_ORIENTATION_BYTES]);

/* Returns the orientation for the stored image's transpose. A viewer that obeys it shows the
 * transpose of what it showed before: turns by 90 and by 270 degrees change places, and so do the
 * two mirror images. A turn by 180 degrees commutes with all of them, so reverse changes no
 * orientation. */
int orientation_transposed(int orientation);

/* Updates EXIF for a transpose: the orientation, and the entries for x and y (resolution, sides).
 * The thumbnail and the maker's notes stay. */
void exif_transpose(uint8_t *bytes, size_t count);

#endif
