/* SPDX-License-Identifier: MIT */
/* The rows that this program has, and which of them the command line selects. */
#ifndef SMOOTHIMG_ENTRIES_H
#define SMOOTHIMG_ENTRIES_H

#include "src/bench/options/options.h"
#include "src/bench/core/machine.h"
#include "src/bench/core/measure.h"

#include <stdio.h>

/* The name of the row for plain copies. */
#define COPY_NAME "copy"

enum entry_kind {
    ENTRY_VARIANT,
    ENTRY_ENGINE, /* of a variant: selected only by its name */
    ENTRY_LIBRARY /* a function of smoothimg.h */
};

/* An entry that may become a row. */
struct entry {
    const char *name;
    enum op op;
    enum backend place;
    bool present; /* in this build: */
    struct variant variant;
    enum entry_kind kind;
};

/* Sets *entry to entry number i = 0, 1, ... of this program, and returns true; false after the last
 * one. */
bool entry_at(int i, struct entry *entry);

/* True if the command line selects the entry at its place: by its name, or, unless it is an engine,
 * by naming none. */
bool entry_is_wanted(const struct bench_options *options, const struct entry *entry);

/* Was it asked for by its name? */
bool entry_is_named(const struct bench_options *options, const char *name);

/* Checks that the names of --variant and --against are known (STATUS_USAGE) and that the named rows
 * can run here (STATUS_DEVICE). */
enum status entries_check(const struct bench_options *options, const struct machine *machine,
                          struct error *error);

/* The table of --list: all but engines. */
void entries_print(FILE *stream);

#endif
