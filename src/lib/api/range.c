/* SPDX-License-Identifier: MIT */
#include "src/lib/api/range.h"

static enum status refuse(const char *owner, const struct range *range, struct error *error)
{
    const char *colon = owner ? ": " : "";

    if (!owner)
        owner = "";
    if (range->words)
        return fail(error, STATUS_INVALID, "%s%s%s is %lld; it has to be %s", owner, colon,
                    range->name, (long long)range->value, range->words);
    if (range->most == INT64_MAX)
        return fail(error, STATUS_INVALID, "%s%s%s is %lld; it has to be at least %lld", owner,
                    colon, range->name, (long long)range->value, (long long)range->least);
    return fail(error, STATUS_INVALID, "%s%s%s is %lld; it has to be %lld to %lld", owner, colon,
                range->name, (long long)range->value, (long long)range->least,
                (long long)range->most);
}

enum status check_ranges(const char *owner, const struct range *ranges, size_t count,
                         struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (ranges[i].value < ranges[i].least || ranges[i].value > ranges[i].most)
            return refuse(owner, &ranges[i], error);
    return STATUS_OK;
}
