/* SPDX-License-Identifier: MIT */
/* What a conversion between formats drops. */
#ifndef SMOOTHIMG_NOT_CARRIED_H
#define SMOOTHIMG_NOT_CARRIED_H

#include "src/files/codec/format.h"
#include "src/files/codec/metadata.h"

/* Notes the kinds of metadata that an output of this format does not take over, such as "colour
 * profile, EXIF"; of what a person would miss only. */
void not_carried_note(const struct metadata *metadata, enum format output,
                      struct metadata_notes *notes);

#endif
