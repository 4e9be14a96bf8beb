/* SPDX-License-Identifier: MIT */
/* The figures and notes of memory experiments in the table and in the JSON document. */
#include "src/bench/core/figures.h"
#include "src/bench/memory/suite.h"
#include "src/text/json.h"

#include <math.h>

#define INDENT "    "

FIGURE(gain, row_gain(group, row))
FIGURE(flops, row->flops)
FIGURE(gigaflops, row_flop_rate(row) / 1e9)
FIGURE(intensity, row_intensity(row))
FIGURE(asked_bytes, row->asked)
FIGURE(asked_intensity, row_asked_intensity(row))

/* Not by FIGURE, for which 0 means not known: here 0 is a value. */
static double share_of_bound(const struct results *results, const struct group *group,
                             const struct row *row)
{
    (void)results, (void)group;
    return row->exact ? -1 : row->worst;
}

const struct figure memory_figures[] = {
    {"median", false, 10, seconds_cell, "median_s", figure_median},
    {"best", false, 11, seconds_cell, "best_s", figure_best},
    {"GB/s", false, 9, number_cell, "gb_per_s", figure_gigabytes},
    {"of copy", false, 9, share_cell, "share_of_copy", figure_share},
    {"gain", false, 8, gain_cell, "gain", gain},
    {NULL, false, 0, NULL, "repeats", figure_repeats},
    {NULL, false, 0, NULL, "bytes", figure_bytes},
    {NULL, false, 0, NULL, "flops", flops},
    {NULL, false, 0, NULL, "gflop_per_s", gigaflops},
    {NULL, false, 0, NULL, "flop_per_byte", intensity},
    {NULL, false, 0, NULL, "asked_bytes", asked_bytes},
    {NULL, false, 0, NULL, "flop_per_asked_byte", asked_intensity},
    {NULL, false, 0, NULL, "share_of_bound", share_of_bound},
    {.value = NULL},
};

void memory_print_head(FILE *stream, const struct results *results)
{
    for (int place = ON_CPU; place <= ON_GPU; place++)
        if (results->copy_rate[place] > 0)
            fprintf(stream, "copy on the %s: %s GB/s, read and written%s\n",
                    place_word((enum backend)place),
                    number_cell(results->copy_rate[place] / 1e9).text,
                    place == ON_CPU ? ", by one thread" : "");
}

void memory_print_end(FILE *stream, const struct results *results)
{
    for (int i = 0; i < 2; i++)
        if (results->peak[i] > 0)
            fprintf(stream, "%speak of the GPU in %s precision: %s GFLOP/s\n", i == 0 ? "\n" : "",
                    i == 0 ? "single" : "double", number_cell(results->peak[i] / 1e9).text);
}

/* What does not fit into columns: the arithmetic, how it was checked, and what to see. */
void memory_print_row_note(FILE *stream, const struct row *row)
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
    print_wrapped(stream, note, fprintf(stream, INDENT));
}

static void print_optional(FILE *stream, const char *key, double value)
{
    json_next_number(stream, key, value > 0 ? value : NAN, 9);
}

void memory_json_head(FILE *stream, const struct results *results)
{
    fputs("\"suite\": \"memory\"", stream);
    print_optional(stream, "copy_gb_per_s_cpu", results->copy_rate[ON_CPU] / 1e9);
    print_optional(stream, "copy_gb_per_s_gpu", results->copy_rate[ON_GPU] / 1e9);
    print_optional(stream, "peak_gflop_per_s_fp32", results->peak[0] / 1e9);
    print_optional(stream, "peak_gflop_per_s_fp64", results->peak[1] / 1e9);
}

void memory_json_group(FILE *stream, const struct group *group)
{
    json_text_pair(stream, "group", group->name);
    json_next_text(stream, "size", group->about);
}

void memory_json_row(FILE *stream, const struct row *row)
{
    fprintf(stream, ", \"exact\": %s, \"double\": %s, ", row->exact ? "true" : "false",
            row->doubles ? "true" : "false");
    json_text_pair(stream, "shows", row->shows);
}
