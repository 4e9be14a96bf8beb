/* SPDX-License-Identifier: MIT */
/* In place of TIFF, where libtiff is not built in. */
#include "src/files/codec/codec.h"

const struct codec codec_tiff = {
    .name = "TIFF", .magics = TIFF_MAGICS, .magic_bytes = TIFF_MAGIC_BYTES, .lacks = "libtiff"};
