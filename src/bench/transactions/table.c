/* SPDX-License-Identifier: MIT */
/* --transactions: the counts by the rules of 2010, as tables within 80 columns. */
#include "src/bench/core/cells.h"
#include "src/bench/transactions/transactions.h"

#include <string.h>

#define NAME_WIDTH 20
#define DIGITS 4 /* as the profilers of 2010 printed */

static void print_heading(FILE *stream, const struct traced_row *row,
                          const struct trace_request *request)
{
    traced_print_title(stream, row, request);
    fprintf(stream, "  %-*s%-6s%11s%13s%10s%9s%9s\n", NAME_WIDTH, "row", "what", "accesses",
            "transactions", "ratio", "sectors", "useful");
}

/* Prints the name before the row's first line only. */
static void print_name(FILE *stream, const char **name)
{
    if (strlen(*name) >= NAME_WIDTH)
        fprintf(stream, "  %s\n  %*s", *name, NAME_WIDTH, "");
    else
        fprintf(stream, "  %-*s", NAME_WIDTH, *name);
    *name = "";
}

static void print_traffic(FILE *stream, const char **name, const char *what,
                          const struct traffic *traffic)
{
    if (traffic->requests == 0)
        return;
    print_name(stream, name);
    fprintf(stream, "%-6s%11llu%13llu%10s%9s%9s\n", what, traffic->requests, traffic->transactions,
            ratio_cell(traffic_ratio(traffic), DIGITS).text,
            ratio_cell(traffic_sectors(traffic), DIGITS).text,
            ratio_cell(traffic_efficiency(traffic), DIGITS).text);
}

static void print_conflicts(FILE *stream, const char **name, const char *what,
                            const struct conflicts *conflicts)
{
    if (conflicts->requests == 0)
        return;
    print_name(stream, name);
    fprintf(stream, "shared %-5s%12llu, ", what, conflicts->requests);
    if (conflicts->extra_passes == 0)
        fputs("no conflicts\n", stream);
    else
        fprintf(stream, "%u-way, %llu extra passes\n", conflicts->worst_degree,
                conflicts->extra_passes);
}

static void print_row(FILE *stream, const struct traced_row *row)
{
    const char *name = row->name;

    print_traffic(stream, &name, "load", &row->loads);
    print_traffic(stream, &name, "store", &row->stores);
    print_conflicts(stream, &name, "load", &row->shared_loads);
    print_conflicts(stream, &name, "store", &row->shared_stores);
    if (row->flops > 0 && row->loads.bytes > 0) {
        print_name(stream, &name);
        fprintf(stream, "%s flop for each byte loaded\n",
                ratio_cell(traced_intensity(row), DIGITS).text);
    }
    if (strcmp(row->outcome, "counted") != 0) {
        print_name(stream, &name);
        print_wrapped(stream, row->why, 2 + NAME_WIDTH + fprintf(stream, "%s:", row->outcome));
    }
}

/* Rows of one group and one size have one heading. */
void transactions_print_table(FILE *stream, const struct trace_request *request,
                              const struct traced_rows *rows)
{
    if (rows->count > 0)
        fputs("counted on the emulated device by the rules of the GPUs of 2010; --sectors has\n"
              "today's; ratio: transactions of an access; sectors: those of an access;\n"
              "useful: bytes asked for by bytes of sectors\n",
              stream);
    for (int i = 0; i < rows->count; i++) {
        const struct traced_row *row = &rows->list[i], *last = i > 0 ? row - 1 : NULL;

        if (!last || strcmp(last->group, row->group) != 0 || last->width != row->width ||
            last->height != row->height)
            print_heading(stream, row, request);
        print_row(stream, row);
    }
}
