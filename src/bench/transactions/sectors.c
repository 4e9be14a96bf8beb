/* SPDX-License-Identifier: MIT */
/* --sectors: the counts as today's GPUs and profilers have them, as tables within 80 columns. */
#include "src/bench/core/cells.h"
#include "src/bench/transactions/transactions.h"

#include <string.h>

#define NAME_WIDTH 23
#define DIGITS 2

void sectors_print_legend(FILE *stream)
{
    fputs("counted on the emulated device, for each access of each warp; no cache saves any\n"
          "  sectors  of 32 bytes: what memory moves\n"
          "  moved    their bytes, as a multiple of what must be read and written once\n"
          "  a load, a store    sectors that an access touches; 4 hold 32 words of 4 bytes\n"
          "  banks    worst access of shared memory; 1-way: no conflict; 32-way: 32 passes\n"
          "  passes   that an access of shared memory takes, on the average\n",
          stream);
}

void sectors_print_headings(FILE *stream)
{
    fprintf(stream, "  %-*s%11s%10s%9s%9s%9s%7s\n", NAME_WIDTH, "row", "sectors", "moved", "a load",
            "a store", "banks", "passes");
}

/* "-" where nothing is accessed. */
static struct cell optional_cell(double value)
{
    return value > 0 ? ratio_cell(value, DIGITS) : (struct cell){"-"};
}

static struct cell moved_cell(const struct traced_row *row)
{
    struct cell cell;

    snprintf(cell.text, sizeof cell.text, "x %.24s", ratio_cell(traced_moved(row), DIGITS).text);
    return cell;
}

static struct cell banks_cell(const struct traced_row *row)
{
    struct cell cell = {"-"};

    if (traced_degree(row) > 0)
        snprintf(cell.text, sizeof cell.text, "%u-way", traced_degree(row));
    return cell;
}

void sectors_print_row(FILE *stream, const struct traced_row *row)
{
    const bool counted = strcmp(row->outcome, "counted") == 0;

    if (!counted) {
        print_wrapped(stream, row->why,
                      fprintf(stream, "  %-*s %s:", NAME_WIDTH, row->name, row->outcome));
        return;
    }
    fprintf(stream, "  %-*s%11llu%10s%9s%9s%9s%7s\n", NAME_WIDTH, row->name,
            row->loads.sectors + row->stores.sectors, moved_cell(row).text,
            optional_cell(traffic_sectors(&row->loads)).text,
            optional_cell(traffic_sectors(&row->stores)).text, banks_cell(row).text,
            optional_cell(traced_passes(row)).text);
    print_wrapped(stream, row->shows, fprintf(stream, "    "));
    if (row->flops > 0)
        fprintf(stream, "    %s flop for each byte loaded\n",
                ratio_cell(traced_intensity(row), DIGITS).text);
}

void traced_print_title(FILE *stream, const struct traced_row *row,
                        const struct trace_request *request)
{
    fprintf(stream, "\n%s: %lld x %lld, halo %lld", row->group, row->width, row->height,
            (long long)request->halo);
    if (request->block > 0)
        fprintf(stream, ", block %lld", (long long)request->block);
    if (row->width != request->size.width || row->height != request->size.height)
        fputs(" (smaller: at full size it takes hours)", stream);
    fputc('\n', stream);
}

/* Rows of one group and one size have one heading. */
void sectors_print_table(FILE *stream, const struct trace_request *request,
                         const struct traced_rows *rows)
{
    if (rows->count > 0)
        sectors_print_legend(stream);
    for (int i = 0; i < rows->count; i++) {
        const struct traced_row *row = &rows->list[i], *last = i > 0 ? row - 1 : NULL;

        if (!last || strcmp(last->group, row->group) != 0 || last->width != row->width ||
            last->height != row->height) {
            traced_print_title(stream, row, request);
            sectors_print_headings(stream);
        }
        sectors_print_row(stream, row);
    }
}
