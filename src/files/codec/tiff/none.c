/* SPDX-License-Identifier: MIT */
/* In place of TIFF, where libtiff is not built in: recognises it, and says so. */
#include "src/files/codec/codec.h"

#include <string.h>

static bool recognises(const unsigned char *head, size_t bytes)
{
    return bytes >= 4 && (memcmp(head, "II*\0", 4) == 0 || memcmp(head, "MM\0*", 4) == 0 ||
                          memcmp(head, "II+\0", 4) == 0 || memcmp(head, "MM\0+", 4) == 0);
}

static enum status refuse(const char *name, struct error *error)
{
    return fail(error, STATUS_UNSUPPORTED,
                "%s: TIFF is not supported, since this program was built without libtiff; use "
                "another format",
                name);
}

static enum status open_none(struct image_reader *reader, struct image *header, struct error *error)
{
    (void)header;
    return refuse(reader->name, error);
}

static enum status supports_none(const struct image_writer *writer, const struct image *image,
                                 struct error *error)
{
    (void)image;
    return refuse(writer->name, error);
}

/* Nothing else is called. floats: so that the refusal is this one. */
const struct codec codec_tiff = {.name = "TIFF",
                                 .floats = true,
                                 .recognises = recognises,
                                 .open = open_none,
                                 .supports = supports_none};

const char *codec_tiff_version(void)
{
    return NULL;
}
