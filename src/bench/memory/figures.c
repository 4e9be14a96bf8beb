/* SPDX-License-Identifier: MIT */
/* The memory suite's results as a table for people, within 80 columns. */
#include "cells.h"
#include "lab_results.h"
#include "results.h"

#include <string.h>

#define INDENT "    "

void lab_table_print_machine(FILE *stream, const struct lab_results *results)
{
    table_print_where(stream, &results->machine);
    for (int place = ON_CPU; place <= ON_GPU; place++)
        if (results->roofs.copy[place] > 0)
            fprintf(stream, "copy on the %s: %s GB/s, read and written%s\n",
                    place_word((enum place)place),
                    number_cell(results->roofs.copy[place] / 1e9).text,
                    place == ON_CPU ? ", by one thread" : "");
    if (results->traces.why[0])
        print_wrapped(stream, results->traces.why, fprintf(stream, "no transactions:"));
    fputs("GB/s: useful bytes, by the median; gain: against the first row alike\n", stream);
}

void lab_table_print_peaks(FILE *stream, const struct lab_results *results)
{
    for (int i = 0; i < 2; i++)
        if (results->roofs.peak[i] > 0)
            fprintf(stream, "%speak of the GPU in %s precision: %s GFLOP/s\n", i == 0 ? "\n" : "",
                    i == 0 ? "single" : "double", number_cell(results->roofs.peak[i] / 1e9).text);
}

/* The worst of loads and stores; 1: there are no conflicts; 0: it has no shared memory. */
static unsigned conflict_degree(const struct traced_row *row)
{
    const unsigned loads = row->shared_loads.worst_degree, stores = row->shared_stores.worst_degree;

    return loads > stores ? loads : stores;
}

/* What it asks of memory. */
static void print_traced(FILE *stream, const struct traced_row *row)
{
    const unsigned degree = conflict_degree(row);
    char loads[64] = "", stores[64] = "", shared[64] = "", note[320];

    if (row->loads.requests > 0)
        snprintf(loads, sizeof loads, " %.4f for a load,", traffic_ratio(&row->loads));
    if (row->stores.requests > 0)
        snprintf(stores, sizeof stores, " %.4f for a store,", traffic_ratio(&row->stores));
    if (degree > 1)
        snprintf(shared, sizeof shared, " with bank conflicts, %u-way,", degree);
    else if (degree == 1)
        snprintf(shared, sizeof shared, " without bank conflicts,");
    snprintf(note, sizeof note, "Transactions:%s%s%s at %lld x %lld.", loads, stores, shared,
             row->width, row->height);
    print_wrapped(stream, note, fprintf(stream, INDENT));
}

/* What does not fit into columns: the arithmetic, how it was checked, and what to see. */
static void print_reading(FILE *stream, const struct lab_row *row)
{
    char checked[64] = "", note[1024];

    if (!row->exact)
        snprintf(checked, sizeof checked, "Error: %.2g of its bound. ", row->worst);
    if (lab_flop_rate(row) > 0)
        snprintf(note, sizeof note,
                 "%s GFLOP/s, %s flop per useful byte, %s per byte asked for. %s%.600s",
                 number_cell(lab_flop_rate(row) / 1e9).text, number_cell(lab_intensity(row)).text,
                 number_cell(lab_asked_intensity(row)).text, checked, row->shows);
    else
        snprintf(note, sizeof note, "%s%.800s", checked, row->shows);
    print_wrapped(stream, note, fprintf(stream, INDENT));
    if (row->traced)
        print_traced(stream, row->traced);
}

static void print_row(FILE *stream, const struct lab_results *results,
                      const struct lab_group *group, const struct lab_row *lab)
{
    const struct row *row = &lab->row;
    const int at = fprintf(stream, "  %-23s %-4s", row->name, place_word(row->place));

    if (row->outcome == ROW_TIMED) {
        fprintf(stream, "%10s %10s %8s %8s %7s\n", seconds_cell(row->median).text,
                seconds_cell(row->least).text, number_cell(row_rate(row) / 1e9).text,
                share_cell(lab_share(results, lab)).text, gain_cell(lab_gain(group, lab)).text);
        print_reading(stream, lab);
        return;
    }
    table_print_why(stream, row, at);
}

void lab_table_print_group(FILE *stream, const struct lab_results *results,
                           const struct lab_group *group)
{
    print_wrapped(stream, group->size, fprintf(stream, "\n%s:", group->name) - 1);
    fprintf(stream, "  %-23s %-4s%10s %10s %8s %8s %7s\n", "row", "on", "median", "best", "GB/s",
            "of copy", "gain");
    for (int i = 0; i < group->row_count; i++)
        print_row(stream, results, group, &group->rows[i]);
}
