/* SPDX-License-Identifier: MIT */
/* Comments of Netpbm headers: recorded while libnetpbm reads a header, and written. */
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

static bool record_byte(struct pnm_recorder *recorder, int byte)
{
    const int64_t limit = recorder->reader->max_metadata;

    if (limit == 0)
        return true;
    recorder->too_long =
        !metadata_has_room(&recorder->reader->metadata, recorder->count + 1, limit);
    if (recorder->too_long)
        return false;
    if (recorder->count == recorder->room) {
        const size_t room = recorder->room > 0 ? 2 * recorder->room : 256;
        uint8_t *bytes = realloc(recorder->bytes, room);

        if (!bytes) {
            recorder->no_memory = true; /* stays set, even if a later byte finds memory */
            return false;
        }
        recorder->bytes = bytes;
        recorder->room = room;
    }
    recorder->bytes[recorder->count++] = (uint8_t)byte;
    return true;
}

/* EOF also if the byte cannot be recorded. */
static int take_byte(struct pnm_recorder *recorder)
{
    const int byte = getc(recorder->reader->file);

    return byte == EOF || !record_byte(recorder, byte) ? EOF : byte;
}

/* Reads the next line, or the next piece of a long one. False at the end of the file. */
static bool take_line(struct pnm_recorder *recorder)
{
    int byte = 0;

    recorder->line_at = recorder->line_end = 0;
    while (recorder->line_end < sizeof recorder->line && byte != '\n' && byte != EOF) {
        byte = take_byte(recorder);
        if (byte != EOF)
            recorder->line[recorder->line_end++] = (char)byte;
    }
    return recorder->line_end > 0;
}

static bool ends_here(const struct pnm_recorder *recorder)
{
    return recorder->line_end > 0 && recorder->line[recorder->line_end - 1] == '\n';
}

/* A TUPLTYPE line without a word: valid, and without meaning. */
static bool is_empty_type(const struct pnm_recorder *recorder)
{
    static const char word[] = "TUPLTYPE";
    const size_t length = sizeof word - 1;

    if (!ends_here(recorder) || memcmp(recorder->line, word, length) != 0)
        return false;
    for (size_t i = length; i < recorder->line_end; i++)
        if (!isspace((unsigned char)recorder->line[i]))
            return false;
    return true;
}

/* The next byte of a PAM header, without comments and empty tuple types. */
static int next_of_pam(struct pnm_recorder *recorder)
{
    while (recorder->line_at == recorder->line_end) {
        const bool begins = recorder->at_line_start;
        bool comment;

        if (!take_line(recorder))
            return EOF;
        comment = begins && recorder->line[0] == '#';
        while (comment && !ends_here(recorder) && take_line(recorder))
            continue;
        recorder->at_line_start = ends_here(recorder);
        if (comment || (begins && is_empty_type(recorder)))
            recorder->line_at = recorder->line_end;
    }
    return (unsigned char)recorder->line[recorder->line_at++];
}

/* The next byte of a PBM, PGM or PPM header: numbers, white space and comments. */
static int next_of_others(struct pnm_recorder *recorder)
{
    static const char legal[] = "0123456789 \t\r\n#";
    const int byte = take_byte(recorder);

    if (byte == EOF)
        return EOF;
    if (recorder->in_comment)
        recorder->in_comment = !ends_line((uint8_t)byte);
    else if (recorder->passed >= MAGIC_BYTES && !memchr(legal, byte, sizeof legal - 1))
        recorder->stray = byte;
    else
        recorder->in_comment = byte == '#';
    return recorder->stray != NO_BYTE ? EOF : byte;
}

/* One byte at a time, so that the file ends up right after the header. */
static ssize_t recorder_read(void *cookie, char *buffer, size_t room)
{
    struct pnm_recorder *recorder = cookie;
    const int byte = room == 0       ? EOF
                     : recorder->pam ? next_of_pam(recorder)
                                     : next_of_others(recorder);

    if (byte == EOF)
        return 0;
    recorder->pam = recorder->pam || (recorder->passed == 1 && byte == '7');
    recorder->passed++;
    *buffer = (char)byte;
    return 1;
}

FILE *pnm_recorder_open(struct pnm_recorder *recorder, struct image_reader *reader)
{
    FILE *stream;

    *recorder = (struct pnm_recorder){.reader = reader, .stray = NO_BYTE};
    stream = fopencookie(recorder, "rb", (cookie_io_functions_t){.read = recorder_read});
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
static enum status find_comments(const struct pnm_recorder *recorder, struct error *error)
{
    const bool lines = recorder->count > 1 && recorder->bytes[1] == '7';
    enum status status = STATUS_OK;
    size_t end;

    for (size_t i = 2; i < recorder->count && status == STATUS_OK; i = end) {
        end = i + 1;
        if (recorder->bytes[i] != '#' || (lines && recorder->bytes[i - 1] != '\n'))
            continue;
        while (end < recorder->count && recorder->bytes[end] != '\n' &&
               (lines || recorder->bytes[end] != '\r'))
            end++;
        status = add_comment(recorder->reader, recorder->bytes + i + 1, end - i - 1, error);
    }
    return status;
}

enum status pnm_recorder_close(struct pnm_recorder *recorder, FILE *stream, enum status failed,
                               struct error *error)
{
    enum status status = failed;

    fclose(stream);
    if (recorder->too_long)
        status = too_large(recorder->reader, error);
    else if (recorder->no_memory)
        status = no_memory(recorder->reader, error);
    else if (recorder->stray != NO_BYTE)
        status = fail(error, STATUS_INPUT,
                      "%s: bad header: unexpected byte %02x; expected a number or white space",
                      recorder->reader->name, (unsigned)recorder->stray);
    else if (status == STATUS_OK)
        status = find_comments(recorder, error);
    free(recorder->bytes);
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
