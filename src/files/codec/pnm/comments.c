/* SPDX-License-Identifier: MIT */
/* Comments of Netpbm headers: kept while libnetpbm reads a header, and written. */
#include "src/files/codec/pnm/comments.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Readers of PAM read lines in pieces of up to 255 bytes, and take the second piece of a long
 * comment for a line of the header. So comments are split. */
#define PAM_LINE_BYTES 250

#define MAGIC_BYTES 2

static bool ends_line(uint8_t byte)
{
    return byte == '\n' || byte == '\r';
}

static void no_memory(struct pnm_recorder *recorder)
{
    fail(&recorder->fault, STATUS_INPUT, "%s: no memory for its comments", recorder->reader->name);
}

static void too_large(struct pnm_recorder *recorder)
{
    metadata_too_large(recorder->reader->name, "the comments of the header",
                       recorder->reader->max_metadata, &recorder->fault);
}

/* EOF also beyond the limit: a header may have no end. */
static int take_byte(struct pnm_recorder *recorder)
{
    const int64_t limit = recorder->reader->max_metadata;
    const int byte = getc(recorder->reader->file);

    if (byte == EOF || limit == 0 || ++recorder->taken <= limit)
        return byte;
    too_large(recorder);
    return EOF;
}

/* Adds the bytes to the current comment. */
static void record(struct pnm_recorder *recorder, const void *bytes, size_t count)
{
    if (recorder->reader->max_metadata == 0 || count == 0)
        return;
    if (recorder->count + count > recorder->room) {
        const size_t room = 2 * recorder->room + sizeof recorder->line;
        uint8_t *longer = realloc(recorder->comment, room);

        if (!longer) {
            no_memory(recorder);
            return;
        }
        recorder->comment = longer;
        recorder->room = room;
    }
    memcpy(recorder->comment + recorder->count, bytes, count);
    recorder->count += count;
}

static void end_comment(struct pnm_recorder *recorder)
{
    struct image_reader *reader = recorder->reader;

    if (reader->max_metadata == 0)
        return;
    if (!metadata_has_room(&reader->metadata, recorder->count, reader->max_metadata))
        too_large(recorder);
    else if (!metadata_copy(&reader->metadata, METADATA_COMMENT, recorder->comment,
                            recorder->count))
        no_memory(recorder);
    recorder->count = 0;
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

/* The rest of a line that is a comment; its first piece has been read. */
static void take_comment(struct pnm_recorder *recorder)
{
    size_t begin = 1; /* after # */

    do {
        record(recorder, recorder->line + begin, recorder->line_end - begin - ends_here(recorder));
        begin = 0;
    } while (!ends_here(recorder) && recorder->fault.status == STATUS_OK && take_line(recorder));
    end_comment(recorder);
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
        if (comment)
            take_comment(recorder);
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
    if (recorder->in_comment) {
        recorder->in_comment = !ends_line((uint8_t)byte);
        if (recorder->in_comment)
            record(recorder, (const char[]){(char)byte}, 1);
        else
            end_comment(recorder);
    } else if (recorder->passed >= MAGIC_BYTES && !memchr(legal, byte, sizeof legal - 1)) {
        fail(&recorder->fault, STATUS_INPUT,
             "%s: bad header: unexpected byte %02x; expected a number or white space",
             recorder->reader->name, (unsigned)byte);
    } else {
        recorder->in_comment = byte == '#';
    }
    return byte;
}

ssize_t pnm_recorder_read(struct pnm_recorder *recorder, char *next)
{
    const bool ended = recorder->fault.status != STATUS_OK;
    const int byte = ended ? EOF : recorder->pam ? next_of_pam(recorder) : next_of_others(recorder);

    if (byte == EOF || recorder->fault.status != STATUS_OK)
        return 0;
    recorder->pam = recorder->pam || (recorder->passed == 1 && byte == '7');
    recorder->passed++;
    *next = (char)byte;
    return 1;
}

enum status pnm_recorder_close(struct pnm_recorder *recorder, enum status failed,
                               struct error *error)
{
    free(recorder->comment);
    if (recorder->fault.status == STATUS_OK)
        return failed;
    *error = recorder->fault;
    return error->status;
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
