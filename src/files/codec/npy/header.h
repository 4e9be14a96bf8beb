/* SPDX-License-Identifier: MIT */
/* The header of an .npy file: a magic number, a version, a length, and a Python dictionary as text.
 * The dictionary is like {'descr': '<u2', 'fortran_order': False, 'shape': (61, 97), }. */
#ifndef SMOOTHIMG_CODEC_NPY_HEADER_H
#define SMOOTHIMG_CODEC_NPY_HEADER_H

#include "src/files/codec/codec.h"

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_BYTES 6
/* The length of a header from npy_header_make. NumPy rounds up to a multiple of 64 bytes. A header
 * with two to four sides needs more than 64 and less than 128 bytes, whatever the number of the
 * sides' digits. */
#define NPY_WRITTEN_BYTES 128

/* The contents of a header whose array this program supports. */
struct npy_header {
    struct shape shape; /* the shape of the array, or of one plane of a stack */
    int64_t planes;     /* 0: the array is one image */
    bool big_endian;
};

/* Reads the header at the stream's position. Returns STATUS_INPUT if it is damaged;
 * STATUS_UNSUPPORTED, with a message that says what to do in NumPy, if it describes an unsupported
 * array. */
enum status npy_header_read(const struct image_reader *reader, struct npy_header *header,
                            struct error *error);

/* Makes the header that numpy.save writes for a little-endian array of this shape. `planes` is the
 * number of planes of a stack, or 0. */
void npy_header_make(const struct shape *shape, int64_t planes, char bytes[NPY_WRITTEN_BYTES]);

#endif
