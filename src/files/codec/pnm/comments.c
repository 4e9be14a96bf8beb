/* SPDX-License-Identifier: MIT */
#include "src/files/codec/pnm/comments.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Readers of PAM read lines in pieces of up to 255 bytes, and take the second piece of a long
 * comment for a line of the header. So comments are split. */
#define PAM_LINE_BYTES 250

#define MAGIC_BYTES 2
#define NO_BYTE (-1)

static bool ends_line(uint8_t byte)
{
    return byte == '\n' || byte == '\r';
}

static bool record_byte(struct pnm_tape *tape, int byte)
{
    const int64_t limit = tape->reader->max_metadata;

    if (limit == 0)
        return true;
    tape->too_long = !metadata_has_room(&tape->reader->metadata, tape->count + 1, limit);
    if (tape->too_long)
        return false;
    if (tape->count == tape->room) {
        const size_t room = tape->room > 0 ? 2 * tape->room : 256;
        uint8_t *bytes = realloc(tape->bytes, room);

        if (!bytes) {
            tape->no_memory = true; /* for good: a later byte may find memory */
            return false;
        }
        tape->bytes = bytes;
        tape->room = room;
    }
    tape->bytes[tape->count++] = (uint8_t)byte;
    return true;
}

/* EOF also if the byte cannot be recorded. */
static int take_byte(struct pnm_tape *tape)
{
    const int byte = getc(tape->reader->file);

    return byte == EOF || !record_byte(tape, byte) ? EOF : byte;
}

/* Reads the next line, or the next piece of a long one. False at the end of the file. */
static bool take_line(struct pnm_tape *tape)
{
    int byte = 0;

    tape->line_at = tape->line_end = 0;
    while (tape->line_end < sizeof tape->line && byte != '\n' && byte != EOF) {
        byte = take_byte(tape);
        if (byte != EOF)
            tape->line[tape->line_end++] = (char)byte;
    }
    return tape->line_end > 0;
}

static bool ends_here(const struct pnm_tape *tape)
{
    return tape->line_end > 0 && tape->line[tape->line_end - 1] == '\n';
}

/* A TUPLTYPE line without a word: valid, and without meaning. */
static bool is_empty_type(const struct pnm_tape *tape)
{
    static const char word[] = "TUPLTYPE";
    const size_t length = sizeof word - 1;

    if (!ends_here(tape) || memcmp(tape->line, word, length) != 0)
        return false;
    for (size_t i = length; i < tape->line_end; i++)
        if (!isspace((unsigned char)tape->line[i]))
            return false;
    return true;
}

/* The next byte of a PAM header, without comments and empty tuple types. */
static int next_of_pam(struct pnm_tape *tape)
{
    while (tape->line_at == tape->line_end) {
        const bool begins = tape->whole;
        bool comment;

        if (!take_line(tape))
            return EOF;
        comment = begins && tape->line[0] == '#';
        while (comment && !ends_here(tape) && take_line(tape))
            continue;
        tape->whole = ends_here(tape);
        if (comment || (begins && is_empty_type(tape)))
            tape->line_at = tape->line_end;
    }
    return (unsigned char)tape->line[tape->line_at++];
}

/* The next byte of a PBM, PGM or PPM header: numbers, white space and comments. */
static int next_of_others(struct pnm_tape *tape)
{
    static const char legal[] = "0123456789 \t\r\n#";
    const int byte = take_byte(tape);

    if (byte == EOF)
        return EOF;
    if (tape->in_comment)
        tape->in_comment = !ends_line((uint8_t)byte);
    else if (tape->passed >= MAGIC_BYTES && !memchr(legal, byte, sizeof legal - 1))
        tape->stray = byte;
    else
        tape->in_comment = byte == '#';
    return tape->stray != NO_BYTE ? EOF : byte;
}

