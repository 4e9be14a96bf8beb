/* SPDX-License-Identifier: MIT */
/* The counts as one JSON document. */
#include "src/text/json.h"
#include "src/bench/transactions/transactions.h"

#include <string.h>

static void print_traffic(FILE *stream, const char *key, const struct traffic *traffic)
{
    fprintf(stream,
            ",\n     \"%s\": {\"accesses\": %llu, \"transactions\": %llu, \"sectors\": %llu, "
            "\"bytes\": %llu, ",
            key, traffic->requests, traffic->transactions, traffic->sectors, traffic->bytes);
    json_number_pair(stream, "transactions_per_access", traffic_ratio(traffic), 17);
    json_next_number(stream, "sectors_per_access", traffic_sectors(traffic), 17);
    json_next_number(stream, "efficiency", traffic_efficiency(traffic), 17);
    fputc('}', stream);
}

static void print_conflicts(FILE *stream, const char *key, const struct conflicts *conflicts)
{
    fprintf(stream,
            ",\n     \"%s\": {\"accesses\": %llu, \"extra_passes\": %llu, \"worst_degree\": %u}",
            key, conflicts->requests, conflicts->extra_passes, conflicts->worst_degree);
}

static void print_row(FILE *stream, const struct traced_row *row)
{
    fputs("    {", stream);
    json_text_pair(stream, "group", row->group);
    json_next_text(stream, "row", row->name);
    json_next_text(stream, "shows", row->shows);
    fprintf(stream, ", \"width\": %lld, \"height\": %lld, ", row->width, row->height);
    json_number_pair(stream, "flops", row->flops, 17);
    json_next_number(stream, "flops_per_byte_loaded", traced_intensity(row), 17);
    json_next_number(stream, "needed_bytes", row->needed, 17);
    json_next_number(stream, "moved", traced_moved(row), 17);
    print_traffic(stream, "loads", &row->loads);
    print_traffic(stream, "stores", &row->stores);
    print_conflicts(stream, "shared_loads", &row->shared_loads);
    print_conflicts(stream, "shared_stores", &row->shared_stores);
    fprintf(stream, ",\n     \"outcome\": \"%s\"", row->outcome);
    if (strcmp(row->outcome, "counted") != 0) {
        json_next_text(stream, "why", row->why);
    }
    fputc('}', stream);
}

void transactions_print_json(FILE *stream, const struct trace_request *request,
                             const struct traced_rows *rows)
{
    fprintf(stream,
            "{\n  \"program\": \"smoothimg-bench\", \"version\": \"" SMOOTHIMG_VERSION "\",\n"
            "  \"suite\": \"memory\", \"width\": %lld, \"height\": %lld, \"halo\": %lld, "
            "\"block\": %lld, \"images\": \"%s\",\n"
            "  \"load_line_bytes\": 128, \"transactions_per_line\": 4, \"sector_bytes\": 32,\n"
            "  \"rows\": [\n",
            (long long)request->size.width, (long long)request->size.height,
            (long long)request->halo, (long long)request->block,
            request->packed ? "packed" : "aligned");
    for (int i = 0; i < rows->count; i++) {
        print_row(stream, &rows->list[i]);
        fputs(i + 1 < rows->count ? ",\n" : "\n", stream);
    }
    fputs("  ]\n}\n", stream);
}
