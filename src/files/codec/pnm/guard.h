/* SPDX-License-Identifier: MIT */
/* A fence around libnetpbm, which would end the program where it gives up, and print what it thinks
 * of a file. */
#ifndef SMOOTHIMG_CODEC_PNM_FENCE_H
#define SMOOTHIMG_CODEC_PNM_FENCE_H

#include "codec.h"

/* Runs body(context), which may call libnetpbm, as one thread at a time does. Where libnetpbm gives
 * up, body is left at once: it must own nothing that only its own variables know of. The result is
 * then STATUS_INPUT, and the error has libnetpbm's words, in printable characters. */
enum status pnm_fenced(const struct source *source, void (*body)(void *), void *context,
                       struct error *error);

#endif
