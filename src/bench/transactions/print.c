/* SPDX-License-Identifier: MIT */
/* --transactions. */
#include "transactions.h"

#include <string.h>

#define DEFAULT_SIDE 256 /* seconds for all rows */

/* What the table and the document have in common. */
static void note(struct transactions_printer *printer, const struct traced_row *row)
{
    const size_t length = strlen(row->group);

    for (int i = 0; i < printer->request->group_count; i++) {
        const char *const name = printer->request->groups[i]; /* GROUP or GROUP/ROW */

        if (strncmp(name, row->group, length) == 0 &&
            (name[length] == '\0' ||
             (name[length] == '/' && strcmp(name + length + 1, row->name) == 0)))
            printer->seen[i] = true;
    }
    if (strcmp(row->outcome, "failed") == 0 && printer->failed[0] == '\0')
        snprintf(printer->failed, sizeof printer->failed, "%s %s: %s", row->group, row->name,
                 row->why);
}

static void take_for_table(void *context, const struct traced_row *row)
{
    note(context, row);
    transactions_table_row(context, row);
}

static void take_for_json(void *context, const struct traced_row *row)
{
    const struct transactions_printer *const printer = context;

    note(context, row);
    if (printer->rows == 0) /* not before it is known that there are any */
        transactions_json_begin(context);
    transactions_json_row(context, row);
}

/* Has every group that was named any rows? */
static enum status check_groups(const struct transactions_printer *printer, struct error *error)
{
    for (int i = 0; i < printer->request->group_count; i++)
        if (!printer->seen[i])
            return fail(error, STATUS_USAGE,
                        "--experiment %s: there is no such group or GROUP/ROW; without this option "
                        "all are counted, with their names",
                        printer->request->groups[i]);
    return STATUS_OK;
}

enum status transactions_print(const struct bench_options *options, FILE *stream,
                               struct error *error)
{
    const struct size size =
        options->size_count > 0 ? options->sizes[0] : (struct size){DEFAULT_SIDE, DEFAULT_SIDE};
    const struct trace_request request = {size, options->halos[0], options->block,
                                          options->experiments, options->experiment_count};
    struct transactions_printer printer = {.stream = stream, .request = &request};
    enum status status;

    if (options->size_count > 1)
        return fail(error, STATUS_USAGE, "--transactions takes one --size; use a run for each");
    status = transactions_count(&request, options->json ? take_for_json : take_for_table, &printer,
                                error);
    if (options->json && printer.rows > 0)
        transactions_json_end(&printer);
    if (status == STATUS_OK)
        status = check_groups(&printer, error);
    if (status == STATUS_OK && printer.failed[0] != '\0')
        status = fail(error, STATUS_DEVICE, "%s", printer.failed);
    return status;
}