/* One byte at a time, so that the file ends up right after the header. */
static ssize_t tape_read(void *cookie, char *buffer, size_t room)
{
    struct pnm_tape *tape = cookie;
    const int byte = room == 0 ? EOF : tape->pam ? next_of_pam(tape) : next_of_others(tape);

    if (byte == EOF)
        return 0;
    tape->pam = tape->pam || (tape->passed == 1 && byte == '7');
    tape->passed++;
    *buffer = (char)byte;
    return 1;
}

FILE *pnm_tape_open(struct pnm_tape *tape, struct image_reader *reader)
{
    FILE *stream;

    *tape = (struct pnm_tape){.reader = reader, .stray = NO_BYTE};
    stream = fopencookie(tape, "rb", (cookie_io_functions_t){.read = tape_read});
    if (stream)
        setvbuf(stream, NULL, _IONBF, 0);
    return stream;
}

static enum status too_large(const struct image_reader *reader, struct error *error)
{
    return metadata_too_large(reader->name, "the comments of the header", reader->max_metadata,
                              error);
}

static enum status no_memory(const struct image_reader *reader, struct error *error)
{
    return fail(error, STATUS_INPUT, "%s: no memory for its comments", reader->name);
}

static enum status stray(const struct pnm_tape *tape, struct error *error)
{
    return fail(error, STATUS_INPUT,
                "%s: bad header: unexpected byte %02x; expected a number or white space",
                tape->reader->name, (unsigned)tape->stray);
}

static enum status add_comment(struct image_reader *reader, const uint8_t *text, size_t count,
                               struct error *error)
{
    uint8_t *bytes;

    if (!metadata_has_room(&reader->metadata, count, reader->max_metadata))
        return too_large(reader, error);
    bytes = malloc(count > 0 ? count : 1);
    if (!bytes)
        return no_memory(reader, error);
    memcpy(bytes, text, count);
    return metadata_add(&reader->metadata, METADATA_COMMENT, false, bytes, count)
               ? STATUS_OK
               : no_memory(reader, error);
}

/* In PAM a comment is a whole line. In the others it may begin anywhere after the magic number, and
 * a carriage return ends it too. */
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
        status = add_comment(tape->reader, tape->bytes + i + 1, end - i - 1, error);
    }
    return status;
}

enum status pnm_tape_close(struct pnm_tape *tape, FILE *stream, enum status failed,
                           struct error *error)
{
    enum status status = failed;

    fclose(stream);
    if (tape->too_long)
        status = too_large(tape->reader, error);
    else if (tape->no_memory)
        status = no_memory(tape->reader, error);
    else if (tape->stray != NO_BYTE)
        status = stray(tape, error);
    else if (status == STATUS_OK)
        status = find_comments(tape, error);
    free(tape->bytes);
    return status;
}

/* Writes one comment, on several lines if it contains a line end or, in PAM, is too long. */
static enum status write_comment(const struct image_writer *writer,
                                 const struct metadata_item *item, struct error *error)
{
    enum status status;
    size_t done = 0;

    do {
        size_t end = done;

        while (end < item->count && !ends_line(item->bytes[end]) &&
               (writer->format != FORMAT_PAM || end - done < PAM_LINE_BYTES))
            end++;
        status = image_writer_write(writer, "#", 1, error);
        if (status == STATUS_OK)
            status = image_writer_write(writer, item->bytes + done, end - done, error);
        if (status == STATUS_OK)
            status = image_writer_write(writer, "\n", 1, error);
        done = end + (end < item->count && ends_line(item->bytes[end]));
    } while (done < item->count && status == STATUS_OK);
    return status;
}

enum status pnm_write_comments(const struct image_writer *writer, const struct image *image,
                               struct error *error)
{
    const struct metadata *metadata = image->metadata;
    enum status status = STATUS_OK;

    for (size_t i = 0; metadata && i < metadata->count && status == STATUS_OK; i++)
        if (strcmp(metadata->items[i].name, METADATA_COMMENT) == 0)
            status = write_comment(writer, &metadata->items[i], error);
    return status;
}
