/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include "registry.h"
#include "words.h"

#include <getopt.h>
#include <string.h>

#define MAX_OPTIONS 64
#define FIRST_VALUE 256 /* what getopt_long returns for the first row: beyond every letter */

/* getopt_long's two descriptions of the rows. */
struct getopt_tables {
    struct option long_options[MAX_OPTIONS + 1];
    char letters[2 * MAX_OPTIONS + 2];
};

static void make_tables(struct getopt_tables *tables)
{
    char *letters = tables->letters;

    memset(tables, 0, sizeof *tables);
    *letters++ = ':'; /* tell a missing argument from an unknown option */
    for (int i = 0; i < MAX_OPTIONS && option_rows[i].name; i++) {
        const struct option_row *row = &option_rows[i];

        tables->long_options[i] = (struct option){
            row->name, row->argument ? required_argument : no_argument, NULL, FIRST_VALUE + i};
        if (row->letter) {
            *letters++ = row->letter;
            if (row->argument)
                *letters++ = ':';
        }
    }
}

static const struct option_row *row_of(int value)
{
    if (value >= FIRST_VALUE)
        return &option_rows[value - FIRST_VALUE];
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->letter == value)
            return row;
    return NULL;
}

/* getopt_long takes any beginning of an option's name that fits only one. */
static enum status refuse_name(const char *name, struct error *error)
{
    struct word_list known = {0}, beginning = {0};

    for (const struct option_row *row = option_rows; row->name; row++) {
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
static enum status refuse_option(const char *word, int culprit, struct error *error)
{
    char name[64];

    if (culprit >= FIRST_VALUE)
        return fail(error, STATUS_USAGE, "%s: this option takes no argument", word);
    if (culprit != 0)
        return fail(error, STATUS_USAGE, "-%c: there is no such option", culprit);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    return refuse_name(name, error);
}

static enum status parse_options(int argc, char **argv, struct options *options,
                                 struct error *error)
{
    struct getopt_tables tables;
    enum status status = STATUS_OK;
    int value;

    make_tables(&tables);
    opterr = 0;
    while (status == STATUS_OK && options->action == ACTION_RUN &&
           (value = getopt_long(argc, argv, tables.letters, tables.long_options, NULL)) != -1) {
        const char *word = argv[optind - 1];

        if (value == '?')
            return refuse_option(word, optopt, error);
        if (value == ':')
            return fail(error, STATUS_USAGE, "--%s needs an argument: --%s %s",
                        row_of(optopt)->name, row_of(optopt)->name, row_of(optopt)->argument);
        status = option_take(row_of(value), optarg, options, error);
    }
    return status;
}

static enum status take_operands(int count, char **operands, struct options *options,
                                 struct error *error)
{
    if (count == 1 && options->in_place) {
        options->input = options->output = operands[0];
        return STATUS_OK;
    }
    if (count < 2)
        return fail(error, STATUS_USAGE, "%s; usage: smoothimg [options] INPUT OUTPUT",
                    count == 0 ? "no input and no output were named" : "no output was named");
    if (count > 2)
        return fail(error, STATUS_USAGE,
                    "%s: one input and one output are all it takes; usage: "
                    "smoothimg [options] INPUT OUTPUT",
                    operands[2]);
    options->input = operands[0];
    options->output = operands[1];
    if (*options->input == '\0' || *options->output == '\0')
        return fail(error, STATUS_USAGE,
                    "an empty name is no file; say - for standard input or output");
    return STATUS_OK;
}

/* --halo, --sigma, --edge and --norm make the filter; --sigma alone calls for its own halo. */
static enum status make_filter(struct options *options, struct error *error)
{
    struct filter *filter = &options->filter;

    filter->sigma = options->sigma;
    filter->edge = (enum edge)options->edge;
    filter->norm = (enum norm)options->norm;
    if (options->halo >= 0)
        filter->halo = options->halo;
    else if (options->sigma > 0) {
        if (gauss_halo_of(options->sigma) > MAX_HALO)
            return fail(error, STATUS_USAGE,
                        "--sigma %g needs a halo of ceil(3 sigma) = %.0f, and the largest is %d; "
                        "name a smaller --halo to cut the filter off there",
                        options->sigma, gauss_halo_of(options->sigma), MAX_HALO);
        filter->halo = (int64_t)gauss_halo_of(options->sigma);
    }
    return STATUS_OK;
}

enum status cli_parse(int argc, char **argv, struct options *options, struct error *error)
{
    enum status status;

    *options = options_default();
    status = parse_options(argc, argv, options, error);
    if (status != STATUS_OK || options->action != ACTION_RUN)
        return status;
    if (options->op_count == 0)
        options->ops[options->op_count++] = OP_SMOOTH;
    status = make_filter(options, error);
    return status == STATUS_OK ? take_operands(argc - optind, argv + optind, options, error)
                               : status;
}
