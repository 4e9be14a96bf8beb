/* SPDX-License-Identifier: MIT */
/* A guard around libnetpbm, which on an error would print a message and exit. */
#ifndef SMOOTHIMG_CODEC_PNM_GUARD_H
#define SMOOTHIMG_CODEC_PNM_GUARD_H

#include "src/files/codec/codec.h"

/* Runs body(context), which may call libnetpbm; one thread at a time. On an error libnetpbm jumps
 * out of body, which must not own memory or files then. The result is STATUS_INPUT, with
 * libnetpbm's message in printable characters. */
enum status pnm_guarded(const struct image_reader *reader, void (*body)(void *), void *context,
                        struct error *error);

#endif
