/* SPDX-License-Identifier: MIT */
#include "src/app/cli/hints.h"

#include "src/app/cli/options/axes.h"
#include "src/app/cli/ui/message.h"

#include <string.h>
#include <unistd.h>

/* Of a sigma that may have been meant otherwise. */
static void explain_sigma(const struct options *options)
{
    const char *text = options->sigma_text;

    if (axes_look_like_one(options))
        message_print("--sigma %s: %g along the rows, %g down the columns; for one number with a "
                      "fraction write %.*s.%s",
                      text, options->sigmas[0], options->sigmas[1], (int)strcspn(text, ","), text,
                      text + strcspn(text, ",") + 1);
}

/* The program would seem to hang. */
static void explain_terminal(const struct options *options)
{
    if (!isatty(STDIN_FILENO))
        return;
    if (options->files_from && strcmp(options->files_from, "-") == 0)
        message_print("reading names of files from the terminal, one a line; Ctrl-D ends the list");
    else if (options->input_count == 1 && strcmp(options->inputs[0], "-") == 0)
        message_print("reading an image from the terminal; Ctrl-C ends this; to read a file, name "
                      "it instead of -");
}

void hints_print(const struct options *options)
{
    if (options->quiet)
        return;
    explain_sigma(options);
    explain_terminal(options);
}
