/* SPDX-License-Identifier: MIT */
#include "src/text/option_table.h"

#include "src/text/size.h"
#include "src/text/string_list.h"

#include <ctype.h>
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
    if (!isdigit((unsigned char)argument[*argument == '+']) || *end != '\0' || errno == ERANGE ||
        *value < row->min || *value > row->max) {
        if (row->max == INT64_MAX)
            return fail(error, STATUS_USAGE, "--%s '%s': must be a whole number, %lld or more",
                        row->name, argument, (long long)row->min);
        return fail(error, STATUS_USAGE, "--%s '%s': must be a whole number from %lld to %lld",
                    row->name, argument, (long long)row->min, (long long)row->max);
    }
    return STATUS_OK;
}

enum status option_take_real(const struct option_row *row, const char *argument, double *value,
                             struct error *error)
{
    char *end;

    /* Refuses 0x2. strtod reads this as the hexadecimal number 2, but a user of ImageMagick means
     * radius 0 and sigma 2. */
    *value = strtod(argument, &end);
    if (end == argument || *end != '\0' || isspace((unsigned char)*argument) || !isfinite(*value) ||
        *value <= 0 || strpbrk(argument, "xX"))
        return fail(error, STATUS_USAGE, "--%s '%s': not a number above 0; write it like 2.5",
                    row->name, argument);
    return STATUS_OK;
}

static enum status take_size(const struct option_row *row, const char *argument, int64_t *bytes,
                             struct error *error)
{
    const bool mega = row->min >= 1 << 20;

    if (size_parse(argument, bytes) && *bytes >= row->min && *bytes <= row->max)
        return STATUS_OK;
    if (strchr(argument, '.') && argument[strspn(argument, "0123456789.")] == '\0')
        return fail(error, STATUS_USAGE,
                    "--%s '%s': without a unit this is a number of bytes, which has no fraction; "
                    "add a unit, as in 1.5M or 1.5G",
                    row->name, argument);
    return fail(error, STATUS_USAGE,
                "--%s '%s': must be a size such as 512M or 1.5G (K = 1024 bytes, M = 1024 K, then "
                "G, T; KB = 1000 bytes); at least %lld%c",
                row->name, argument, (long long)(row->min >> (mega ? 20 : 10)), mega ? 'M' : 'K');
}

enum status option_take_word(const struct option_row *row, const char *noun, const char *argument,
                             int *value, struct error *error)
{
    struct string_list known = {0};

    for (int i = 0; row->words[i]; i++) {
        string_list_add(&known, row->words[i]);
        if (strcmp(row->words[i], argument) == 0) {
            *value = i;
            return STATUS_OK;
        }
    }
    return fail(error, STATUS_USAGE, "--%s '%s': unknown %s; use %s%s", row->name, argument, noun,
                string_list_join(&known, "or").text, string_list_nearest(&known, argument).text);
}

#define NOUN_BYTES 32

/* Returns the argument's name in lower case, for messages: "rule" for RULE. */
static const char *noun_of(const struct option_row *row, char noun[NOUN_BYTES])
{
    int i = 0;

    for (; row->argument[i] && i < NOUN_BYTES - 1; i++)
        noun[i] = (char)tolower((unsigned char)row->argument[i]);
    noun[i] = '\0';
    return noun;
}

/* Stores the argument of an option in its field, and records that the option was given. `argument`
 * is NULL for an option without argument. */
static enum status take(const struct option_table *table, const struct option_row *row,
                        const char *argument, void *options, struct error *error)
{
    void *field = (char *)options + row->offset;
    char noun[NOUN_BYTES];
    int index = 0;

    if (table->given)
        *(uint64_t *)((char *)options + table->given) |= UINT64_C(1) << (row - table->rows);
    switch (row->kind) {
    case OPTION_FLAG:
    case OPTION_FULL:
        *(bool *)field = true;
        return STATUS_OK;
    case OPTION_INTEGER:
        return option_take_integer(row, argument, field, error);
    case OPTION_REAL:
        return option_take_real(row, argument, field, error);
    case OPTION_SIZE:
        return take_size(row, argument, field, error);
    case OPTION_WORD:
        return option_take_word(row, noun_of(row, noun), argument, field, error);
    case OPTION_TEXT:
        *(const char **)field = argument;
        return STATUS_OK;
    case OPTION_CHOICE:
        *(const char **)field = argument;
        return option_take_word(row, noun_of(row, noun), argument, &index, error);
    case OPTION_OWN:
        return table->take_own(row, argument, options, error);
    case OPTION_ACTION:
        *(int *)field = (int)row->min;
        return STATUS_OK;
    }
    return STATUS_OK;
}

