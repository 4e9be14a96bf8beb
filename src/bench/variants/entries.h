/* SPDX-License-Identifier: MIT */
/* Lists the entries of the suite of variants, and tells which entries the command line selects. An
 * entry is a variant, an engine (one implementation of a variant) or a function of the library. A
 * measured entry becomes a row of the table. */
#ifndef SMOOTHIMG_ENTRIES_H
#define SMOOTHIMG_ENTRIES_H

#include "src/bench/options/options.h"
#include "src/bench/core/machine.h"
#include "src/bench/core/measure.h"

#include <stdio.h>

#define COPY_NAME "copy"

enum entry_kind {
    ENTRY_VARIANT,
    ENTRY_ENGINE, /* an engine of a variant: measured only if --variant names it */
    ENTRY_LIBRARY /* a function of smoothimg.h */
};

struct entry {
    const char *name;
    enum op op;
    enum backend place;
    bool present; /* this build contains the code of the entry */
    struct variant variant;
    enum entry_kind kind;
};

/* Sets *entry to entry number i (0, 1, ...) of this program and returns true, or returns false if
 * there are at most i entries. */
bool entry_at(int i, struct entry *entry);

/* Returns true if the build has the entry, --place allows it, and --variant names it. Without
 * --variant, the last condition is that the entry is no engine. */
bool entry_is_wanted(const struct bench_options *options, const struct entry *entry);

/* Returns true if `name` is among the names after --variant. */
bool entry_is_named(const struct bench_options *options, const char *name);

/* Checks that the names of --variant and --against are known (STATUS_USAGE) and that the named
 * variants can run here (STATUS_DEVICE). */
enum status entries_check(const struct bench_options *options, const struct machine *machine,
                          struct error *error);

/* Prints the table of --list: all entries but engines. */
void entries_print(FILE *stream);

#endif
