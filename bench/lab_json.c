/* SPDX-License-Identifier: MIT */
/* The memory suite's results as one JSON document. */
#include "json.h"
#include "lab_results.h"
#include "results.h"

#include <math.h>

/* A number, or null where it is not known. */
static void print_optional(FILE *stream, const char *key, double value)
{
    fputs(", ", stream);
    json_number_pair(stream, key, value > 0 ? value : NAN, 9);
}

static void print_times(FILE *stream, const struct lab_results *results,
                        const struct lab_group *group, const struct lab_row *lab)
{
    const struct row *row = &lab->row;

    fprintf(stream, ", \"repeats\": %d, \"bytes\": %lld", row->repeats, (long long)row->bytes);
    print_optional(stream, "median_s", row->median);
    print_optional(stream, "best_s", row->least);
    print_optional(stream, "gb_per_s", row_rate(row) / 1e9);
    print_optional(stream, "share_of_copy", lab_share(results, lab));
    print_optional(stream, "gain", lab_gain(group, lab));
    print_optional(stream, "flops", lab->flops);
    print_optional(stream, "gflop_per_s", lab_flop_rate(lab) / 1e9);
    print_optional(stream, "flop_per_byte", lab_intensity(lab));
    print_optional(stream, "asked_bytes", lab->asked);
    print_optional(stream, "flop_per_asked_byte", lab_asked_intensity(lab));
    fputs(", ", stream);
    json_number_pair(stream, "share_of_bound", lab->exact ? NAN : lab->worst, 6);
}

static void print_traced(FILE *stream, const struct traced_row *row)
{
    fprintf(stream, ", \"traced\": {\"width\": %lld, \"height\": %lld", row->width, row->height);
    print_optional(stream, "transactions_per_load", traffic_ratio(&row->loads));
    print_optional(stream, "transactions_per_store", traffic_ratio(&row->stores));
    print_optional(stream, "shared_load_degree", row->shared_loads.worst_degree);
    print_optional(stream, "shared_store_degree", row->shared_stores.worst_degree);
    fputc('}', stream);
}

static void print_row(FILE *stream, const struct lab_results *results,
                      const struct lab_group *group, const struct lab_row *lab)
{
    fputs("      {", stream);
    json_text_pair(stream, "row", lab->row.name);
    fprintf(stream, ", \"place\": \"%s\", \"outcome\": \"%s\", \"exact\": %s, ",
            lab->row.place == ON_CPU ? "cpu" : "gpu", outcome_word(lab->row.outcome),
            lab->exact ? "true" : "false");
    json_text_pair(stream, "shows", lab->shows);
    if (lab->row.outcome == ROW_TIMED) {
        print_times(stream, results, group, lab);
        if (lab->traced)
            print_traced(stream, lab->traced);
    } else {
        fputs(", ", stream);
        json_text_pair(stream, "why", lab->row.why);
    }
    fputc('}', stream);
}

static void print_group(FILE *stream, const struct lab_results *results,
                        const struct lab_group *group)
{
    fputs("    {", stream);
    json_text_pair(stream, "group", group->name);
    fputs(", ", stream);
    json_text_pair(stream, "size", group->size);
    fputs(", \"rows\": [\n", stream);
    for (int i = 0; i < group->row_count; i++) {
        print_row(stream, results, group, &group->rows[i]);
        fputs(i + 1 < group->row_count ? ",\n" : "\n", stream);
    }
    fputs("    ]}", stream);
}

void lab_json_print(FILE *stream, const struct lab_results *results)
{
    fputs("{\n", stream);
    json_print_about(stream, &results->machine);
    fputs("  \"suite\": \"memory\"", stream);
    print_optional(stream, "copy_gb_per_s_cpu", results->roofs.copy[ON_CPU] / 1e9);
    print_optional(stream, "copy_gb_per_s_gpu", results->roofs.copy[ON_GPU] / 1e9);
    print_optional(stream, "peak_gflop_per_s_fp32", results->roofs.peak[0] / 1e9);
    print_optional(stream, "peak_gflop_per_s_fp64", results->roofs.peak[1] / 1e9);
    fputs(",\n  \"groups\": [\n", stream);
    for (int i = 0; i < results->group_count; i++) {
        print_group(stream, results, &results->groups[i]);
        fputs(i + 1 < results->group_count ? ",\n" : "\n", stream);
    }
    fputs("  ]\n}\n", stream);
}
