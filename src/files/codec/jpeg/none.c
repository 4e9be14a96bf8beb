/* SPDX-License-Identifier: MIT */
/* In place of JPEG, where libjpeg is not built in. */
#include "src/files/codec/codec.h"

#include <string.h>

static bool recognises(const unsigned char *head, size_t bytes)
{
    return bytes >= 3 && memcmp(head, "\xff\xd8\xff", 3) == 0;
}

const struct codec codec_jpeg = {.name = "JPEG", .recognises = recognises, .lacks = "libjpeg"};

const char *codec_jpeg_version(void)
{
    return NULL;
}
