/* SPDX-License-Identifier: MIT */
/* The part of --help that is made from the table of options. */
#include "option_table.h"

#include "words.h"

#include <string.h>

#define HELP_COLUMN 27 /* where the explanations begin; lines stay within 80 columns */

/* Prints lines of text from the given column on; the pen stands at `at`. */
static void print_indented(FILE *stream, const char *text, int at)
{
    while (*text) {
        const int length = (int)strcspn(text, "\n");

        fprintf(stream, "%*s%.*s\n", HELP_COLUMN > at ? HELP_COLUMN - at : 0, "", length, text);
        text += length + (text[length] == '\n');
        at = 0;
    }
}

/* The first word is the default, if the option has one. */
static void print_words(FILE *stream, const struct option_row *row)
{
    struct word_list list = {0};
    char first[64];

    snprintf(first, sizeof first, "%s%s", row->words[0],
             row->kind == OPTION_CHOICE ? "" : " (default)");
    words_add(&list, first);
    for (int i = 1; row->words[i]; i++)
        words_add(&list, row->words[i]);
    fprintf(stream, "%*s%s\n", HELP_COLUMN, "", words_joined(&list, "and").text);
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
