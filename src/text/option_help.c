/* SPDX-License-Identifier: MIT */
/* Prints the options of --help from the table. */
#include "src/text/option_table.h"

#include "src/text/string_list.h"

#include <string.h>

#define HELP_COLUMN 27 /* column where explanations begin; lines have at most 80 columns */
#define HELP_WIDTH (79 - HELP_COLUMN)

/* Prints lines of text, indented to HELP_COLUMN. `at` is the column where the first line begins. */
static void print_indented(FILE *stream, const char *text, int at)
{
    while (*text) {
        const int length = (int)strcspn(text, "\n");

        fprintf(stream, "%*s%.*s\n", HELP_COLUMN > at ? HELP_COLUMN - at : 0, "", length, text);
        text += length + (text[length] == '\n');
        at = 0;
    }
}

/* Breaks lines that are longer than HELP_WIDTH: replaces the space after the last comma that fits
 * in the line by a newline. */
static void wrap(char *text)
{
    for (char *line = text; strlen(line) > HELP_WIDTH;) {
        char *comma = NULL;

        for (char *at = strchr(line, ','); at && at - line < HELP_WIDTH; at = strchr(at + 1, ','))
            comma = at;
        if (!comma)
            return;
        comma[1] = '\n';
        line = comma + 2;
    }
}

/* Returns the words that an option accepts as its argument, as text: "sum (default) and analytic".
 * Marks the first word as the default, unless the option's kind is OPTION_CHOICE. */
static struct phrase words_of(const struct option_row *row)
{
    struct string_list list = {0};
    struct phrase words;
    char first[64];

    snprintf(first, sizeof first, "%s%s", row->words[0],
             row->kind == OPTION_CHOICE ? "" : " (default)");
    string_list_add(&list, first);
    for (int i = 1; row->words[i]; i++)
        string_list_add(&list, row->words[i]);
    words = string_list_join(&list, "and");
    wrap(words.text);
    return words;
}

/* Prints an option's letter, name and argument: "  -j, --jobs N". Returns the column where this
 * text ends. If this column is HELP_COLUMN or more, begins a new line and returns 0. */
static int print_name(FILE *stream, const struct option_row *row)
{
    char letter[8] = "    ";
    int at;

    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    at = fprintf(stream, "  %s--%s%s%s", letter, row->name,
                 row->argument && *row->argument != '[' ? " " : "",
                 row->argument ? row->argument : "");
    if (at < HELP_COLUMN)
        return at;
    fputc('\n', stream);
    return 0;
}

static void print_heading(FILE *stream, const struct option_heading *headings, const char *name)
{
    for (const struct option_heading *heading = headings; heading && heading->first; heading++)
        if (strcmp(heading->first, name) == 0)
            fprintf(stream, "%s%s:\n", heading > headings ? "\n" : "", heading->title);
}

void option_table_print(const struct option_table *table, FILE *stream)
{
    for (const struct option_row *row = table->rows; row->name; row++) {
        print_heading(stream, table->headings, row->name);
        print_indented(stream, row->help, print_name(stream, row));
        if (row->words)
            print_indented(stream, words_of(row).text, 0);
    }
}
