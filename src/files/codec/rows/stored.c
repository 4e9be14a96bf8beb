/* SPDX-License-Identifier: MIT */
#include "src/files/codec/rows/stored.h"

struct shape stored_shape(const struct image *header)
{
    struct shape shape = image_shape(header);

    if (header->stored) {
        shape.channels = header->stored->channels;
        shape.maxval = header->stored->converted;
    }
    return shape;
}
