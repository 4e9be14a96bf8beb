/* SPDX-License-Identifier: MIT */
/* In place of TIFF, where libtiff is not built in. */
#include "src/files/codec/codec.h"

#include <string.h>

static bool recognises(const unsigned char *head, size_t bytes)
{
    return bytes >= 4 && (memcmp(head, "II*\0", 4) == 0 || memcmp(head, "MM\0*", 4) == 0 ||
                          memcmp(head, "II+\0", 4) == 0 || memcmp(head, "MM\0+", 4) == 0);
}

const struct codec codec_tiff = {.name = "TIFF", .recognises = recognises, .lacks = "libtiff"};

const char *codec_tiff_version(void)
{
    return NULL;
}
