/* SPDX-License-Identifier: MIT */
/* --transactions. */
#include "transactions.h"

#include <string.h>

#define DEFAULT_SIDE 256 /* seconds for all rows */

static void note_failure(struct transactions_printer *printer, const struct traced_row *row)
{
    if (strcmp(row->outcome, "failed") == 0 && printer->failed[0] == '\0')
        snprintf(printer->failed, sizeof printer->failed, "%s %s: %s", row->group, row->name,
                 row->why);
}

static void take_for_table(void *context, const struct traced_row *row)
{
    note_failure(context, row);
    transactions_table_row(context, row);
}

static void take_for_json(void *context, const struct traced_row *row)
{
    const struct transactions_printer *const printer = context;

    note_failure(context, row);
    if (printer->rows == 0) /* not before it is known that there are any */
        transactions_json_begin(context);
    transactions_json_row(context, row);
}

enum status transactions_print(const struct bench_options *options, FILE *stream,
                               struct error *error)
{
    const struct size size =
        options->size_count > 0 ? options->sizes[0] : (struct size){DEFAULT_SIDE, DEFAULT_SIDE};
    const struct trace_request request = {size, options->halos[0], options->block, NULL, 0};
    struct transactions_printer printer = {.stream = stream, .request = &request};
    enum status status;

    if (options->suite != SUITE_MEMORY)
        return fail(error, STATUS_USAGE, "--transactions is for --suite memory; give both");
    if (options->size_count > 1)
        return fail(error, STATUS_USAGE, "--transactions takes one --size; use a run for each");
    status = transactions_count(&request, options->json ? take_for_json : take_for_table, &printer,
                                error);
    if (options->json && printer.rows > 0)
        transactions_json_end(&printer);
    if (status == STATUS_OK && printer.failed[0] != '\0')
        status = fail(error, STATUS_DEVICE, "%s", printer.failed);
    return status;
}
