/* SPDX-License-Identifier: MIT */
/* Refuses options that cannot be combined, instead of ignoring them. */
#include "src/bench/options/options.h"

#define NAMES 10 /* a row of the table below has at most 9 options, then a NULL */

enum status bench_options_check(const struct bench_options *options, struct error *error)
{
    const bool memory = options->suite == SUITE_MEMORY;
    const bool file = !memory && options->image && !picture_is_made(options->image);
    const struct {
        bool so;
        const char *names[NAMES], *why;
    } rows[] = {
        {memory,
         {"op", "variant", "image", "depth", "channels", "alpha", "against", "jobs", "save-image"},
         "is for --suite variants, and this is --suite memory"},
        {!memory,
         {"experiment", "occupancy", "sectors", "transactions"},
         "is for --suite memory, and this is --suite variants"},
        {file,
         {"size", "depth", "channels"},
         "is for made images (noise, chequer and photo), and this is a file"},
        {options->weighted && !file && options->channels == 1,
         {"alpha"},
         "the image has one channel, and no alpha (--channels 4 has it)"},
        {options->occupancy,
         {"repeat", "min-time", "max-time", "transactions", "sectors", "json"},
         "--occupancy measures nothing, and prints a table of its own"},
        {options->sectors || options->transactions,
         {"repeat", "min-time", "max-time", "place", "device"},
         "--sectors and --transactions measure nothing"},
        {options->sectors, {"transactions"}, "--sectors counts by other rules"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *const *name = rows[i].names; rows[i].so && *name; name++)
            if (option_is_given(&bench_option_table, options, *name))
                return fail(error, STATUS_USAGE, "--%s: %s; leave it out", *name, rows[i].why);
    if (memory && options->image)
        return fail(error, STATUS_USAGE, "%s: --suite memory takes no image; leave it out",
                    options->image);
    if (memory && options->halo_count > 1)
        return fail(error, STATUS_USAGE,
                    "--halo: --suite memory takes one; use a run for each of them");
    return STATUS_OK;
}
