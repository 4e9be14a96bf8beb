/* SPDX-License-Identifier: MIT */
#include "src/text/option_meant.h"

#include <stdio.h>
#include <string.h>

/* The long options that a name may mean: the option of that name, or all that begin with it. */
static struct string_list long_names(const struct option_row *rows, const char *name, size_t length)
{
    struct string_list list = {.before = "--"};

    for (const struct option_row *row = rows; row->name; row++)
        if (strncmp(row->name, name, length) == 0) {
            if (row->name[length] == '\0')
                return (struct string_list){.before = "--", .words = {row->name}, .count = 1};
            string_list_add(&list, row->name);
        }
    return list;
}

/* The suggestion for an unknown name: "; did you mean '--jobs'?", or "". */
static struct phrase meant_by(const struct option_table *table, const char *name)
{
    const struct string_list all = long_names(table->rows, "", 0);

    return string_list_nearest(&all, name);
}

/* Refuses a long option with one dash, or an ambiguous abbreviation. */
static enum status refuse_beginning(const char *word, const struct string_list *names,
                                    struct error *error)
{
    return fail(error, STATUS_USAGE,
                names->count == 1 ? "%s: long options have two dashes; did you mean '%s'?"
                                  : "%s: ambiguous; use %s",
                word, string_list_join(names, "or").text);
}

#define SHORTEST_BEGINNING 3 /* after one dash: fewer letters are taken for single letters */

const struct option_row *option_of_letter(const struct option_row *rows, int letter)
{
    for (const struct option_row *row = rows; row->name; row++)
        if (row->letter == letter)
            return row;
    return NULL;
}

/* Checks the letters up to the first that takes an argument; the rest of the word is that argument.
 */
enum status option_check_letters(const struct option_table *table, const char *word,
                                 struct error *error)
{
    const struct option_row *rows = table->rows;
    const char *text = word + 1;
    const size_t length = strcspn(text, "=");
    const struct string_list names = long_names(rows, text, length);
    const struct option_row *row = NULL;

    if (names.count > 0 && (length >= SHORTEST_BEGINNING || names.words[0][length] == '\0'))
        return refuse_beginning(word, &names, error);
    for (const char *letter = text; *letter && !(row && row->argument); letter++) {
        row = option_of_letter(rows, *letter);
        if (!row)
            return fail(error, STATUS_USAGE, "-%c: unknown option%s", *letter,
                        meant_by(table, text).text);
    }
    return STATUS_OK;
}

enum status option_refuse_long(const struct option_table *table, const char *word, bool takes_none,
                               struct error *error)
{
    char name[64];
    struct string_list names;

    if (takes_none)
        return fail(error, STATUS_USAGE, "%s: this option takes no argument", word);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    names = long_names(table->rows, name + 2, strlen(name + 2));
    if (names.count > 0)
        return refuse_beginning(name, &names, error);
    return fail(error, STATUS_USAGE, "%s: unknown option%s", name, meant_by(table, name + 2).text);
}
