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

/* The long options that a name may stand for: the one that it is, or those that it begins. */
static struct word_list long_names(const struct option_row *rows, const char *name, size_t length)
{
    struct word_list list = {.before = "--"};

    for (const struct option_row *row = rows; row->name; row++)
        if (strncmp(row->name, name, length) == 0) {
            if (row->name[length] == '\0')
                return (struct word_list){.before = "--", .words = {row->name}, .count = 1};
            words_add(&list, row->name);
        }
    return list;
}

static struct phrase nearest_name(const struct option_row *rows, const char *name)
{
    const struct word_list all = long_names(rows, "", 0);

    return words_nearest(&all, name);
}

/* A word that names one option, but with one dash, or that begins the names of several. */
static enum status refuse_beginning(const char *word, const struct word_list *names,
                                    struct error *error)
{
    return fail(error, STATUS_USAGE,
                names->count == 1 ? "%s: long options have two dashes; did you mean '%s'?"
                                  : "%s: this could be %s; say which",
                word, words_joined(names, "or").text);
}

#define SHORTEST_BEGINNING 3 /* of a long name after one dash: fewer letters are rather letters */

/* A word with one dash, before any of it is obeyed: -halo would print the help, as -h does. Letters
 * are options up to the first that takes an argument, which is the rest of the word. */
static enum status check_letters(const struct option_row *rows, const char *word,
                                 struct error *error)
{
    const char *text = word + 1;
    const size_t length = strcspn(text, "=");
    const struct word_list names = long_names(rows, text, length);
    const struct option_row *row = NULL;

    if (names.count > 0 && (length >= SHORTEST_BEGINNING || names.words[0][length] == '\0'))
        return refuse_beginning(word, &names, error);
    for (const char *letter = text; *letter && !(row && row->argument); letter++) {
        row = row_of(rows, *letter);
        if (!row)
            return fail(error, STATUS_USAGE, "-%c: there is no such option%s", *letter,
                        nearest_name(rows, text).text);
    }
    return STATUS_OK;
}

/* The word that getopt_long will read next, if it has one dash; else NULL. */
static const char *next_letters(int argc, char **argv)
{
    for (int i = optind; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1] != '\0')
            return argv[i][1] == '-' ? NULL : argv[i];
    return NULL;
}

/* A long option that getopt_long does not know, or that has an argument and takes none. It takes
 * any beginning of a name that fits only one. */
static enum status refuse_long(const struct option_row *rows, const char *word, struct error *error)
{
    char name[64];
    struct word_list names;

    if (optopt >= FIRST_VALUE)
        return fail(error, STATUS_USAGE, "%s: this option takes no argument", word);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    names = long_names(rows, name + 2, strlen(name + 2));
    if (names.count > 0)
        return refuse_beginning(name, &names, error);
    return fail(error, STATUS_USAGE, "%s: there is no such option%s", name,
                nearest_name(rows, name + 2).text);
}

enum status option_table_parse(const struct option_table *table, int argc, char **argv,
                               void *options, int *operands, struct error *error)
{
    const struct option_row *rows = table->rows, *row = NULL;
    struct getopt_tables tables;
    enum status status = STATUS_OK;

    make_tables(rows, &tables);
    opterr = 0;
    while (status == STATUS_OK && !(row && row->kind == OPTION_ACTION)) {
        const char *letters = next_letters(argc, argv);
        int value;

        if (letters && check_letters(rows, letters, error) != STATUS_OK)
            return STATUS_USAGE;
        value = getopt_long(argc, argv, tables.letters, tables.long_options, NULL);
        if (value == -1)
            break;
        if (value == '?')
            return refuse_long(rows, argv[optind - 1], error);
        row = row_of(rows, value == ':' ? optopt : value);
        if (value == ':')
            return fail(error, STATUS_USAGE, "--%s needs an argument: --%s %s", row->name,
                        row->name, row->argument);
        status = take(table, row, optarg, options, error);
    }
    *operands = optind;
    return status;
}
