/* SPDX-License-Identifier: MIT */
#include "src/files/codec/metadata.h"

#include "src/text/size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status metadata_too_large(const char *file, const char *what, int64_t limit,
                               struct error *error)
{
    return fail(error, STATUS_INPUT,
                "%s: more metadata than the limit of %s, at %s; raise it with --max-metadata, or "
                "drop metadata with --strip-metadata",
                file, size_text(limit).text, what);
}

/* Makes room for one more item. */
static bool make_room(struct metadata *metadata)
{
    const size_t room = metadata->room > 0 ? 2 * metadata->room : 16;
    struct metadata_item *items;

    if (metadata->count < metadata->room)
        return true;
    items = realloc(metadata->items, room * sizeof *items);
    if (!items)
        return false;
    metadata->items = items;
    metadata->room = room;
    return true;
}

bool metadata_add(struct metadata *metadata, const char *name, bool late, uint8_t *bytes,
                  size_t count)
{
    struct metadata_item *item;

    if (!make_room(metadata)) {
        free(bytes);
        return false;
    }
    item = &metadata->items[metadata->count++];
    *item = (struct metadata_item){.late = late, .bytes = bytes, .count = count};
    snprintf(item->name, sizeof item->name, "%s", name);
    metadata->bytes += (int64_t)count + METADATA_ITEM_BYTES;
    return true;
}

bool metadata_copy(struct metadata *metadata, const char *name, const void *bytes, size_t count)
{
    uint8_t *copy = malloc(count + 1);

    if (!copy)
        return false;
    if (count > 0)
        memcpy(copy, bytes, count);
    return metadata_add(metadata, name, false, copy, count);
}

const struct metadata_item *metadata_find(const struct metadata *metadata, const char *name)
{
    for (size_t i = 0; metadata && i < metadata->count; i++)
        if (strcmp(metadata->items[i].name, name) == 0)
            return &metadata->items[i];
    return NULL;
}

void metadata_remove_all(struct metadata *metadata, const char *name, size_t kept)
{
    size_t left = 0;

    for (size_t i = 0; i < metadata->count; i++) {
        const bool named = strcmp(metadata->items[i].name, name) == 0;

        if (named && kept == 0)
            free(metadata->items[i].bytes);
        else
            metadata->items[left++] = metadata->items[i];
        kept -= named && kept > 0;
    }
    metadata->count = left;
}

/* True if `note` is one of the notes, between which are commas. */
static bool has_note(const char *notes, const char *note)
{
    const size_t length = strlen(note);

    for (const char *at = strstr(notes, note); at; at = strstr(at + 1, note))
        if ((at == notes || (at > notes + 1 && memcmp(at - 2, ", ", 2) == 0)) &&
            (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

void metadata_note(struct metadata_notes *notes, const char *name, const char *why)
{
    static const char ellipsis[] = ", ...";
    const size_t used = strlen(notes->text), room = sizeof notes->text - used;
    const char *comma = used > 0 ? ", " : "";
    char text[160];

    if (name)
        snprintf(text, sizeof text, "%s%s (%s)", comma, name, why);
    else
        snprintf(text, sizeof text, "%s%s", comma, why);
    if (notes->full || has_note(notes->text, text + strlen(comma)))
        return;
    /* A note must leave space for the ellipsis of the next one. */
    notes->full = strlen(text) + sizeof ellipsis > room;
    snprintf(notes->text + used, room, "%s", notes->full ? ellipsis : text);
}

void metadata_move(struct metadata *from, struct metadata *to)
{
    *to = *from;
    from->items = NULL;
    from->count = from->room = 0;
    from->bytes = 0;
}

void metadata_clear_items(struct metadata *metadata)
{
    for (size_t i = 0; i < metadata->count; i++)
        free(metadata->items[i].bytes);
    free(metadata->items);
    metadata->items = NULL;
    metadata->count = metadata->room = 0;
    metadata->bytes = 0;
}

void metadata_clear(struct metadata *metadata)
{
    metadata_clear_items(metadata);
    memset(metadata, 0, sizeof *metadata);
}
