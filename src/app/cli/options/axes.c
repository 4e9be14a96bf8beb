/* SPDX-License-Identifier: MIT */
#include "src/app/cli/options/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_HALO 4

/* Bytes for one number of --halo or --sigma as text. Any number that makes sense is far shorter. */
#define NUMBER_BYTES 64
#define MOST_PIECES 3 /* numbers in the argument of --halo or --sigma: for x, y and z */
#define Z 2           /* index of the z axis, for which --halo and --sigma may have no number */
struct pieces {
    char text[MOST_PIECES][NUMBER_BYTES];
    int count;
};

/* Splits "6,2" into two pieces and "6,2,1" into three. A single number is for both x and y, and
 * becomes two pieces. */
static enum status cut(const struct option_row *row, const char *argument, struct pieces *pieces,
                       struct error *error)
{
    const char *rest = argument;

    *pieces = (struct pieces){.count = 0};
    while (rest) {
        const size_t length = strcspn(rest, ",");

        if (length == 0 || length >= NUMBER_BYTES || pieces->count == MOST_PIECES)
            return fail(error, STATUS_USAGE,
                        "--%s '%s': write one number, two: x,y, or three: x,y,z", row->name,
                        argument);
        memcpy(pieces->text[pieces->count], rest, length);
        pieces->text[pieces->count++][length] = '\0';
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    if (pieces->count == 1)
        strcpy(pieces->text[pieces->count++], pieces->text[0]);
    return STATUS_OK;
}

enum status axes_take_halo(const struct option_row *row, const char *argument,
                           struct options *options, struct error *error)
{
    struct pieces pieces;
    enum status status = cut(row, argument, &pieces, error);

    for (int axis = 0; axis < pieces.count && status == STATUS_OK; axis++)
        status = option_take_integer(row, pieces.text[axis], &options->halos[axis], error);
    options->halo_count = pieces.count;
    return status;
}

static bool is_zero(const char *text)
{
    return strchr(text, '0') && text[strspn(text, "0.")] == '\0';
}

enum status axes_take_sigma(const struct option_row *row, const char *argument,
                            struct options *options, struct error *error)
{
    struct pieces pieces;
    enum status status = cut(row, argument, &pieces, error);
    bool all_zero = true;

    for (int axis = 0; axis < pieces.count && status == STATUS_OK; axis++) {
        options->sigmas[axis] = 0;
        if (!is_zero(pieces.text[axis])) {
            all_zero = false;
            status = option_take_real(row, pieces.text[axis], &options->sigmas[axis], error);
        }
    }
    if (status == STATUS_OK && all_zero)
        return fail(error, STATUS_USAGE,
                    "--%s '%s': %smust be above 0; --halo 0 leaves the image as it is", row->name,
                    argument, strchr(argument, ',') ? "one of them " : "");
    options->sigma_text = argument;
    options->sigma_count = pieces.count;
    return status;
}

/* Sets the halo and the sigma of an axis. --sigma without --halo implies a halo, by --truncate or
 * SciPy's rule. --halo without --sigma leaves the sigma 0, which means halo/3. A --sigma of 0 gives
 * the axis a halo of 0, so that it is not filtered. The z axis also has a halo of 0 if neither
 * option has a third number. */
static enum status complete_axis(const struct options *options, int axis,
                                 struct filter_axis *filter, struct error *error)
{
    const bool has_halo = axis < options->halo_count, has_sigma = axis < options->sigma_count;
    const double sigma = has_sigma ? options->sigmas[axis] : 0;
    double halo = has_halo ? (double)options->halos[axis] : axis == Z ? 0 : DEFAULT_HALO;

    if (has_sigma && sigma == 0)
        halo = 0;
    else if (has_sigma && !has_halo)
        halo =
            options->truncate > 0 ? floor(options->truncate * sigma + 0.5) : gauss_halo_of(sigma);
    if (halo > SMOOTHIMG_MAX_RADIUS)
        return fail(error, STATUS_USAGE,
                    "--sigma %g needs a halo of %g, and the largest is %d; name a smaller --halo "
                    "or --truncate to cut the filter off earlier",
                    sigma, halo, SMOOTHIMG_MAX_RADIUS);
    *filter = (struct filter_axis){(int64_t)halo, sigma};
    return STATUS_OK;
}

enum status axes_complete(struct options *options, struct error *error)
{
    struct smooth_options *filter = &options->batch.stream.work.filter;
    struct filter_axis *const axes[] = {&filter->x, &filter->y, &filter->z};
    enum status status = STATUS_OK;

    for (int axis = 0; axis < MOST_PIECES && status == STATUS_OK; axis++)
        status = complete_axis(options, axis, axes[axis], error);
    options->batch.stream.stack =
        options->halo_count == MOST_PIECES || options->sigma_count == MOST_PIECES;
    return status;
}

bool axes_look_like_one(const struct options *options)
{
    const char *text = options->sigma_text;
    int fraction = 0, end = 0; /* where the digits after the comma begin and end */

    return sscanf(text, "%*[0-9],%n%*[0-9]%n", &fraction, &end) == 0 && end > 0 &&
           text[end] == '\0' && strcmp(text + fraction, "0") != 0;
}
