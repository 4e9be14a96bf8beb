/* SPDX-License-Identifier: MIT */
#include "lab_picture.h"

#include "parallel.h"

#include <string.h>

enum status lab_picture_make(const struct bench_options *options, const struct lab_size *size,
                             struct image *picture, struct error *error)
{
    const struct shape shape = {size->width, size->height, 1, 255};
    enum status status;

    *picture = (struct image){.halo = 0};
    if (!options->image)
        return STATUS_OK;
    status =
        picture_make(options->image, &shape, size->halo, parallel_processors(), picture, error);
    if (status != STATUS_OK || (picture->view.channels == 1 && picture->view.sample_bytes == 1))
        return status;
    status =
        fail(error, STATUS_UNSUPPORTED,
             "%s: it has %d channel%s of %d bits, and --suite memory takes one of 8; pngtopnm, "
             "ppmtopgm and pamdepth make such images",
             options->image, (int)picture->view.channels, picture->view.channels == 1 ? "" : "s",
             8 * (int)picture->view.sample_bytes);
    image_free(picture);
    return status;
}

void lab_picture_fill(const struct image *picture, const struct lab_want *want,
                      const struct lab_array *array)
{
    const int64_t border = want->border, pitch = picture->view.width + 2 * border;
    uint8_t *to = array->memory;

    for (int64_t y = -border; y < picture->view.height + border; y++, to += pitch)
        memcpy(to, (const uint8_t *)image_row(picture, y) - border, (size_t)pitch);
}
