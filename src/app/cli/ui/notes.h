/* SPDX-License-Identifier: MIT */
/* Notes on a result that looks otherwise than a person may expect. Each is printed once in a run,
 * for the first file that it is about; not under --quiet. */
#ifndef SMOOTHIMG_NOTES_H
#define SMOOTHIMG_NOTES_H

#include "src/app/cli/options.h"
#include "src/app/stream/report.h"

/* Which of them have been printed. Starts as {0}. */
struct notes {
    bool emulated, not_carried, dark;
};

/* After a file that is done. many: of a folder, where the notes say that they come once. */
void notes_print(struct notes *notes, const struct options *options, const char *input,
                 const char *output, const struct report *report, bool many);

#endif
