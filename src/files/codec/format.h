/* SPDX-License-Identifier: MIT */
/* The names of the formats: in messages, and as extensions of file names. */
#ifndef SMOOTHIMG_FORMAT_H
#define SMOOTHIMG_FORMAT_H

#include "src/files/image/image.h"

/* Returns "PBM", "PGM", "PPM", "PAM", "PNG", "NPY", "TIFF" or "JPEG". */
const char *format_word(enum format format);

/* Returns the Netpbm format for the image: PAM if it was read from PAM; PBM if it is a bitmap read
 * from PBM; else PGM for 1 channel, PPM for 3 and PAM for any other number. */
enum format format_natural(const struct image *image);

/* True if the formats keep each other's metadata: they are the same, or both Netpbm formats. */
bool format_same_family(enum format a, enum format b);

/* Returns the text after the last dot of the file's name, or NULL if there is no dot, or only a
 * leading one. */
const char *format_extension(const char *path);

/* Sets *format to the format of an extension, in upper or lower case. Returns false if it is
 * unknown. "pnm" means format_natural(image), or PAM if image is NULL. */
bool format_of_extension(const char *extension, const struct image *image, enum format *format);

/* True if the path ends in a supported extension. */
bool format_is_named(const char *path);

/* True if the path ends in an extension of cameras' raw files. Such files begin like a TIFF file,
 * with a small copy of the picture. */
bool format_is_camera_raw(const char *path);

#endif
