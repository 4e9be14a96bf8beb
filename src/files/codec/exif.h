/* SPDX-License-Identifier: MIT */
/* Reads the orientation of an image from EXIF, and updates EXIF's tags after a transpose. EXIF has
 * TIFF's structure, and is in a segment of JPEG or a chunk of PNG. The functions read no byte
 * outside the EXIF, even if it is damaged. */
#ifndef SMOOTHIMG_EXIF_H
#define SMOOTHIMG_EXIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORIENTATION_AS_STORED 1 /* viewers show the image as stored */

/* Returns how a viewer turns or mirrors the stored image, 1..8 as in TIFF. Returns
 * ORIENTATION_AS_STORED if EXIF has no orientation. */
int exif_orientation(const uint8_t *bytes, size_t count);

/* Makes in `only` the EXIF that is kept when metadata is dropped: only the orientation, without
 * which viewers would show the image turned. Returns its length, or 0 if the image is shown as
 * stored. */
#define EXIF_ORIENTATION_BYTES 26
size_t exif_only_orientation(const uint8_t *bytes, size_t count,
                             uint8_t only[EXIF_ORIENTATION_BYTES]);

/* Returns the orientation for the stored image's transpose, so that viewers show the transpose of
 * what they showed before. Turns by 90 and by 270 degrees are exchanged, and so are the mirror
 * images left to right and top to bottom. The operation `reverse` needs no such function: it turns
 * the image by 180 degrees, which commutes with all orientations. */
int orientation_transposed(int orientation);

/* Updates EXIF for a transpose: the orientation, and the entries for x and y (resolution, sides).
 * The thumbnail and the maker's notes stay. */
void exif_transpose(uint8_t *bytes, size_t count);

#endif
