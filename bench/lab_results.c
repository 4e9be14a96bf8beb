/* SPDX-License-Identifier: MIT */
#include "lab_results.h"

#include <stdlib.h>

void lab_results_free(struct lab_results *results)
{
    free(results->groups);
    lab_traces_free(&results->traces);
    profiles_free(&results->profiles);
}

double lab_share(const struct lab_results *results, const struct lab_row *row)
{
    const double copy = results->roofs.copy[row->row.place];

    return copy > 0 ? row_rate(&row->row) / copy : 0;
}

/* Can their times be compared? */
static bool is_like(const struct lab_row *a, const struct lab_row *b)
{
    return a->row.place == b->row.place && a->row.bytes == b->row.bytes &&
           (a->flops > 0) == (b->flops > 0);
}

double lab_gain(const struct lab_group *group, const struct lab_row *row)
{
    for (int i = 0; i < group->row_count; i++) {
        const struct row *foot = &group->rows[i].row;

        if (row_rate(foot) > 0 && is_like(&group->rows[i], row))
            return row_rate(&row->row) / row_rate(foot);
    }
    return 0;
}

double lab_flop_rate(const struct lab_row *row)
{
    return row->row.outcome == ROW_TIMED && row->row.median > 0 ? row->flops / row->row.median : 0;
}

double lab_intensity(const struct lab_row *row)
{
    return row->row.bytes > 0 ? row->flops / (double)row->row.bytes : 0;
}

double lab_asked_intensity(const struct lab_row *row)
{
    return row->asked > 0 ? row->flops / row->asked : 0;
}
