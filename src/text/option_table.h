/* SPDX-License-Identifier: MIT */
/* Options as rows of a table: one parser and one --help for every program of the project. */
#ifndef SMOOTHIMG_OPTION_TABLE_H
#define SMOOTHIMG_OPTION_TABLE_H

#include "error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_INTEGER, /* int64_t, least..most */
    OPTION_REAL,    /* double above 0 */
    OPTION_SIZE,    /* int64_t: bytes, least..most, see size.h */
    OPTION_WORD,    /* int: the word's place in words */
    OPTION_TEXT,    /* const char * */
    OPTION_CHOICE,  /* const char *: one of words, as it stands */
    OPTION_OWN,     /* the program's own: see take_own */
    OPTION_VALUE,   /* int: the row's `least` */
    OPTION_ACTION   /* int: the row's `least`; ends the reading of options */
};

/* One option: the parser, --help, and the test of the manual read these rows. */
struct option_row {
    const char *name;     /* after -- */
    char letter;          /* after -, or 0 */
    const char *argument; /* its name in the help, or NULL: it takes none */
    const char *help;     /* '\n' begins a new line */
    enum option_kind kind;
    size_t offset; /* in the program's struct of options */
    int64_t least, most;
    const char *const *words; /* ends with NULL; the first of a WORD is the default */
};

struct option_table {
    const struct option_row *rows; /* ends with a row whose name is NULL */
    /* Stores the argument of an OPTION_OWN row; options is the program's struct. */
    enum status (*take_own)(const struct option_row *row, const char *argument, void *options,
                            struct error *error);
};

/* Reads the options of argv (which it reorders: operands come last) into the program's struct. On
 * success *operands is the place of the first operand. STATUS_USAGE names the option, its argument,
 * and what it may be. */
enum status option_table_parse(const struct option_table *table, int argc, char **argv,
                               void *options, int *operands, struct error *error);

/* For take_own: sets *value to the place of the argument in row->words, or to the whole number that
 * it is. noun is what the argument should have been, as in "there is no such noun". */
enum status option_take_word(const struct option_row *row, const char *noun, const char *argument,
                             int *value, struct error *error);
enum status option_take_integer(const struct option_row *row, const char *argument, int64_t *value,
                                struct error *error);

/* The rows' part of --help, within 80 columns. */
void option_table_print(const struct option_table *table, FILE *stream);

#endif
