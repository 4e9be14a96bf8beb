/* SPDX-License-Identifier: MIT */
/* What a file says beside its samples and is kept: chunks of PNG, comments of PBM, PGM, PPM and
 * PAM. A source owns it, from source_begin to the next; images point to it. */
#ifndef SMOOTHIMG_METADATA_H
#define SMOOTHIMG_METADATA_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define METADATA_COMMENT "#" /* the name of a comment */

struct metadata_item {
    char name[5];   /* METADATA_COMMENT, or the PNG chunk's */
    bool late;      /* it stands behind the samples */
    uint8_t *bytes; /* owned: all of the chunk's; of the comment's line, between # and its end */
    size_t count;
};

/* What was not kept, and why: "hIST (of a palette), dSIG (not safe to copy)". */
struct metadata_notes {
    char text[300];
    bool full;
};

struct metadata {
    struct metadata_item *items; /* owned; in the order of the file */
    size_t count, room;
    int64_t bytes;                  /* as metadata_has_room counts */
    struct metadata_notes faults;   /* of the file, that leave the samples as they are */
    struct metadata_notes damaged;  /* what cannot be right, and was left out */
    struct metadata_notes left_out; /* what does not hold for the result */
};

/* Do so many bytes more stay within the limit? An item counts a little more than its bytes, so that
 * a limit holds for many small ones too. */
bool metadata_has_room(const struct metadata *metadata, uint64_t bytes, int64_t limit);

/* What to say where they do not: STATUS_INPUT. */
enum status metadata_too_large(const char *file, const char *what, int64_t limit,
                               struct error *error);

/* Adds an item whose bytes (of malloc, or NULL) it takes over in any case. False without memory. */
bool metadata_add(struct metadata *metadata, const char *name, bool late, uint8_t *bytes,
                  size_t count);

/* Adds "name (why)", or why alone where name is NULL, as long as there is room. */
void metadata_note(struct metadata_notes *notes, const char *name, const char *why);

/* Gives all of it back, and leaves none. */
void metadata_clear(struct metadata *metadata);

#endif
