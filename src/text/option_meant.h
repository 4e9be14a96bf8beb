/* SPDX-License-Identifier: MIT */
/* Messages about wrong options that suggest what was meant. */
#ifndef SMOOTHIMG_OPTION_MEANT_H
#define SMOOTHIMG_OPTION_MEANT_H

#include "src/text/option_table.h"
#include "src/text/string_list.h"

/* Finds the row of an option by its letter; NULL: there is none. */
const struct option_row *option_of_letter(const struct option_row *rows, int letter);

/* Checks a word with one dash before getopt_long acts on its letters: -halo would print the help,
 * like -h. STATUS_USAGE: a letter is unknown, or the word is a long option's. */
enum status option_check_letters(const struct option_table *table, const char *word,
                                 struct error *error);

/* Refuses a long option that is unknown or ambiguous, or that was given an argument and takes none.
 */
enum status option_refuse_long(const struct option_table *table, const char *word, bool takes_none,
                               struct error *error);

#endif
