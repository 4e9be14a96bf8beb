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
    const struct memory_own *own = results->own;

    for (int place = ON_CPU; place <= ON_GPU; place++)
        if (results->copy_rate[place] > 0)
            fprintf(stream, "copy on the %s: %s GB/s, read and written%s\n",
                    place_word((enum backend)place),
                    number_cell(results->copy_rate[place] / 1e9).text,
                    place == ON_CPU ? ", by one thread" : "");
    if (own->traces.why[0])
        print_wrapped(stream, own->traces.why, fprintf(stream, "nothing was counted:"));
    else if (results->machine.emulated && own->traces.rows.count > 0)
        sectors_print_legend(stream);
}

void memory_print_end(FILE *stream, const struct results *results)
{
    for (int i = 0; i < 2; i++)
        if (results->peak[i] > 0)
            fprintf(stream, "%speak of the GPU in %s precision: %s GFLOP/s\n", i == 0 ? "\n" : "",
                    i == 0 ? "single" : "double", number_cell(results->peak[i] / 1e9).text);
}

/* Prints what the row asks of memory. */
static void print_traced(FILE *stream, const struct traced_row *row)
{
    const unsigned degree = traced_degree(row);
    char loads[64] = "", stores[64] = "", shared[64] = "", note[320];

    if (row->loads.requests > 0)
        snprintf(loads, sizeof loads, " %s for a load,",
                 ratio_cell(traffic_sectors(&row->loads), 2).text);
    if (row->stores.requests > 0)
        snprintf(stores, sizeof stores, " %s for a store,",
                 ratio_cell(traffic_sectors(&row->stores), 2).text);
    if (degree > 1)
        snprintf(shared, sizeof shared, ", with bank conflicts, %u-way", degree);
    else if (degree == 1)
        snprintf(shared, sizeof shared, ", without bank conflicts");
    snprintf(note, sizeof note, "Sectors:%s%s %s times the bytes that must move%s, at %lld x %lld.",
             loads, stores, ratio_cell(traced_moved(row), 2).text, shared, row->width, row->height);
    print_wrapped(stream, note, fprintf(stream, INDENT));
}

/* At what size the group's first row was counted: a large one is counted at a smaller size. */
static void print_counted_size(FILE *stream, const struct group *group)
{
    for (int i = 0; i < group->row_count; i++) {
        const struct traced_row *traced = group->rows[i].traced;

        if (!traced || group->rows[i].outcome != ROW_CHECKED)
            continue;
        fprintf(stream, "  counted at %lld x %lld:\n", traced->width, traced->height);
        return;
    }
}

/* The counts of the rows that ran on the emulated device. A row that is no kernel has none. */
void memory_print_checked(FILE *stream, const struct group *group)
{
    print_counted_size(stream, group);
    sectors_print_headings(stream);
    for (int i = 0; i < group->row_count; i++) {
        const struct row *row = &group->rows[i];

        if (row->outcome != ROW_CHECKED)
            continue;
        if (row->traced)
            sectors_print_row(stream, row->traced);
        else
            fprintf(stream, "  %-23s its result is right; not counted\n", row->name);
        if (!row->exact)
            fprintf(stream, INDENT "Largest error: %.3g %% of the allowed bound.\n",
                    100 * row->worst);
    }
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
    if (row->traced)
        print_traced(stream, row->traced);
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
    const struct traced_row *traced = row->traced;

    fprintf(stream, ", \"exact\": %s, \"double\": %s, ", row->exact ? "true" : "false",
            row->doubles ? "true" : "false");
    json_text_pair(stream, "shows", row->shows);
    if (!traced || !row_is_right(row))
        return;
    fprintf(stream, ", \"traced\": {\"width\": %lld, \"height\": %lld", traced->width,
            traced->height);
    print_optional(stream, "sectors", (double)(traced->loads.sectors + traced->stores.sectors));
    print_optional(stream, "moved", traced_moved(traced));
    print_optional(stream, "sectors_per_load", traffic_sectors(&traced->loads));
    print_optional(stream, "sectors_per_store", traffic_sectors(&traced->stores));
    print_optional(stream, "transactions_per_load", traffic_ratio(&traced->loads));
    print_optional(stream, "transactions_per_store", traffic_ratio(&traced->stores));
    print_optional(stream, "shared_load_degree", traced->shared_loads.worst_degree);
    print_optional(stream, "shared_store_degree", traced->shared_stores.worst_degree);
    fputc('}', stream);
}
