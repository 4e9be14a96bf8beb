/* SPDX-License-Identifier: MIT */
#include "option_table.h"

#include "size.h"
#include "words.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum status option_take_integer(const struct option_row *row, const char *argument, int64_t *value,
                                struct error *error)
{
    char *end;

    errno = 0;
    *value = strtoll(argument, &end, 10);
    if (end == argument || *end != '\0' || errno == ERANGE || *value < row->least ||
        *value > row->most) {
        if (row->most == INT64_MAX)
            return fail(error, STATUS_USAGE, "--%s %s: it must be a whole number, %lld or more",
                        row->name, argument, (long long)row->least);
        return fail(error, STATUS_USAGE, "--%s %s: it must be a whole number from %lld to %lld",
                    row->name, argument, (long long)row->least, (long long)row->most);
    }
    return STATUS_OK;
}

static enum status take_real(const struct option_row *row, const char *argument, double *value,
                             struct error *error)
{
    char *end;

    *value = strtod(argument, &end);
    if (end == argument || *end != '\0' || !isfinite(*value) || *value <= 0)
        return fail(error, STATUS_USAGE, "--%s %s: it must be a number above 0, such as 1.5",
                    row->name, argument);
    return STATUS_OK;
}

static enum status take_size(const struct option_row *row, const char *argument, int64_t *bytes,
                             struct error *error)
{
    char least[SIZE_TEXT];

    if (size_parse(argument, bytes) && *bytes >= row->least && *bytes <= row->most)
        return STATUS_OK;
    return fail(error, STATUS_USAGE, "--%s %s: it must be %s; %s is the least", row->name, argument,
                SIZE_FORM, size_text(row->least, least));
}

enum status option_take_word(const struct option_row *row, const char *noun, const char *argument,
                             int *value, struct error *error)
{
    struct word_list known = {0};

    for (int i = 0; row->words[i]; i++) {
        words_add(&known, row->words[i]);
        if (strcmp(row->words[i], argument) == 0) {
            *value = i;
            return STATUS_OK;
        }
    }
    return fail(error, STATUS_USAGE, "--%s %s: there is no such %s%s; there are %s", row->name,
                argument, noun, words_nearest(&known, argument).text,
                words_joined(&known, "and").text);
}

/* argument is NULL for a flag. */
static enum status take(const struct option_table *table, const struct option_row *row,
                        const char *argument, void *options, struct error *error)
{
    void *field = (char *)options + row->offset;
    int index = 0;

    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return STATUS_OK;
    case OPTION_INTEGER:
        return option_take_integer(row, argument, field, error);
    case OPTION_REAL:
        return take_real(row, argument, field, error);
    case OPTION_SIZE:
        return take_size(row, argument, field, error);
    case OPTION_WORD:
        return option_take_word(row, row->name, argument, field, error);
    case OPTION_TEXT:
        *(const char **)field = argument;
        return STATUS_OK;
    case OPTION_CHOICE:
        *(const char **)field = argument;
        return option_take_word(row, row->name, argument, &index, error);
    case OPTION_OWN:
        return table->take_own(row, argument, options, error);
    case OPTION_VALUE:
    case OPTION_ACTION:
        *(int *)field = (int)row->least;
        return STATUS_OK;
    }
    return STATUS_OK;
}

#define MAX_OPTIONS 64
#define FIRST_VALUE 256 /* what getopt_long returns for the first row: beyond every letter */

/* getopt_long's two descriptions of the rows. */
struct getopt_tables {
    struct option long_options[MAX_OPTIONS + 1];
    char letters[2 * MAX_OPTIONS + 2];
};

static void make_tables(const struct option_row *rows, struct getopt_tables *tables)
{
    char *letters = tables->letters;

    memset(tables, 0, sizeof *tables);
    *letters++ = ':'; /* tell a missing argument from an unknown option */
    for (int i = 0; i < MAX_OPTIONS && rows[i].name; i++) {
        const struct option_row *row = &rows[i];

        tables->long_options[i] = (struct option){
            row->name, row->argument ? required_argument : no_argument, NULL, FIRST_VALUE + i};
        if (row->letter) {
            *letters++ = row->letter;
            if (row->argument)
                *letters++ = ':';
        }
    }
}

static const struct option_row *row_of(const struct option_row *rows, int value)
{
    if (value >= FIRST_VALUE)
        return &rows[value - FIRST_VALUE];
    for (const struct option_row *row = rows; row->name; row++)
        if (row->letter == value)
            return row;
    return NULL;
}

/* getopt_long takes any beginning of an option's name that fits only one. */
static enum status refuse_name(const struct option_row *rows, const char *name, struct error *error)
{
    struct word_list known = {0}, beginning = {0};

    for (const struct option_row *row = rows; row->name; row++) {
        words_add(&known, row->name);
        if (strncmp(row->name, name, strlen(name)) == 0)
            words_add(&beginning, row->name);
    }
    if (beginning.count > 0)
        return fail(error, STATUS_USAGE, "--%s: this could be %s; say which", name,
                    words_joined(&beginning, "or").text);
    return fail(error, STATUS_USAGE, "--%s: there is no such option%s", name,
                words_nearest(&known, name).text);
}

/* culprit is getopt's optopt: a letter, the value of a row that was given an argument and takes
 * none, or 0 for an unknown name, which is in word. */
static enum status refuse_option(const struct option_row *rows, const char *word, int culprit,
                                 struct error *error)
{
    char name[64];

    if (culprit >= FIRST_VALUE)
        return fail(error, STATUS_USAGE, "%s: this option takes no argument", word);
    if (culprit != 0)
        return fail(error, STATUS_USAGE, "-%c: there is no such option", culprit);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    return refuse_name(rows, name, error);
}

enum status option_table_parse(const struct option_table *table, int argc, char **argv,
                               void *options, int *operands, struct error *error)
{
    const struct option_row *rows = table->rows, *row = NULL;
    struct getopt_tables tables;
    enum status status = STATUS_OK;
    int value;

    make_tables(rows, &tables);
    opterr = 0;
    while (status == STATUS_OK && !(row && row->kind == OPTION_ACTION) &&
           (value = getopt_long(argc, argv, tables.letters, tables.long_options, NULL)) != -1) {
        const char *word = argv[optind - 1];

        if (value == '?')
            return refuse_option(rows, word, optopt, error);
        row = row_of(rows, value == ':' ? optopt : value);
        if (value == ':')
            return fail(error, STATUS_USAGE, "--%s needs an argument: --%s %s", row->name,
                        row->name, row->argument);
        status = take(table, row, optarg, options, error);
    }
    *operands = optind;
    return status;
}
