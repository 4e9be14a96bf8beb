/* SPDX-License-Identifier: MIT */
#include "results.h"

#include <string.h>

const struct row *group_roof(const struct group *group, enum place place)
{
    for (int i = 0; i < group->row_count; i++)
        if (group->rows[i].roof && group->rows[i].place == place &&
            group->rows[i].outcome == ROW_TIMED)
            return &group->rows[i];
    return NULL;
}

double row_share(const struct group *group, const struct row *row)
{
    const struct row *roof = group_roof(group, row->place);

    return roof && row_rate(roof) > 0 ? row_rate(row) / row_rate(roof) : 0;
}

/* The GPU's copy is of other bytes than the image: it has a rate, and no speed. */
double row_speed(const struct group *group, const struct row *row, const char *against)
{
    if (row->outcome != ROW_TIMED || row->roof)
        return 0;
    for (int i = 0; i < group->row_count; i++) {
        const struct row *other = &group->rows[i];

        if (strcmp(other->name, against) == 0 && other->outcome == ROW_TIMED && row->median > 0)
            return other->median / row->median;
    }
    return 0;
}

int64_t group_samples(const struct group *group)
{
    return group->shape.width * group->shape.height * group->shape.channels;
}

const char *place_word(enum place place)
{
    return place == ON_CPU ? "CPU" : "GPU";
}

const char *outcome_word(enum outcome outcome)
{
    static const char *const words[] = {"timed", "left out", "different", "failed"};

    return words[outcome];
}
