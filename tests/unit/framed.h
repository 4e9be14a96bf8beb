/* SPDX-License-Identifier: MIT */
/* Allocates an image inside a larger image. A variant (an implementation of an operation) may read
 * the pixels around its source, but must not write those around its result. */
#ifndef SMOOTHIMG_TEST_FRAMED_H
#define SMOOTHIMG_TEST_FRAMED_H

#include "src/files/image/image.h"

/* Like image_alloc(), but image->memory has `around` more pixels on each side of the image. */
static inline enum status framed_alloc(struct image *image, const struct shape *shape,
                                       int64_t around, struct error *error)
{
    struct shape larger = *shape;
    enum status status;

    larger.width += 2 * around;
    larger.height += 2 * around;
    status = image_alloc(image, &larger, error);
    if (status != STATUS_OK)
        return status;
    image->view.origin = (char *)image_row(image, around) + around * pixel_bytes(shape);
    image->view.width = shape->width;
    image->view.height = shape->height;
    return STATUS_OK;
}

#endif
