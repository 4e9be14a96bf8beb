/* SPDX-License-Identifier: MIT */
/* A table with a row for each option, by which a command line is parsed and --help is printed. */
#ifndef SMOOTHIMG_OPTION_TABLE_H
#define SMOOTHIMG_OPTION_TABLE_H

#include "src/lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The type of the field that an option sets, and the values that it accepts. */
enum option_kind {
    OPTION_FLAG, /* bool */
    /* bool; the user must write the whole name, not an abbreviation, since the option replaces
     * files. */
    OPTION_FULL,
    OPTION_INTEGER, /* int64_t, min..max */
    OPTION_REAL,    /* double above 0 */
    OPTION_SIZE,    /* int64_t: bytes, min..max, read by size_parse */
    OPTION_WORD,    /* int: index of the argument in `words` */
    OPTION_TEXT,    /* const char * */
    OPTION_CHOICE,  /* const char *: the argument, one of `words` */
    OPTION_OWN,     /* stored by the table's function take_own */
    OPTION_ACTION   /* int: becomes the row's `min`; parsing ends after this option */
};

struct option_row {
    const char *name; /* without the -- */
    char letter;      /* without the -; 0: there is no letter */
    /* The argument's name, such as RULE; messages print it in lower case. NULL: no argument. */
    const char *argument;
    const char *help; /* '\n' begins a new line */
    enum option_kind kind;
    size_t offset; /* where the option's field is in the program's struct */
    int64_t min, max;
    const char *const *words; /* NULL-terminated; for OPTION_WORD the first word is the default */
};

/* --help prints `title` before the option whose name is `first`. */
struct option_heading {
    const char *first, *title;
};

struct option_table {
    const struct option_row *rows; /* ends with a row whose name is NULL */
    /* Stores the argument of an option whose kind is OPTION_OWN. `options` is the struct that the
     * program gave to option_table_parse. */
    enum status (*take_own)(const struct option_row *row, const char *argument, void *options,
                            struct error *error);
    const struct option_heading *headings; /* ends with a row of NULLs; NULL: no headings */
    /* Offset of a uint64_t in the program's struct: bit i of this number is set if the option of
     * row i was given. 0: the struct has no such member. */
    size_t given;
};

/* Parses argv's options into the program's struct, and moves the operands to the end of argv. On
 * success *operands is the index of the first operand, unless an OPTION_ACTION has ended the
 * parsing early. After STATUS_USAGE the message names the option, and says what is wrong or which
 * values are allowed. */
enum status option_table_parse(const struct option_table *table, int argc, char **argv,
                               void *options, int *operands, struct error *error);

/* Returns true if the option of this name was given. The member `given` of the table must not be
 * 0. */
bool option_is_given(const struct option_table *table, const void *options, const char *name);

/* Helpers for take_own. They set *value from the argument: option_take_word to the argument's index
 * in row->words, option_take_integer to an integer from row->min to row->max, option_take_real to a
 * number above 0. For an unknown word the message says "unknown <noun>". */
enum status option_take_word(const struct option_row *row, const char *noun, const char *argument,
                             int *value, struct error *error);
enum status option_take_integer(const struct option_row *row, const char *argument, int64_t *value,
                                struct error *error);
enum status option_take_real(const struct option_row *row, const char *argument, double *value,
                             struct error *error);

/* Prints the options for --help, within 80 columns. */
void option_table_print(const struct option_table *table, FILE *stream);

#endif
