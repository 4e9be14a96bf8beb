/* SPDX-License-Identifier: MIT */
/* Prints the options of --help from the table. */
#include "src/text/option_table.h"

#include "src/text/string_list.h"

#include <string.h>

#define HELP_COLUMN 27 /* column of the explanations; lines stay within 80 columns */

/* Prints lines of text, indented to HELP_COLUMN. at: the current column. */
static void print_indented(FILE *stream, const char *text, int at)
{
    while (*text) {
        const int length = (int)strcspn(text, "\n");

        fprintf(stream, "%*s%.*s\n", HELP_COLUMN > at ? HELP_COLUMN - at : 0, "", length, text);
        text += length + (text[length] == '\n');
        at = 0;
    }
}

/* Prints the words of an option. The first is the default, except for OPTION_CHOICE. */
static void print_words(FILE *stream, const struct option_row *row)
{
    struct string_list list = {0};
    char first[64];

    snprintf(first, sizeof first, "%s%s", row->words[0],
             row->kind == OPTION_CHOICE ? "" : " (default)");
    string_list_add(&list, first);
    for (int i = 1; row->words[i]; i++)
        string_list_add(&list, row->words[i]);
    fprintf(stream, "%*s%s\n", HELP_COLUMN, "", string_list_join(&list, "and").text);
}

void option_table_print(const struct option_table *table, FILE *stream)
{
    for (const struct option_row *row = table->rows; row->name; row++) {
        char letter[8] = "    ";
        int at;

        if (row->letter)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        at = fprintf(stream, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
                     row->argument ? row->argument : "");
        if (at >= HELP_COLUMN) {
            fputc('\n', stream);
            at = 0;
        }
        print_indented(stream, row->help, at);
        if (row->words)
            print_words(stream, row);
    }
}
