/* SPDX-License-Identifier: MIT */
/* The Python dictionary in an .npy header, as numpy.save writes it. */
#ifndef SMOOTHIMG_CODEC_NPY_DICTIONARY_H
#define SMOOTHIMG_CODEC_NPY_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NPY_MAX_SIDES 8

struct npy_dictionary {
    char descr[32];               /* the type: "<u2"; "[" for a structured one; cut if longer */
    bool fortran_order;           /* columns first */
    int64_t sides[NPY_MAX_SIDES]; /* INT64_MAX for a number above it */
    int dimensions;               /* may exceed NPY_MAX_SIDES */
};

/* Reads the text: each of the three keys once, in any order, and nothing else but white space.
 * Returns NULL, or what was expected where the text differs, for a message; *at is then the number
 * of bytes before. Python is not interpreted. */
const char *npy_dictionary_parse(const char *text, size_t count, struct npy_dictionary *dictionary,
                                 size_t *at);

#endif
