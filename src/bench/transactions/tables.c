/* SPDX-License-Identifier: MIT */
/* The counts as tables within 80 columns. */
#include "src/bench/core/cells.h"
#include "src/bench/transactions/transactions.h"

#include <string.h>

/* --- Of --sectors: as today's GPUs and profilers have them. */

#define SECTORS_NAME_WIDTH 23
#define SECTORS_DIGITS 2

static void sectors_print_legend(FILE *stream)
{
    fputs("counted on the emulated device, for each access of each warp; no cache saves any\n"
          "  sectors  of 32 bytes: what memory moves\n"
          "  moved    their bytes, as a multiple of what must be read and written once\n"
          "  a load, a store    sectors that an access touches; 4 hold 32 words of 4 bytes\n"
          "  banks    worst access of shared memory; 1-way: no conflict; 32-way: 32 passes\n"
          "  passes   that an access of shared memory takes, on the average\n",
          stream);
}

static void sectors_print_headings(FILE *stream)
{
    fprintf(stream, "  %-*s%11s%10s%9s%9s%9s%7s\n", SECTORS_NAME_WIDTH, "row", "sectors", "moved",
            "a load", "a store", "banks", "passes");
}

/* "-" where nothing is accessed. */
static struct cell optional_cell(double value)
{
    return value > 0 ? ratio_cell(value, SECTORS_DIGITS) : (struct cell){"-"};
}

static struct cell moved_cell(const struct traced_row *row)
{
    struct cell cell;

    snprintf(cell.text, sizeof cell.text, "x %.24s",
             ratio_cell(traced_moved(row), SECTORS_DIGITS).text);
    return cell;
}

static struct cell banks_cell(const struct traced_row *row)
{
    struct cell cell = {"-"};

    if (traced_degree(row) > 0)
        snprintf(cell.text, sizeof cell.text, "%u-way", traced_degree(row));
    return cell;
}

static void sectors_print_row(FILE *stream, const struct traced_row *row)
{
    const bool counted = strcmp(row->outcome, "counted") == 0;

    if (!counted) {
        print_wrapped(stream, row->why,
                      fprintf(stream, "  %-*s %s:", SECTORS_NAME_WIDTH, row->name, row->outcome));
        return;
    }
    fprintf(stream, "  %-*s%11llu%10s%9s%9s%9s%7s\n", SECTORS_NAME_WIDTH, row->name,
            row->loads.sectors + row->stores.sectors, moved_cell(row).text,
            optional_cell(traffic_sectors(&row->loads)).text,
            optional_cell(traffic_sectors(&row->stores)).text, banks_cell(row).text,
            optional_cell(traced_passes(row)).text);
    print_wrapped(stream, row->shows, fprintf(stream, "    "));
    if (row->flops > 0)
        fprintf(stream, "    %s flop for each byte loaded\n",
                ratio_cell(traced_intensity(row), SECTORS_DIGITS).text);
}

/* --- Of --transactions: by the rules of 2010. */

#define NAME_WIDTH 20
#define DIGITS 4 /* as the profilers of 2010 printed */

static void print_legend(FILE *stream)
{
    fputs("counted on the emulated device by the rules of the GPUs of 2010; --sectors has\n"
          "today's; ratio: transactions of an access; sectors: those of an access;\n"
          "useful: bytes asked for by bytes of sectors\n",
          stream);
}

static void print_headings(FILE *stream)
{
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

/* --- Both: rows of one group and one size have one heading. */

/* Its name, the row's size, and what else was asked for. */
static void print_title(FILE *stream, const struct traced_row *row,
                        const struct trace_request *request)
{
    fprintf(stream, "\n%s: %lld x %lld, halo %lld", row->group, row->width, row->height,
            (long long)request->halo);
    if (request->block > 0)
        fprintf(stream, ", block %lld", (long long)request->block);
    if (row->width < request->size.width || row->height < request->size.height)
        fputs(" (smaller: at full size it takes hours)", stream);
    else if (row->width > request->size.width)
        fputs(" (larger: it has other engines for small images)", stream);
    fputc('\n', stream);
}

void transactions_print_tables(FILE *stream, const struct trace_request *request,
                               const struct traced_rows *rows)
{
    const bool old = request->packed;

    if (rows->count > 0)
        (old ? print_legend : sectors_print_legend)(stream);
    for (int i = 0; i < rows->count; i++) {
        const struct traced_row *row = &rows->list[i], *last = i > 0 ? row - 1 : NULL;

        if (!last || strcmp(last->group, row->group) != 0 || last->width != row->width ||
            last->height != row->height) {
            print_title(stream, row, request);
            (old ? print_headings : sectors_print_headings)(stream);
        }
        (old ? print_row : sectors_print_row)(stream, row);
    }
}
