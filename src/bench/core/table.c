/* SPDX-License-Identifier: MIT */
/* The results as a table for people, within 80 columns. */
#include "src/bench/core/suite.h"

#include <string.h>

static void print_machine(FILE *stream, const struct machine *machine)
{
    fprintf(stream, "%s, %d processor%s, %s\n", machine->cpu, machine->processors,
            machine->processors == 1 ? "" : "s", machine->system);
    if (!machine->has_gpu) {
        print_wrapped(stream, machine->no_gpu, fprintf(stream, "no GPU rows:"));
        fputs("--sectors counts what GPU rows ask of memory, and needs no GPU\n", stream);
    } else if (machine->emulated)
        fputs("the GPU is emulated, on the processor: its rows are checked, and not timed\n",
              stream);
    else
        fprintf(stream, "%s, compute capability %d.%d, %d multiprocessors, %.1f GB\n",
                machine->gpu.name, machine->gpu.major, machine->gpu.minor,
                machine->gpu.multiprocessors, (double)machine->gpu.memory_bytes / 1e9);
}

void table_print_head(FILE *stream, const struct results *results)
{
    print_machine(stream, &results->machine);
    if (results->suite->print_head)
        results->suite->print_head(stream, results);
    if (!results->untimed)
        fprintf(stream, "%s\n", results->suite->legend);
}

static void print_headings(FILE *stream, const struct bench_suite *suite, const char *against)
{
    fprintf(stream, "  %-*s %-4s", suite->name_width, "row", "on");
    for (const struct figure *figure = suite->figures; figure->value; figure++) {
        char heading[64];

        if (!figure->heading)
            continue;
        snprintf(heading, sizeof heading, "%s%.48s", figure->heading,
                 figure->names_against ? against : "");
        fprintf(stream, "%*.*s", figure->width, figure->width - 1, heading);
    }
    fputc('\n', stream);
}

static void print_figures(FILE *stream, const struct results *results, const struct group *group,
                          const struct row *row)
{
    for (const struct figure *figure = results->suite->figures; figure->value; figure++) {
        const double value = figure->value(results, group, row);

        if (figure->heading)
            fprintf(stream, "%*s", figure->width, value < 0 ? "-" : figure->cell(value).text);
    }
    fputc('\n', stream);
}

/* Prints from column `at`, instead of figures, why the row was not timed. */
static void print_why(FILE *stream, const struct row *row, int at)
{
    char note[640];

    snprintf(note, sizeof note, "%s: %s",
             row->outcome == ROW_LEFT_OUT    ? "left out"
             : row->outcome == ROW_DIFFERENT ? "WRONG, not timed"
                                             : "FAILED",
             row->why);
    print_wrapped(stream, note, at);
}

static void print_row(FILE *stream, const struct results *results, const struct group *group,
                      const struct row *row)
{
    const struct bench_suite *suite = results->suite;
    const bool alone = strlen(row->name) > (size_t)suite->name_width; /* on a line */
    int at;

    if (alone)
        fprintf(stream, "  %s\n", row->name);
    at = fprintf(stream, "  %-*s %-4s", suite->name_width, alone ? "" : row->name,
                 place_word(row->place));
    if (row->outcome != ROW_TIMED) {
        print_why(stream, row, at);
        return;
    }
    print_figures(stream, results, group, row);
    if (suite->print_row_note)
        suite->print_row_note(stream, row);
}

/* The names of the rows that ran on the emulated device, and where their counts are. */
static void print_checked(FILE *stream, const struct bench_suite *suite, const struct group *group)
{
    char note[1024] = "", counts[128];
    int length = 0;

    for (int i = 0; i < group->row_count && length < (int)sizeof note - 64; i++)
        if (group->rows[i].outcome == ROW_CHECKED)
            length += snprintf(note + length, sizeof note - (size_t)length, "%s%.32s",
                               length > 0 ? ", " : "", group->rows[i].name);
    print_wrapped(stream, note, fprintf(stream, "  right on the emulated GPU:"));
    snprintf(counts, sizeof counts, "--suite memory --sectors --experiment %s%s", suite->counted,
             group->name);
    print_wrapped(stream, counts, fprintf(stream, "  what they ask of memory:"));
}

void table_print_group(FILE *stream, const struct results *results, const struct group *group)
{
    const struct bench_suite *suite = results->suite;
    int checked = 0;

    print_wrapped(stream, group->about, fprintf(stream, "\n%s:", group->name) - 1);
    if (group->checked[0])
        print_wrapped(stream, group->checked, fprintf(stream, "checked before timing:"));
    for (int i = 0; i < group->row_count; i++)
        checked += group->rows[i].outcome == ROW_CHECKED;
    if (checked < group->row_count)
        print_headings(stream, suite, results->against);
    for (int i = 0; i < group->row_count; i++)
        if (group->rows[i].outcome != ROW_CHECKED)
            print_row(stream, results, group, &group->rows[i]);
    if (checked > 0)
        print_checked(stream, suite, group);
    if (suite->print_group_note)
        suite->print_group_note(stream, group);
}
