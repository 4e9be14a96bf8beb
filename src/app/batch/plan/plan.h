/* SPDX-License-Identifier: MIT */
/* What a run does: which input becomes which output. Complete and checked before work begins.
 *
 * The output folder keeps the name that an input has within the folder where it was found:
 * images/a/x.pgm, found in images, becomes OUT/a/x.pgm. A file that was named itself keeps the part
 * after its last slash, or after "/./" if its name contains that, as with rsync -R. */
#ifndef SMOOTHIMG_PLAN_H
#define SMOOTHIMG_PLAN_H

#include "src/app/batch/plan/list.h"
#include "src/app/batch/plan/shard.h"

/* What the command line names. */
struct plan_options {
    char **inputs; /* at least one, unless files_from */
    int input_count;
    const char *output; /* a file, or the folder of the outputs; NULL: in place, or
                         * next to the input, with suffix */
    const char *output_file, *output_dir;          /* the same, of -o and -O; NULL: not given */
    const char *format;                            /* an extension, or NULL: by the output's name */
    const char *backup;                            /* suffix of backups; NULL: none are made */
    const char *suffix, *files_from, *failed_list; /* NULL: not given */
    struct shard shard;
    bool recursive, in_place, skip_existing, fail_fast;
};

/* Is there a folder of this name? "-" names a stream. */
bool plan_is_folder(const char *path);

/* Makes the plan. Reads folders and --files-from only. The caller frees it, also on failure.
 * STATUS_USAGE if outputs collide with each other or with an input, STATUS_INPUT if a named folder
 * or a list cannot be read. */
enum status plan_make(const struct plan_options *options, struct plan *plan, struct error *error);

#endif
