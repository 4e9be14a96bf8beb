/* SPDX-License-Identifier: MIT */
/* Prints the results as one JSON document. */
#include "src/text/json.h"

#include "bench_commit.h"
#include "src/bench/core/suite.h"

#include <math.h>

static void print_machine(FILE *stream, const struct machine *machine)
{
    fputs("  \"machine\": {", stream);
    json_text_pair(stream, "cpu", machine->cpu);
    json_next_text(stream, "system", machine->system);
    json_next_text(stream, "isa", machine->isa);
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

static void print_row(FILE *stream, const struct results *results, const struct group *group,
                      const struct row *row)
{
    static const char *const outcomes[] = {"timed", "left out", "different", "failed", "checked"};

    fputs("      {", stream);
    json_text_pair(stream, "row", row->name);
    fprintf(stream, ", \"place\": \"%s\"", row->place == ON_CPU ? "cpu" : "gpu");
    if (row->shows) {
        fprintf(stream, ", \"exact\": %s, \"double\": %s", row->exact ? "true" : "false",
                row->doubles ? "true" : "false");
        json_next_text(stream, "shows", row->shows);
    }
    fprintf(stream, ", \"outcome\": \"%s\"", outcomes[row->outcome]);
    if (!row_is_right(row))
        json_next_text(stream, "why", row->why);
    for (const struct figure *figure = figures; row->outcome == ROW_TIMED && figure->value;
         figure++) {
        const double value = figure->value(results, group, row);

        /* Prints integers exactly, other numbers with nine digits, and unknown numbers as null. */
        json_next_number(stream, figure->key, value < 0 ? NAN : value,
                         value == floor(value) ? 17 : 9);
    }
    fputc('}', stream);
}

static void print_conditions(FILE *stream, const struct group *group)
{
    const struct shape *shape = &group->shape;

    json_text_pair(stream, group->image ? "operation" : "group", group->name);
    if (!group->image) {
        json_next_text(stream, "size", group->about);
        return;
    }
    json_next_text(stream, "image", group->image);
    fprintf(
        stream,
        ", \"width\": %lld, \"height\": %lld, \"channels\": %d, \"maxval\": %u, \"halo\": %lld, "
        "\"alpha\": \"%s\", \"threads\": %d",
        (long long)shape->width, (long long)shape->height, (int)shape->channels,
        (unsigned)shape->maxval, (long long)group->halo, group->weighted ? "weighted" : "separate",
        group->threads);
    json_next_text(stream, "checked", group->checked);
}

static void print_group(FILE *stream, const struct results *results, const struct group *group)
{
    fputs("    {", stream);
    print_conditions(stream, group);
    fputs(", \"rows\": [\n", stream);
    for (int i = 0; i < group->row_count; i++) {
        print_row(stream, results, group, &group->rows[i]);
        fputs(i + 1 < group->row_count ? ",\n" : "\n", stream);
    }
    fputs("    ]}", stream);
}

/* Prints the name of the suite, and the rates of a plain copy and of arithmetic, with which readers
 * compare the rates of the suite's rows. */
static void print_measures(FILE *stream, const struct results *results)
{
    const struct {
        const char *key;
        double value;
    } rates[] = {
        {"copy_gb_per_s_cpu", results->copy_rate[ON_CPU]},
        {"copy_gb_per_s_gpu", results->copy_rate[ON_GPU]},
        {"peak_gflop_per_s_fp32", results->peak[0]},
        {"peak_gflop_per_s_fp64", results->peak[1]},
    };

    json_text_pair(stream, "suite", results->suite->word);
    if (results->against)
        json_next_text(stream, "against", results->against);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        json_next_number(stream, rates[i].key, rates[i].value > 0 ? rates[i].value / 1e9 : NAN, 9);
}

void json_print(FILE *stream, const struct results *results)
{
    fputs("{\n  \"program\": \"smoothimg-bench\", \"version\": \"" SMOOTHIMG_VERSION "\", ",
          stream);
    json_text_pair(stream, "commit", BENCH_COMMIT);
    fputs(",\n", stream);
    print_machine(stream, &results->machine);
    fputs("  ", stream);
    print_measures(stream, results);
    fputs(",\n  \"groups\": [\n", stream);
    for (int i = 0; i < results->group_count; i++) {
        print_group(stream, results, &results->groups[i]);
        fputs(i + 1 < results->group_count ? ",\n" : "\n", stream);
    }
    fputs("  ]\n}\n", stream);
}
