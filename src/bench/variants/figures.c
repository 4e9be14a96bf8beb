/* SPDX-License-Identifier: MIT */
/* The figures and notes of variants in the table and in the JSON document. */
#include "src/bench/core/figures.h"
#include "src/bench/variants/suite.h"
#include "src/text/json.h"

FIGURE(gigapixels, row->median > 0 ? (double)row->pixels / row->median / 1e9 : 0)
FIGURE(speed, row_speed(group, row, results->against))
FIGURE(pixels, (double)row->pixels)

const struct figure variants_figures[] = {
    {"median", false, 10, seconds_cell, "median_s", figure_median},
    {"best", false, 11, seconds_cell, "best_s", figure_best},
    {"Gpx/s", false, 9, number_cell, "gpx_per_s", gigapixels},
    {"GB/s", false, 9, number_cell, "gb_per_s", figure_gigabytes},
    {"of copy", false, 9, share_cell, "share_of_copy", figure_share},
    {"vs ", true, 9, number_cell, "speed", speed},
    {"runs", false, 6, count_cell, "repeats", figure_repeats},
    {NULL, false, 0, NULL, "pixels", pixels},
    {NULL, false, 0, NULL, "bytes", figure_bytes},
    {.value = NULL},
};

void variants_describe(struct group *group)
{
    const struct shape *shape = &group->shape;
    char halo[64] = "", samples[32] = "floats";

    if (group->op == OP_SMOOTH)
        snprintf(halo, sizeof halo, ", halo %lld%s", (long long)group->halo,
                 group->weighted ? ", weighted by alpha" : "");
    if (shape->maxval != FLOAT_SAMPLES)
        snprintf(samples, sizeof samples, "maxval %u", (unsigned)shape->maxval);
    snprintf(group->about, sizeof group->about,
             "%.100s, %lld x %lld, %s, %d channel%s%s, %d thread%s", group->image,
             (long long)shape->width, (long long)shape->height, samples, (int)shape->channels,
             shape->channels == 1 ? "" : "s", halo, group->threads, group->threads == 1 ? "" : "s");
}

/* Warns that "of copy" can exceed 100 %: the image fits into the GPU's cache, the copy does not
 * (see GPU_COPY_BYTES in group.c). */
void variants_print_group_note(FILE *stream, const struct group *group)
{
    char note[256];

    if (group->cached_bytes == 0 || !group_copy(group, ON_GPU))
        return;
    snprintf(note, sizeof note,
             "image and result, %.1f MB, fit into the GPU's cache, and the copy does not: larger "
             "images show the memory",
             (double)group->cached_bytes / 1e6);
    print_wrapped(stream, note, fprintf(stream, "  GPU:"));
}

void variants_json_head(FILE *stream, const struct results *results)
{
    json_text_pair(stream, "against", results->against);
}

void variants_json_group(FILE *stream, const struct group *group)
{
    const struct shape *shape = &group->shape;

    json_text_pair(stream, "operation", group->name);
    json_next_text(stream, "image", group->image);
    fprintf(
        stream,
        ", \"width\": %lld, \"height\": %lld, \"channels\": %d, \"maxval\": %u, \"halo\": %lld, "
        "\"alpha\": \"%s\", \"threads\": %d, ",
        (long long)shape->width, (long long)shape->height, (int)shape->channels,
        (unsigned)shape->maxval, (long long)group->halo, group->weighted ? "weighted" : "separate",
        group->threads);
    json_text_pair(stream, "checked", group->checked);
}
