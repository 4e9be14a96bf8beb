/* SPDX-License-Identifier: MIT */
#include "src/bench/memory/suite.h"

#include "kernels/common/numbers.h"
#include "src/bench/memory/experiments.h"

#include <string.h>

/* At this size all rows take seconds; in larger ones the sectors of an access hardly differ.
 */
#define MAX_TRACED_SIDE 128

/* Names all groups: without names the tracer would count smoothimg's variants too. Returns how
 * many.
 */
static int all_groups(const char **groups)
{
    int count = 0;

    for (int first = 0; experiment_at(first) && count < MAX_LIST;
         first += experiment_group_rows(first))
        groups[count++] = experiment_at(first)->group;
    return count;
}

enum status traces_make(const struct bench_options *options, const struct gpu *gpu,
                        struct traces *traces, struct error *error)
{
    const char *groups[MAX_LIST];
    const struct problem_size size = problem_size_wanted(options, gpu, 0);
    struct trace_request request = {
        .size = {min(size.width, MAX_TRACED_SIDE), min(size.height, MAX_TRACED_SIDE)},
        .halo = options->halos[0],
        .block = options->block,
        .groups = options->experiments,
        .group_count = options->experiment_count};
    struct error why;

    if (request.group_count == 0) {
        request.groups = groups;
        request.group_count = all_groups(groups);
    }
    if (transactions_count(&request, &traces->rows, &why) == STATUS_OK)
        return STATUS_OK;
    if (why.status == STATUS_INPUT)
        return fail(error, STATUS_INPUT, "%s", why.text);
    snprintf(traces->why, sizeof traces->why, "%.500s", why.text);
    return STATUS_OK;
}

const struct traced_row *traces_find(const struct traces *traces,
                                     const struct experiment *experiment)
{
    for (int i = 0; i < traces->rows.count; i++) {
        const struct traced_row *row = &traces->rows.list[i];

        if (strcmp(row->group, experiment->group) == 0 && strcmp(row->name, experiment->row) == 0 &&
            strcmp(row->outcome, "counted") == 0)
            return row;
    }
    return NULL;
}
