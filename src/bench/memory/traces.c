/* SPDX-License-Identifier: MIT */
#include "lab_traces.h"

#include "lab_sizes.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SIDE 128 /* seconds for all rows; counts for an access hardly change above it */

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void take(void *context, const struct traced_row *row)
{
    struct lab_traces *traces = context;
    struct traced_row *rows;

    if (strcmp(row->outcome, "counted") != 0 || traces->count < 0)
        return;
    rows = realloc(traces->rows, ((size_t)traces->count + 1) * sizeof *rows);
    if (!rows) {
        traces->count = -1;
        return;
    }
    traces->rows = rows;
    traces->rows[traces->count++] = *row;
}

/* Without --experiment the tracer would count smoothimg's variants too. */
static int all_groups(const char **groups)
{
    int count = 0;

    for (int first = 0; lab_row(first) && count < MAX_LIST; first += lab_group_rows(first))
        groups[count++] = lab_row(first)->group;
    return count;
}

enum status lab_traces_make(const struct bench_options *options, struct lab_traces *traces,
                            struct error *error)
{
    const char *groups[MAX_LIST];
    const int group_count = all_groups(groups);
    const struct size *sizes = options->sizes;
    struct trace_request request = {{MOST_SIDE, MOST_SIDE},
                                    options->halos[0],
                                    options->block,
                                    options->experiments,
                                    options->experiment_count};
    struct error why;

    if (options->size_count > 0)
        request.size =
            (struct size){lesser(sizes[0].width, MOST_SIDE), lesser(sizes[0].height, MOST_SIDE)};
    if (request.group_count == 0) {
        request.groups = groups;
        request.group_count = group_count;
    }
    if (transactions_count(&request, take, traces, &why) != STATUS_OK)
        snprintf(traces->why, sizeof traces->why, "%.500s", why.text);
    return traces->count >= 0 ? STATUS_OK
                              : fail(error, STATUS_INPUT, "no memory for the counts of rows");
}

const struct traced_row *lab_traces_find(const struct lab_traces *traces,
                                         const struct experiment *experiment)
{
    for (int i = 0; i < traces->count; i++)
        if (strcmp(traces->rows[i].group, experiment->group) == 0 &&
            strcmp(traces->rows[i].name, experiment->row) == 0)
            return &traces->rows[i];
    return NULL;
}

void lab_traces_free(struct lab_traces *traces)
{
    free(traces->rows);
    *traces = (struct lab_traces){.count = 0};
}
