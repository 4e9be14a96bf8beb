/* SPDX-License-Identifier: MIT */
#include "src/bench/core/results.h"

#include <stdlib.h>
#include <string.h>

struct group *results_add_group(struct results *results, struct error *error)
{
    const size_t count = (size_t)results->group_count + 1;
    struct group *groups = realloc(results->groups, count * sizeof *groups);

    if (!groups) {
        fail(error, STATUS_INPUT, "no memory for the results");
        return NULL;
    }
    results->groups = groups;
    groups[results->group_count] = (struct group){.row_count = 0};
    return &groups[results->group_count++];
}

void results_end_group(struct results *results)
{
    const struct group *group = &results->groups[results->group_count - 1];

    if (group->row_count == 0)
        results->group_count--;
    else if (results->done)
        results->done(results, group);
}

bool row_is_right(const struct row *row)
{
    return row->outcome == ROW_TIMED || row->outcome == ROW_CHECKED;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

double row_rate(const struct row *row)
{
    return row->outcome == ROW_TIMED ? ratio((double)row->bytes, row->median) : 0;
}

/* Returns the group's row for a plain copy of memory at `place` (CPU or GPU), or NULL if there is
 * none or it was not timed. */
static const struct row *group_copy(const struct group *group, enum backend place)
{
    for (int i = 0; i < group->row_count; i++)
        if (group->rows[i].copy && group->rows[i].place == place &&
            group->rows[i].outcome == ROW_TIMED)
            return &group->rows[i];
    return NULL;
}

double row_share(const struct results *results, const struct group *group, const struct row *row)
{
    const struct row *copy = group_copy(group, row->place);

    return ratio(row_rate(row), copy ? row_rate(copy) : results->copy_rate[row->place]);
}

/* Returns true if the gain of `row` may be computed as the rate of `row` divided by the rate of
 * `first`. */
static bool is_first(const struct results *results, const struct row *first, const struct row *row)
{
    return results->against ? strcmp(first->name, results->against) == 0
                            : first->place == row->place && first->bytes == row->bytes &&
                                  (first->flops > 0) == (row->flops > 0);
}

/* For a copy, returns 0, which means unknown: the copy on a GPU moves more bytes than the image
 * has, so its time cannot be compared with the time of a variant. */
double row_gain(const struct results *results, const struct group *group, const struct row *row)
{
    for (int i = 0; i < group->row_count && !row->copy; i++) {
        const struct row *first = &group->rows[i];

        if (row_rate(first) > 0 && is_first(results, first, row))
            return row_rate(row) / row_rate(first);
    }
    return 0;
}

double row_flop_rate(const struct row *row)
{
    return row->outcome == ROW_TIMED ? ratio(row->flops, row->median) : 0;
}

double row_intensity(const struct row *row)
{
    return ratio(row->flops, (double)row->bytes);
}

double row_asked_intensity(const struct row *row)
{
    return ratio(row->flops, row->asked);
}

int64_t group_samples(const struct group *group)
{
    return group->shape.width * group->shape.height * group->shape.channels;
}

const char *place_word(enum backend place)
{
    return place == ON_CPU ? "CPU" : "GPU";
}
