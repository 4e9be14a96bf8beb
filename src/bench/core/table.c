/* SPDX-License-Identifier: MIT */
/* The results as a table for people, within 80 columns. */
#include "cells.h"
#include "registry.h"
#include "results.h"

#include <string.h>

void table_print_why(FILE *stream, const struct row *row, int at)
{
    char note[640];

    snprintf(note, sizeof note, "%s: %s",
             row->outcome == ROW_LEFT_OUT    ? "left out"
             : row->outcome == ROW_DIFFERENT ? "WRONG, not timed"
                                             : "FAILED",
             row->why);
    print_wrapped(stream, note, at);
}

static void print_row(FILE *stream, const struct group *group, const struct row *row,
                      const char *against)
{
    const int at = fprintf(stream, "  %-10s %-4s", row->name, place_word(row->place));

    if (row->outcome == ROW_TIMED) {
        fprintf(stream, "%10s %10s %8s %8s %8s %8s %5d\n", seconds_cell(row->median).text,
                seconds_cell(row->least).text,
                number_cell((double)row->pixels / row->median / 1e9).text,
                number_cell(row_rate(row) / 1e9).text,
                optional_cell(row_share(group, row), 100, " %").text,
                optional_cell(row_speed(group, row, against), 1, "").text, row->repeats);
        return;
    }
    table_print_why(stream, row, at);
}

/* How far a peer's result is from the right one. */
static void print_peer(FILE *stream, const struct group *group, const struct row *row)
{
    const int64_t samples = group_samples(group);
    char note[256];
    int at;

    if (!row->peer || row->outcome != ROW_TIMED)
        return;
    at = fprintf(stream, "  %s:", row->name);
    if (row->differing == 0)
        snprintf(note, sizeof note, "no sample differs");
    else
        snprintf(note, sizeof note, "%lld of %lld samples differ (%s %%)",
                 (long long)row->differing, (long long)samples,
                 number_cell(100 * (double)row->differing / (double)samples).text);
    print_wrapped(stream, note, at);
}

/* A GPU's copy is too large for the cache, see contest.c; the image is not. */
static void print_cached(FILE *stream, const struct group *group)
{
    char note[256];

    if (group->cached_bytes == 0 || !group_roof(group, ON_GPU))
        return;
    snprintf(note, sizeof note,
             "image and result, %.1f MB, fit into the GPU's cache, and the copy does not: larger "
             "images show the memory",
             (double)group->cached_bytes / 1e6);
    print_wrapped(stream, note, fprintf(stream, "  GPU:"));
}

void table_print_where(FILE *stream, const struct machine *machine)
{
    fprintf(stream, "%s, %d processor%s, %s\n", machine->cpu, machine->processors,
            machine->processors == 1 ? "" : "s", machine->system);
    if (!machine->has_gpu)
        print_wrapped(stream, machine->no_gpu, fprintf(stream, "no GPU rows:"));
    else if (machine->emulated)
        fputs("the GPU is emulated, on the processor: the times of GPU rows mean nothing\n",
              stream);
    else
        fprintf(stream, "%s, compute capability %d.%d, %d multiprocessors, %.1f GB\n",
                machine->gpu.name, machine->gpu.major, machine->gpu.minor,
                machine->gpu.multiprocessors, (double)machine->gpu.memory_bytes / 1e9);
}

void table_print_machine(FILE *stream, const struct machine *machine)
{
    table_print_where(stream, machine);
    fputs("Gpx/s and GB/s by the median; GB: what must be read and written, once each\n", stream);
}

void table_print_group(FILE *stream, const struct group *group, const char *against)
{
    const struct shape *shape = &group->shape;
    char about[256], halo[32] = "";
    const int at = fprintf(stream, "\n%s:", op_word(group->op)) - 1;

    if (group->op == OP_SMOOTH)
        snprintf(halo, sizeof halo, ", halo %lld", (long long)group->halo);
    snprintf(about, sizeof about, "%.100s, %lld x %lld, maxval %u, %d channel%s%s, %d thread%s",
             group->image, (long long)shape->width, (long long)shape->height,
             (unsigned)shape->maxval, (int)shape->channels, shape->channels == 1 ? "" : "s", halo,
             group->threads, group->threads == 1 ? "" : "s");
    print_wrapped(stream, about, at);
    print_wrapped(stream, group->checked, fprintf(stream, "checked before timing:"));
    fprintf(stream, "  %-10s %-4s%10s %10s %8s %8s %8s %8.8s %5s\n", "row", "on", "median", "best",
            "Gpx/s", "GB/s", "of copy", against, "times");
    for (int i = 0; i < group->row_count; i++)
        print_row(stream, group, &group->rows[i], against);
    for (int i = 0; i < group->row_count; i++)
        print_peer(stream, group, &group->rows[i]);
    print_cached(stream, group);
}
