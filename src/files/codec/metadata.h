/* SPDX-License-Identifier: MIT */
/* A file's data besides its samples: PNG chunks, TIFF tags, JPEG segments, and comments of PBM,
 * PGM, PPM and PAM. The image reader owns the current image's metadata until the next
 * image_reader_begin; images point to it. */
#ifndef SMOOTHIMG_METADATA_H
#define SMOOTHIMG_METADATA_H

#include "src/lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define METADATA_COMMENT "#" /* the name of an item that is a comment */

/* image_reader.max_metadata counts this many bytes for each item besides its contents, so that the
 * limit also bounds the memory of many small items. */
#define METADATA_ITEM_BYTES 64

struct metadata_item {
    /* METADATA_COMMENT; the PNG chunk's name; the TIFF tag's number in hexadecimal, such as 010e;
     * or, for JPEG, a name that jpeg/segments.c defines. */
    char name[5];
    bool late;      /* PNG: the chunk follows the samples */
    uint8_t *bytes; /* owned: the contents; of a comment its text, without # and line end */
    size_t count;
};

/* A list for a message: names with reasons, as in "dSIG (not safe to copy), APP7 (not kept)", and
 * texts without a name. */
struct metadata_notes {
    char text[300];
    bool full; /* the text ends in "...", and takes no more names */
};

struct metadata {
    struct metadata_item *items; /* owned; in the order of the file */
    size_t count, room;          /* items in use, items allocated */
    int64_t bytes;               /* bytes of all items added, with METADATA_ITEM_BYTES for each */
    /* The notes are about all images of the file that have been read so far. */
    struct metadata_notes faults;   /* faults that do not change the samples */
    struct metadata_notes damaged;  /* items left out because they are damaged */
    struct metadata_notes left_out; /* items left out for any other reason */
};

/* Returns STATUS_INPUT for an item beyond the limit. `what` names the item, such as "the chunk
 * iCCP". */
enum status metadata_too_large(const char *file, const char *what, int64_t limit,
                               struct error *error);

/* Adds an item, which then owns `bytes` (from malloc, or NULL). Frees `bytes` on failure. Returns
 * false if memory runs out. */
bool metadata_add(struct metadata *metadata, const char *name, bool late, uint8_t *bytes,
                  size_t count);

/* Adds an item with a copy of the bytes. Returns false if memory runs out. */
bool metadata_copy(struct metadata *metadata, const char *name, const void *bytes, size_t count);

/* Returns the first item of this name, or NULL. metadata may be NULL. */
const struct metadata_item *metadata_find(const struct metadata *metadata, const char *name);

/* Removes and frees all items of this name but the first `kept`, in one pass over the items. */
void metadata_remove_all(struct metadata *metadata, const char *name, size_t kept);

/* Adds "name (why)", or only `why` if name is NULL, unless the notes have it already; adds "..."
 * once the text is full. */
void metadata_note(struct metadata_notes *notes, const char *name, const char *why);

/* Moves the items of *from to *to, which is empty. Copies the notes: both then have them. */
void metadata_move(struct metadata *from, struct metadata *to);

/* Frees all items, and keeps the notes. */
void metadata_clear_items(struct metadata *metadata);

/* Frees all items, and leaves the metadata empty, without notes. */
void metadata_clear(struct metadata *metadata);

#endif
