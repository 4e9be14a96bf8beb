/* SPDX-License-Identifier: MIT */
/* --sectors and --transactions. */
#include "src/bench/transactions/transactions.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_SIDE 256 /* all rows take some 20 seconds of a processor */

/* The least at which fused takes the engine of large images, at the default halo; it takes 1.2
 * seconds. */
#define DEFAULT_FUSED_SIDE 768

/* Does every name of the request have a row? */
static enum status check_names(const struct trace_request *request, const struct traced_rows *rows,
                               struct error *error)
{
    for (int n = 0; n < request->group_count; n++) {
        bool seen = false;

        for (int i = 0; i < rows->count && !seen; i++)
            seen = names_row(request->groups[n], rows->list[i].group, rows->list[i].name);
        if (!seen)
            return fail(error, STATUS_USAGE,
                        "--experiment %s: unknown row; --experiment %.*s counts all of its group, "
                        "with their names",
                        request->groups[n], (int)strcspn(request->groups[n], "/"),
                        request->groups[n]);
    }
    return STATUS_OK;
}

/* Fails for the first row that failed. */
static enum status check_rows(const struct traced_rows *rows, struct error *error)
{
    for (int i = 0; i < rows->count; i++) {
        const struct traced_row *row = &rows->list[i];

        if (strcmp(row->outcome, "failed") == 0)
            return fail(error, STATUS_DEVICE, "%s %s: %s", row->group, row->name, row->why);
    }
    return STATUS_OK;
}

enum status transactions_print(const struct bench_options *options, FILE *stream,
                               struct error *error)
{
    const struct size size =
        options->size_count > 0 ? options->sizes[0] : (struct size){DEFAULT_SIDE, DEFAULT_SIDE};
    const struct trace_request request = {.size = size,
                                          .fused_side =
                                              options->size_count > 0 ? 0 : DEFAULT_FUSED_SIDE,
                                          .halo = options->halos[0],
                                          .block = options->block,
                                          .packed = options->transactions,
                                          .groups = options->experiments,
                                          .group_count = options->experiment_count};
    struct traced_rows rows = {.count = 0};
    enum status status;

    if (options->size_count > 1)
        return fail(error, STATUS_USAGE, "--%s takes one --size; use a run for each",
                    options->transactions ? "transactions" : "sectors");
    status = transactions_count(&request, &rows, error);
    if (!options->json)
        transactions_print_tables(stream, &request, &rows);
    else if (rows.count > 0)
        transactions_print_json(stream, &request, &rows);
    if (status == STATUS_OK)
        status = check_names(&request, &rows, error);
    if (status == STATUS_OK)
        status = check_rows(&rows, error);
    free(rows.list);
    return status;
}
