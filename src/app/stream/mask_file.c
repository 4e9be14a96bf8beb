/* SPDX-License-Identifier: MIT */
#include "src/app/stream/mask_file.h"

#include "src/files/mask/mask.h"

#include <string.h>

/* Within the budget, of which the mask's bits are kept. */
static enum status read_image(struct image_reader *reader, const struct image *header,
                              struct budget *budget, struct mask *mask, struct error *error)
{
    const int64_t bytes = mask_read_bytes(reader, header);
    char what[512];
    enum status status;

    snprintf(what, sizeof what, "%s: a mask of %lld x %lld pixels", reader->name,
             (long long)header->view.width, (long long)header->view.height);
    status = budget_take(budget, bytes, what, "", error);
    if (status != STATUS_OK)
        return status;
    status = mask_read(reader, header, mask, error);
    budget_give(budget, bytes);
    if (status == STATUS_OK)
        budget_keep(budget, mask_bytes(mask->width, mask->height));
    return status;
}

enum status mask_file_read(const char *path, const struct stream_options *options,
                           struct budget *budget, struct mask *mask, struct error *error)
{
    struct image_reader reader;
    struct image header;
    bool found;
    enum status status = image_reader_open(&reader, path, options->max_pixels, error);

    memset(mask, 0, sizeof *mask);
    if (status != STATUS_OK)
        return status;
    reader.max_side = options->max_side;
    reader.max_channels = options->max_channels;
    status = image_reader_begin(&reader, &header, &found, error);
    if (status == STATUS_OK)
        status = read_image(&reader, &header, budget, mask, error);
    image_reader_close(&reader);
    if (status != STATUS_OK)
        mask_free(mask);
    return status;
}
