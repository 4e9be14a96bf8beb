/* SPDX-License-Identifier: MIT */
/* What the command line asked for, and the table of options that says what may be asked. */
#ifndef SMOOTHIMG_OPTIONS_H
#define SMOOTHIMG_OPTIONS_H

#include "codec.h"
#include "gauss.h"
#include "variant.h"

#include <stdbool.h>
#include <stddef.h>

#define MAX_OPS 32

enum action { ACTION_RUN, ACTION_LIST_VARIANTS, ACTION_LIST_DEVICES, ACTION_HELP, ACTION_VERSION };

/* Checked and complete: nothing behind it looks at argv again. Strings belong to argv. */
struct options {
    int action; /* enum action; options of a WORD or ACTION row are ints, see the rows */
    const char *input, *output;
    int ops[MAX_OPS]; /* enum op, in the order of work */
    int op_count;
    int64_t halo; /* -1: not given */
    double sigma; /* 0: not given */
    int edge, norm;
    struct filter filter; /* made from the four above */
    const char *variant;
    const char *format; /* an extension, or NULL: by the output's name */
    int64_t threads;
    int64_t block;  /* 0: the variant's own */
    int64_t device; /* of --list-devices */
    int64_t png_level;
    int64_t max_pixels;
    bool plain, scale;
    bool verify, in_place, no_clobber, timings, quiet, verbose;
};

enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_INTEGER, /* int64_t, least..most */
    OPTION_REAL,    /* double above 0 */
    OPTION_WORD,    /* int: the word's place in words */
    OPTION_TEXT,    /* const char * */
    OPTION_CHOICE,  /* const char *: one of words, as it stands */
    OPTION_OP,      /* appended to ops */
    OPTION_ACTION   /* int: the row's `least`; ends the reading of options */
};

/* One option: the parser, --help, and the test of the manual read these rows. */
struct option_row {
    const char *name;     /* after -- */
    char letter;          /* after -, or 0 */
    const char *argument; /* its name in the help, or NULL: it takes none */
    const char *help;     /* '\n' begins a new line */
    enum option_kind kind;
    size_t offset; /* in struct options */
    int64_t least, most;
    const char *const *words; /* ends with NULL */
};

/* Ends with a row whose name is NULL. */
extern const struct option_row option_rows[];

/* The words of --edge and --norm. */
const char *edge_word(enum edge edge);
const char *norm_word(enum norm norm);

/* The state before the first option. */
struct options options_default(void);

/* Stores the option's argument (NULL for a flag). STATUS_USAGE names the option, the argument and
 * what it may be. */
enum status option_take(const struct option_row *row, const char *argument, struct options *options,
                        struct error *error);

#endif
