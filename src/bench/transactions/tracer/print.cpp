// SPDX-License-Identifier: MIT
// Prints the counts of memory accesses as tables within 80 columns, or as one JSON document. For
// --sectors these are counts of 32-byte sectors, as current profilers show them; for --transactions
// they are counts by the rules of the GPUs of 2010.
#include "src/bench/transactions/tracer/tracer.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

extern "C" {
#include "src/bench/core/cells.h"
#include "src/text/json.h"
}

namespace tracer
{

static constexpr int NAME_WIDTH = 23;

// Returns part / whole, or 0 if `whole` is 0.
static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double sectors_of(const emulated::global_counts &counts)
{
    return ratio((double)counts.sectors, (double)counts.requests);
}

static double transactions_of(const emulated::global_counts &counts)
{
    return ratio((double)counts.transactions, (double)counts.requests);
}

// Returns the bytes of all sectors that are loaded or stored, divided by the bytes that must move.
static double moved_of(const row &row, const emulated::counts &counts)
{
    return ratio(32 * (double)(counts.loads.sectors + counts.stores.sectors), row.needed);
}

static double intensity_of(const row &row, const emulated::counts &counts)
{
    return ratio(row.flops, (double)counts.loads.bytes);
}

// Returns the mean number of passes that an access of shared memory takes: 1 without bank
// conflicts.
static double passes_of(const emulated::counts &counts)
{
    const auto accesses = (double)(counts.shared_loads.requests + counts.shared_stores.requests);
    const auto extra = (double)(counts.shared_loads.conflicts + counts.shared_stores.conflicts);

    return ratio(accesses + extra, accesses);
}

// --- Print the tables and the JSON document. In tables, rows of a group with the same size share a
// heading.

static void print_legend(bool packed)
{
    if (packed)
        fputs("counted on the emulated device by the rules of the GPUs of 2010; --sectors has\n"
              "today's\n"
              "  transactions  of a load 4 for each line of 128 bytes, of a store its sectors\n"
              "  a load, a store    transactions of an access\n",
              stdout);
    else
        fputs("counted on the emulated device, for each access of each warp; no cache saves any\n"
              "  sectors  of 32 bytes: what memory moves\n"
              "  a load, a store    sectors that an access touches; 4 hold 32 words of 4 bytes\n",
              stdout);
    fputs("  moved    bytes of sectors, as a multiple of what must be read and written once\n"
          "  banks    worst access of shared memory; 1-way: no conflict; 32-way: 32 passes\n"
          "  passes   that an access of shared memory takes, on the average\n",
          stdout);
}

static void print_title(const request &request, const row &row)
{
    printf("\n%s: %" PRId64 " x %" PRId64 ", halo %" PRId64, row.group, row.width, row.height,
           request.halo);
    if (request.block > 0)
        printf(", block %d", request.block);
    if (row.width < request.width || row.height < request.height)
        fputs(" (smaller: at full size it takes hours)", stdout);
    printf("\n  %-*s%12s%10s%9s%9s%8s%7s\n", NAME_WIDTH, "row",
           request.packed ? "transactions" : "sectors", "moved", "a load", "a store", "banks",
           "passes");
}

// Formats the value. 0 means that there was no access, and becomes "-".
static cell optional_cell(double value, int digits)
{
    return value > 0 ? ratio_cell(value, digits) : cell{"-"};
}

static void print_line(const request &request, const row &row, const emulated::counts &counts)
{
    const auto of_access = request.packed ? transactions_of : sectors_of;
    // As many decimals as the profilers of 2010 (4) and of today (2) print.
    const int digits = request.packed ? 4 : 2;
    const unsigned degree =
        std::max(counts.shared_loads.worst_degree, counts.shared_stores.worst_degree);
    char moved[32], banks[16] = "-";

    snprintf(moved, sizeof moved, "x %.24s", ratio_cell(moved_of(row, counts), 2).text);
    if (degree > 0)
        snprintf(banks, sizeof banks, "%u-way", degree);
    printf("  %-*s%12" PRIu64 "%10s%9s%9s%8s%7s\n", NAME_WIDTH, row.name,
           request.packed ? counts.loads.transactions + counts.stores.transactions
                          : counts.loads.sectors + counts.stores.sectors,
           moved, optional_cell(of_access(counts.loads), digits).text,
           optional_cell(of_access(counts.stores), digits).text, banks,
           optional_cell(passes_of(counts), 2).text);
    print_wrapped(stdout, row.shows, printf("    "));
    if (row.flops > 0)
        printf("    %s flop for each byte loaded\n", ratio_cell(intensity_of(row, counts), 2).text);
}

static void print_global(const char *key, const emulated::global_counts &counts)
{
    printf(", \"%s\": {\"accesses\": %" PRIu64 ", \"transactions\": %" PRIu64
           ", \"sectors\": %" PRIu64 ", \"bytes\": %" PRIu64,
           key, counts.requests, counts.transactions, counts.sectors, counts.bytes);
    json_next_number(stdout, "transactions_per_access", transactions_of(counts), 17);
    json_next_number(stdout, "sectors_per_access", sectors_of(counts), 17);
    json_next_number(stdout, "efficiency", ratio((double)counts.bytes, 32 * (double)counts.sectors),
                     17);
    putchar('}');
}

static void print_shared(const char *key, const emulated::shared_counts &counts)
{
    printf(", \"%s\": {\"accesses\": %" PRIu64 ", \"extra_passes\": %" PRIu64
           ", \"worst_degree\": %u}",
           key, counts.requests, counts.conflicts, counts.worst_degree);
}

static void print_object(const row &row, const emulated::counts &counts, const char *outcome,
                         const char *why)
{
    fputs("    {", stdout);
    json_text_pair(stdout, "group", row.group);
    json_next_text(stdout, "row", row.name);
    json_next_text(stdout, "shows", row.shows);
    printf(", \"width\": %" PRId64 ", \"height\": %" PRId64, row.width, row.height);
    json_next_number(stdout, "flops", row.flops, 17);
    json_next_number(stdout, "flops_per_byte_loaded", intensity_of(row, counts), 17);
    json_next_number(stdout, "needed_bytes", row.needed, 17);
    json_next_number(stdout, "moved", moved_of(row, counts), 17);
    print_global("loads", counts.loads);
    print_global("stores", counts.stores);
    print_shared("shared_loads", counts.shared_loads);
    print_shared("shared_stores", counts.shared_stores);
    json_next_text(stdout, "outcome", outcome);
    if (why != nullptr)
        json_next_text(stdout, "why", why);
    putchar('}');
}

void print_before(const request &request, const row *last, const row &row)
{
    const bool begins = last == nullptr || strcmp(last->group, row.group) != 0 ||
                        last->width != row.width || last->height != row.height;

    if (request.json && last != nullptr)
        fputs(",\n", stdout);
    else if (request.json)
        printf("{\n  \"program\": \"smoothimg-bench\", \"version\": \"" SMOOTHIMG_VERSION "\",\n"
               "  \"suite\": \"memory\", \"width\": %" PRId64 ", \"height\": %" PRId64
               ", \"halo\": %" PRId64 ", \"block\": %d, \"images\": \"%s\",\n"
               "  \"load_line_bytes\": 128, \"transactions_per_line\": 4, \"sector_bytes\": 32,\n"
               "  \"rows\": [\n",
               request.width, request.height, request.halo, request.block,
               request.packed ? "packed" : "aligned");
    else if (last == nullptr)
        print_legend(request.packed);
    if (begins && !request.json)
        print_title(request, row);
}

void print_row(const request &request, const row &row, const emulated::counts &counts,
               const char *outcome, const char *why)
{
    if (strcmp(outcome, "failed") == 0)
        fprintf(stderr, "smoothimg-bench: %s %s: %s\n", row.group, row.name, why);
    if (request.json)
        print_object(row, counts, outcome, why);
    else if (why != nullptr)
        print_wrapped(stdout, why, printf("  %-*s %s:", NAME_WIDTH, row.name, outcome));
    else
        print_line(request, row, counts);
    fflush(stdout);
}

} // namespace tracer
