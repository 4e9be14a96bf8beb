/* SPDX-License-Identifier: MIT */
/* The results as one JSON document. */
#include "codec.h"
#include "gauss.h"
#include "json.h"
#include "peers.h"
#include "registry.h"
#include "results.h"

#include <math.h>

static void print_machine(FILE *stream, const struct machine *machine)
{
    fputs("  \"machine\": {", stream);
    json_text_pair(stream, "cpu", machine->cpu);
    fputs(", ", stream);
    json_text_pair(stream, "system", machine->system);
    fprintf(stream,
            ", \"processors\": %d, \"memory_bytes\": %lld},\n  \"gpu\": ", machine->processors,
            (long long)machine->memory_bytes);
    if (!machine->has_gpu) {
        fputs("null,\n", stream);
        return;
    }
    fputc('{', stream);
    json_text_pair(stream, "name", machine->gpu.name);
    fprintf(stream,
            ", \"emulated\": %s, \"compute_capability\": \"%d.%d\", \"multiprocessors\": %d, "
            "\"memory_bytes\": %lld, \"cache_bytes\": %lld},\n",
            machine->emulated ? "true" : "false", machine->gpu.major, machine->gpu.minor,
            machine->gpu.multiprocessors, (long long)machine->gpu.memory_bytes,
            (long long)machine->gpu.cache_bytes);
}

/* A library has several peers; it is named once. */
static void print_libraries(FILE *stream)
{
    const char *last = "";

    fputs("  \"libraries\": {", stream);
    json_text_pair(stream, "libpng", codec_png_version());
    fputs(", ", stream);
    json_text_pair(stream, "MPFR", gauss_mpfr_version());
    for (const struct peer *peer = peers; peer->variant; peer++) {
        if (peer->library != last) {
            fputs(", ", stream);
            json_text_pair(stream, peer->library, peer->version());
        }
        last = peer->library;
    }
    fputs("},\n", stream);
}

/* A number, or null where it is not known. */
static void print_optional(FILE *stream, const char *key, double value)
{
    fputs(", ", stream);
    json_number_pair(stream, key, value > 0 ? value : NAN, 9);
}

static void print_row(FILE *stream, const struct group *group, const struct row *row,
                      const char *against)
{
    fputs("      {", stream);
    json_text_pair(stream, "row", row->name);
    fprintf(stream, ", \"place\": \"%s\", \"peer\": %s, \"outcome\": \"%s\"",
            row->place == ON_CPU ? "cpu" : "gpu", row->peer ? "true" : "false",
            outcome_word(row->outcome));
    if (row->outcome != ROW_TIMED) {
        fputs(", ", stream);
        json_text_pair(stream, "why", row->why);
        fputc('}', stream);
        return;
    }
    fprintf(stream, ", \"repeats\": %d, ", row->repeats);
    json_number_pair(stream, "median_s", row->median, 9);
    fputs(", ", stream);
    json_number_pair(stream, "best_s", row->least, 9);
    fprintf(stream, ", \"pixels\": %lld, \"bytes\": %lld, ", (long long)row->pixels,
            (long long)row->bytes);
    json_number_pair(stream, "gpx_per_s", (double)row->pixels / row->median / 1e9, 6);
    fputs(", ", stream);
    json_number_pair(stream, "gb_per_s", row_rate(row) / 1e9, 6);
    print_optional(stream, "share_of_copy", row_share(group, row));
    print_optional(stream, "speed", row_speed(group, row, against));
    if (row->peer)
        fprintf(stream, ", \"differing_samples\": %lld", (long long)row->differing);
    fputc('}', stream);
}

static void print_group(FILE *stream, const struct group *group, const char *against)
{
    const struct shape *shape = &group->shape;

    fprintf(stream, "    {\"operation\": \"%s\", ", op_word(group->op));
    json_text_pair(stream, "image", group->image);
    fprintf(
        stream,
        ", \"width\": %lld, \"height\": %lld, \"channels\": %d, \"maxval\": %u, \"halo\": %lld, "
        "\"threads\": %d, ",
        (long long)shape->width, (long long)shape->height, (int)shape->channels,
        (unsigned)shape->maxval, (long long)group->halo, group->threads);
    json_text_pair(stream, "checked", group->checked);
    fputs(", \"rows\": [\n", stream);
    for (int i = 0; i < group->row_count; i++) {
        print_row(stream, group, &group->rows[i], against);
        fputs(i + 1 < group->row_count ? ",\n" : "\n", stream);
    }
    fputs("    ]}", stream);
}

void json_print_about(FILE *stream, const struct machine *machine)
{
    fputs("  \"program\": \"smoothimg-bench\", \"version\": \"" SMOOTHIMG_VERSION "\",\n", stream);
    print_machine(stream, machine);
    print_libraries(stream);
}

void json_print(FILE *stream, const struct results *results)
{
    fputs("{\n", stream);
    json_print_about(stream, &results->machine);
    fputs("  ", stream);
    json_text_pair(stream, "against", results->against);
    fputs(",\n  \"groups\": [\n", stream);
    for (int i = 0; i < results->group_count; i++) {
        print_group(stream, &results->groups[i], results->against);
        fputs(i + 1 < results->group_count ? ",\n" : "\n", stream);
    }
    fputs("  ]\n}\n", stream);
}
