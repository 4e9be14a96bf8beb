/* SPDX-License-Identifier: MIT */
/* In place of JPEG, where libjpeg is not built in. */
#include "src/files/codec/codec.h"

const struct codec codec_jpeg = {
    .name = "JPEG", .magics = JPEG_MAGICS, .magic_bytes = JPEG_MAGIC_BYTES, .lacks = "libjpeg"};
