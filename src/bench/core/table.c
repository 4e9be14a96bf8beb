/* SPDX-License-Identifier: MIT */
/* Prints the results as a table for people, within 80 columns. */
#include "src/bench/core/suite.h"

#include <string.h>

#define NAME_WIDTH 23

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
    for (int place = ON_CPU; place <= ON_GPU; place++)
        if (results->copy_rate[place] > 0)
            fprintf(stream, "copy on the %s: %s GB/s, read and written%s\n",
                    place_word((enum backend)place),
                    number_cell(results->copy_rate[place] / 1e9).text,
                    place == ON_CPU ? ", by one thread" : "");
    if (!results->untimed)
        fprintf(stream, "GB/s: bytes needed, once each, by the median; gain: over %s\n",
                results->against ? results->against : "the first row alike");
}

static void print_headings(FILE *stream)
{
    fprintf(stream, "  %-*s %-4s", NAME_WIDTH, "row", "on");
    for (const struct figure *figure = figures; figure->heading; figure++)
        fprintf(stream, "%*s", figure->width, figure->heading);
    fputc('\n', stream);
}

static void print_figures(FILE *stream, const struct results *results, const struct group *group,
                          const struct row *row)
{
    for (const struct figure *figure = figures; figure->heading; figure++) {
        const double value = figure->value(results, group, row);

        fprintf(stream, "%*s", figure->width, value < 0 ? "-" : figure->cell(value).text);
    }
    fputc('\n', stream);
}

/* Prints what does not fit into the columns of an experiment: the arithmetic, how the result was
 * checked, and the sentence about what the experiment demonstrates. */
static void print_row_note(FILE *stream, const struct row *row)
{
    char checked[80] = "", note[1024];

    if (!row->exact)
        snprintf(checked, sizeof checked, "Largest error: %.3g %% of the allowed bound. ",
                 100 * row->worst);
    if (row_flop_rate(row) > 0)
        snprintf(note, sizeof note,
                 "%s GFLOP/s, %s flop per useful byte, %s per byte asked for. %s%.600s",
                 number_cell(row_flop_rate(row) / 1e9).text, number_cell(row_intensity(row)).text,
                 number_cell(row_asked_intensity(row)).text, checked, row->shows);
    else
        snprintf(note, sizeof note, "%s%.800s", checked, row->shows);
    print_wrapped(stream, note, fprintf(stream, "    "));
}

/* Prints, from column `at` on, the reason why the row was not timed, in place of its figures. */
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
    /* the name is too long for its column, and has a line of its own */
    const bool alone = strlen(row->name) > NAME_WIDTH;
    int at;

    if (alone)
        fprintf(stream, "  %s\n", row->name);
    at = fprintf(stream, "  %-*s %-4s", NAME_WIDTH, alone ? "" : row->name, place_word(row->place));
    if (row->outcome != ROW_TIMED) {
        print_why(stream, row, at);
        return;
    }
    print_figures(stream, results, group, row);
    if (row->shows)
        print_row_note(stream, row);
}

/* Prints the names of the variants or experiments that gave the right result on the emulated
 * device, and the options of smoothimg-bench that count their memory accesses. */
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
    int checked = 0;

    print_wrapped(stream, group->about, fprintf(stream, "\n%s:", group->name) - 1);
    if (group->checked[0])
        print_wrapped(stream, group->checked, fprintf(stream, "checked before timing:"));
    for (int i = 0; i < group->row_count; i++)
        checked += group->rows[i].outcome == ROW_CHECKED;
    if (checked < group->row_count)
        print_headings(stream);
    for (int i = 0; i < group->row_count; i++)
        if (group->rows[i].outcome != ROW_CHECKED)
            print_row(stream, results, group, &group->rows[i]);
    if (checked > 0)
        print_checked(stream, results->suite, group);
}

void table_print_end(FILE *stream, const struct results *results)
{
    for (int i = 0; i < 2; i++)
        if (results->peak[i] > 0)
            fprintf(stream, "%speak of the GPU in %s precision: %s GFLOP/s\n", i == 0 ? "\n" : "",
                    i == 0 ? "single" : "double", number_cell(results->peak[i] / 1e9).text);
}
