/* SPDX-License-Identifier: MIT */
/* The names of the formats: in messages, and as extensions of file names. */
#ifndef SMOOTHIMG_FORMAT_H
#define SMOOTHIMG_FORMAT_H

#include "src/files/image/image.h"

/* "PBM", "PGM", "PPM", "PAM", "PNG", "NPY", "TIFF", "JPEG". */
const char *format_word(enum format format);

/* The Netpbm format that suits the image: PAM if it was read from one; PBM for a bitmap that was
 * read from one; else PGM for 1 channel, PPM for 3 and PAM for any other number. */
enum format format_natural(const struct image *image);

/* Formats of one family keep each other's metadata: the Netpbm formats; each of the others. */
bool format_same_family(enum format a, enum format b);

/* The text after the last dot of the file's name. NULL if there is no dot or only a leading one. */
const char *format_extension(const char *path);

/* Sets *format to the format of an extension, in upper or lower case. False if it is unknown. "pnm"
 * means format_natural(image), or PAM, which holds any image, where image is NULL. */
bool format_of_extension(const char *extension, const struct image *image, enum format *format);

/* Does the path end in one of these extensions? */
bool format_is_named(const char *path);

/* Does it end in an extension of cameras' raw files? They begin as TIFF does, with a small copy. */
bool format_is_camera_raw(const char *path);

#endif
