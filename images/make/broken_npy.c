/* SPDX-License-Identifier: MIT */
/* Writes NPY files, each with the one fault that its name says. */
#include "images/make/make_images.h"

/* Writes an array in version 1.0 of the format: a header of 128 bytes, which contains the
 * dictionary padded with spaces; then 16 bytes of samples. */
static bool put_array(FILE *file, const char *dictionary)
{
    const int text_bytes = 128 - 10;

    fwrite("\x93NUMPY\1\0", 1, 8, file);
    putc(text_bytes, file);
    putc(0, file);
    fprintf(file, "%-*s\n", text_bytes - 1, dictionary);
    fputs("0123456789abcdef", file);
    return true;
}

bool break_truncated_npy(FILE *file)
{
    return put_array(file, "{'descr': '<u2', 'fortran_order': False, 'shape': (4, 4), }");
}

bool break_huge_npy(FILE *file)
{
    return put_array(file,
                     "{'descr': '|u1', 'fortran_order': False, 'shape': (1000000, 1000000), }");
}

/* The file is correct, but its samples are stored by columns. */
bool break_fortran(FILE *file)
{
    return put_array(file, "{'descr': '|u1', 'fortran_order': True, 'shape': (4, 4), }");
}

bool break_two_shapes(FILE *file)
{
    return put_array(
        file, "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 4), 'shape': (2, 8), }");
}