bool option_is_given(const struct option_table *table, const void *options, const char *name)
{
    const uint64_t given = *(const uint64_t *)((const char *)options + table->given);

    for (int i = 0; table->rows[i].name; i++)
        if (strcmp(table->rows[i].name, name) == 0)
            return given >> i & 1;
    return false;
}

/* Returns the long options that the first `length` bytes of `name` may mean: the option with
 * exactly this name or, if there is none, all options whose names begin with these bytes. */
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

/* Returns a suggestion for an unknown name: "; did you mean '--jobs'?", or "". */
static struct phrase meant_by(const struct option_table *table, const char *name)
{
    const struct string_list all = long_names(table->rows, "", 0);

    return string_list_nearest(&all, name);
}

/* Refuses `word`: a long option with a single dash, or an ambiguous abbreviation. `names` are the
 * options that `word` may mean. */
static enum status refuse_beginning(const char *word, const struct string_list *names,
                                    struct error *error)
{
    return fail(error, STATUS_USAGE,
                names->count == 1 ? "%s: long options have two dashes; did you mean '%s'?"
                                  : "%s: ambiguous; use %s",
                word, string_list_join(names, "or").text);
}

/* Words such as -v and -jq are short options. A word with a single dash and at least this many
 * letters may be a mistyped long option. */
#define SHORTEST_BEGINNING 3

static const struct option_row *option_of_letter(const struct option_row *rows, int letter)
{
    for (const struct option_row *row = rows; row->name; row++)
        if (row->letter == letter)
            return row;
    return NULL;
}

/* If the next option of `words` has a single dash, checks this word before getopt_long reads its
 * letters as short options: -halo would otherwise print the help, as -h does. Stops at a letter
 * that takes an argument, since the rest of the word is the argument. */
static enum status check_letters(const struct option_table *table, char **words,
                                 struct error *error)
{
    const struct option_row *row = NULL;
    struct string_list names;
    const char *text;
    size_t length;

    while (*words && ((*words)[0] != '-' || (*words)[1] == '\0'))
        words++;
    if (!*words || (*words)[1] == '-')
        return STATUS_OK;
    text = *words + 1;
    length = strcspn(text, "=");
    names = long_names(table->rows, text, length);
    if (names.count > 0 && (length >= SHORTEST_BEGINNING || names.words[0][length] == '\0'))
        return refuse_beginning(*words, &names, error);
    for (const char *letter = text; *letter && !(row && row->argument); letter++) {
        row = option_of_letter(table->rows, *letter);
        if (!row)
            return fail(error, STATUS_USAGE, "-%c: unknown option%s", *letter,
                        meant_by(table, text).text);
    }
    return STATUS_OK;
}

/* Returns the error for the long option in `word`. If `takes_none` is true, the user gave an
 * argument to an option that takes none; else the option is unknown or ambiguous. */
static enum status refuse_long(const struct option_table *table, const char *word, bool takes_none,
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

#define MAX_OPTIONS 64
/* getopt_long's result for the first row of the table; all letters have smaller values */
#define FIRST_VALUE 256

/* The table of options in the two forms that getopt_long takes. */
struct getopt_tables {
    struct option long_options[MAX_OPTIONS + 1];
    char letters[2 * MAX_OPTIONS + 2];
};

static void make_tables(const struct option_row *rows, struct getopt_tables *tables)
{
    char *letters = tables->letters;

    memset(tables, 0, sizeof *tables);
    *letters++ = ':'; /* makes getopt_long return ':' for a missing argument */
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

enum status option_table_parse(const struct option_table *table, int argc, char **argv,
                               void *options, int *operands, struct error *error)
{
    const struct option_row *rows = table->rows, *row = NULL;
    struct getopt_tables tables;
    enum status status = STATUS_OK;

    make_tables(rows, &tables);
    opterr = 0;
    while (status == STATUS_OK && !(row && row->kind == OPTION_ACTION)) {
        int value, index;

        if (check_letters(table, argv + optind, error) != STATUS_OK)
            return STATUS_USAGE;
        value = getopt_long(argc, argv, tables.letters, tables.long_options, NULL);
        if (value == -1)
            break;
        if (value == '?')
            return refuse_long(table, argv[optind - 1], optopt >= FIRST_VALUE, error);
        index = (value == ':' ? optopt : value) - FIRST_VALUE;
        row = index >= 0 ? &rows[index] : option_of_letter(rows, index + FIRST_VALUE);
        if (row->kind == OPTION_FULL && strcmp(argv[optind - 1] + 2, row->name) != 0)
            return fail(error, STATUS_USAGE, "%s: write --%s in full, since it replaces files",
                        argv[optind - 1], row->name);
        if (value == ':')
            return fail(error, STATUS_USAGE, "--%s needs an argument: --%s %s", row->name,
                        row->name, row->argument);
        status = take(table, row, optarg, options, error);
    }
    *operands = optind;
    return status;
}
