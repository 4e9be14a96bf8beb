/* SPDX-License-Identifier: MIT */
/* The rows that there can be, and which of them the command line asks for. */
#ifndef SMOOTHIMG_ENTRIES_H
#define SMOOTHIMG_ENTRIES_H

#include "src/bench/options/options.h"
#include "src/bench/core/machine.h"
#include "src/bench/core/measure.h"

#include <stdio.h>

/* The name of the plain copies, as a row. */
#define COPY_NAME "copy"

enum entry_kind {
    ENTRY_VARIANT,
    ENTRY_ENGINE, /* of a variant: only if asked for by its name */
    ENTRY_LIBRARY /* a function of smoothimg.h */
};

/* What could be a row. */
struct entry {
    const char *name;
    enum op op;
    enum backend place;
    bool present; /* in this build: */
    struct variant variant;
    enum entry_kind kind;
};

/* Entry number i = 0, 1, ... of this program: true and *entry, or false after the last. */
bool entry_at(int i, struct entry *entry);

/* Does the command line ask for the entry, by name or by naming none, at its place? For an engine,
 * by name. */
bool entry_is_wanted(const struct bench_options *options, const struct entry *entry);

/* Was it asked for by its name? */
bool entry_is_named(const struct bench_options *options, const char *name);

/* Are the names of --variant and --against known, and can the rows that were named run here?
 * STATUS_USAGE or STATUS_DEVICE. */
enum status entries_check(const struct bench_options *options, const struct machine *machine,
                          struct error *error);

/* The table of --list: all but engines. */
void entries_print(FILE *stream);

#endif
