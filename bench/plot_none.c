/* SPDX-License-Identifier: MIT */
#include "plot.h"

#include <stddef.h>

enum status plot_check(const char *path, struct error *error)
{
    return fail(error, STATUS_UNSUPPORTED,
                "--plot %s: this smoothimg-bench was built without cairo, which draws; install "
                "libcairo2-dev and build it again, or keep the figures by --json",
                path);
}

enum status plot_write(const char *path, const struct results *results, struct error *error)
{
    (void)results;
    return plot_check(path, error);
}

enum status plot_write_lab(const char *path, const struct lab_results *results, struct error *error)
{
    (void)results;
    return plot_check(path, error);
}

const char *plot_cairo_version(void)
{
    return NULL;
}
