/* SPDX-License-Identifier: MIT */
#include "codec_pnm_comments.h"

#include <stdlib.h>
#include <string.h>

/* Readers of PAM take a line in pieces of up to 255 bytes, and what follows the first piece as a
 * line of its own, comment or not. */
#define PAM_LINE_BYTES 250

static bool note_byte(struct pnm_tape *tape, int byte)
{
    const int64_t limit = tape->source->max_metadata;

    if (limit == 0)
        return true;
    tape->too_long = !metadata_has_room(&tape->source->metadata, tape->count + 1, limit);
    if (tape->too_long)
        return false;
    if (tape->count == tape->room) {
        const size_t room = tape->room > 0 ? 2 * tape->room : 256;
        uint8_t *bytes = realloc(tape->bytes, room);

        tape->no_memory = !bytes;
        if (!bytes)
            return false;
        tape->bytes = bytes;
        tape->room = room;
    }
    tape->bytes[tape->count++] = (uint8_t)byte;
    return true;
}

/* One byte at a time, so that the file stands behind the header in the end. */
static ssize_t tape_read(void *cookie, char *buffer, size_t room)
{
    struct pnm_tape *tape = cookie;
    const int byte = room > 0 ? getc(tape->source->file) : EOF;

    if (byte == EOF || !note_byte(tape, byte))
        return 0;
    *buffer = (char)byte;
    return 1;
}

FILE *pnm_tape_open(struct pnm_tape *tape, struct source *source)
{
    FILE *stream;

    *tape = (struct pnm_tape){.source = source};
    stream = fopencookie(tape, "rb", (cookie_io_functions_t){.read = tape_read});
    if (stream)
        setvbuf(stream, NULL, _IONBF, 0);
    return stream;
}

static bool ends_line(uint8_t byte)
{
    return byte == '\n' || byte == '\r';
}

static enum status too_large(const struct source *source, struct error *error)
{
    return metadata_too_large(source->name, "the comments of the header", source->max_metadata,
                              error);
}

static enum status no_memory(const struct source *source, struct error *error)
{
    return fail(error, STATUS_INPUT, "%s: no memory for its comments", source->name);
}

static enum status add_comment(struct source *source, const uint8_t *text, size_t count,
                               struct error *error)
{
    uint8_t *bytes;

    if (!metadata_has_room(&source->metadata, count, source->max_metadata))
        return too_large(source, error);
    bytes = malloc(count > 0 ? count : 1);
    if (!bytes)
        return no_memory(source, error);
    memcpy(bytes, text, count);
    return metadata_add(&source->metadata, METADATA_COMMENT, false, bytes, count)
               ? STATUS_OK
               : no_memory(source, error);
}

/* In PAM a comment is a line; elsewhere it may begin anywhere behind the two bytes of the magic
 * number, and a carriage return ends it too. */
static enum status find_comments(const struct pnm_tape *tape, struct error *error)
{
    const bool lines = tape->count > 1 && tape->bytes[1] == '7';
    enum status status = STATUS_OK;
    size_t end;

    for (size_t i = 2; i < tape->count && status == STATUS_OK; i = end) {
        end = i + 1;
        if (tape->bytes[i] != '#' || (lines && tape->bytes[i - 1] != '\n'))
            continue;
        while (end < tape->count && tape->bytes[end] != '\n' && (lines || tape->bytes[end] != '\r'))
            end++;
        status = add_comment(tape->source, tape->bytes + i + 1, end - i - 1, error);
    }
    return status;
}

enum status pnm_tape_close(struct pnm_tape *tape, FILE *stream, enum status failed,
                           struct error *error)
{
    enum status status = failed;

    fclose(stream);
    if (tape->too_long)
        status = too_large(tape->source, error);
    else if (tape->no_memory)
        status = no_memory(tape->source, error);
    else if (status == STATUS_OK)
        status = find_comments(tape, error);
    free(tape->bytes);
    return status;
}

/* One comment; where it is too long for a line, or holds what ends one, on several. */
static enum status write_comment(const struct sink *sink, const struct metadata_item *item,
                                 struct error *error)
{
    enum status status;
    size_t done = 0;

    do {
        size_t end = done;

        while (end < item->count && !ends_line(item->bytes[end]) &&
               (sink->format != FORMAT_PAM || end - done < PAM_LINE_BYTES))
            end++;
        status = sink_write(sink, "#", 1, error);
        if (status == STATUS_OK)
            status = sink_write(sink, item->bytes + done, end - done, error);
        if (status == STATUS_OK)
            status = sink_write(sink, "\n", 1, error);
        done = end + (end < item->count && ends_line(item->bytes[end]));
    } while (done < item->count && status == STATUS_OK);
    return status;
}

enum status pnm_write_comments(const struct sink *sink, const struct image *image,
                               struct error *error)
{
    const struct metadata *metadata = image->metadata;
    enum status status = STATUS_OK;

    for (size_t i = 0; metadata && i < metadata->count && status == STATUS_OK; i++)
        if (strcmp(metadata->items[i].name, METADATA_COMMENT) == 0)
            status = write_comment(sink, &metadata->items[i], error);
    return status;
}
