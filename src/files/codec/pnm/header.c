/* SPDX-License-Identifier: MIT */
/* Reads a header, and keeps its comments if the reader keeps metadata. libnetpbm gets the header
 * without comments, since libnetpbm would drop them. In PAM headers libnetpbm 11.01 also splits
 * long comments, takes quadratic time for many comments, and frees comments twice when memory runs
 * out. */
#include "src/files/codec/pnm/pnm.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COMMENTS "the comments of the header" /* for messages */
#define LINE_BYTES 255 /* libnetpbm reads a line of a PAM header in pieces of this many bytes */

struct source {
    struct image_reader *reader;
    struct pnm_header *header;
    int64_t taken;      /* bytes read so far */
    uint8_t *comment;   /* owned: the current comment */
    size_t count, room; /* bytes of the comment: used, allocated */
    enum status status; /* status of the first failure; *error describes it */
    struct error *error;
};

static void bad_header(struct source *source, const char *why)
{
    source->status =
        fail(source->error, STATUS_INPUT, "%s: bad header: %s", source->reader->name, why);
}

/* Returns the next byte; EOF also after a failure. If comments are kept, a header longer than the
 * metadata's limit is a failure, since the input may be endless. */
static int take_byte(struct source *source)
{
    const int64_t limit = source->reader->max_metadata;
    const int byte = source->status == STATUS_OK ? getc(source->reader->file) : EOF;

    if (byte == EOF || limit == 0 || ++source->taken <= limit)
        return byte;
    source->status = metadata_too_large(source->reader->name, COMMENTS, limit, source->error);
    return EOF;
}

static void put(struct source *source, const char *bytes, size_t count)
{
    struct pnm_header *header = source->header;

    if (count > sizeof header->text - header->count) {
        bad_header(source, "it is too long");
        return;
    }
    memcpy(header->text + header->count, bytes, count);
    header->count += count;
}

static void add_to_comment(struct source *source, int byte)
{
    if (source->count == source->room) {
        const size_t room = 2 * source->room + LINE_BYTES;
        uint8_t *longer = realloc(source->comment, room);

        if (!longer) {
            source->status = image_reader_no_memory(source->reader, source->error);
            return;
        }
        source->comment = longer;
        source->room = room;
    }
    source->comment[source->count++] = (uint8_t)byte;
}

/* Reads a comment, from after its # to the end of the line. */
static void take_comment(struct source *source, bool pam)
{
    struct image_reader *reader = source->reader;
    int byte;

    source->count = 0;
    while ((byte = take_byte(source)) != EOF && byte != '\n' && (pam || byte != '\r'))
        if (reader->max_metadata > 0)
            add_to_comment(source, byte);
    if (source->status == STATUS_OK && reader->max_metadata > 0)
        source->status = image_reader_keep(reader, METADATA_COMMENT, COMMENTS, source->comment,
                                           source->count, source->error);
}

/* Reads the header of PBM, PGM or PPM: `wanted` numbers, each followed by one byte of white space.
 */
static void take_numbers(struct source *source, int wanted)
{
    bool in_number = false;

    while (wanted > 0) {
        int byte = take_byte(source);
        char text[80];

        if (byte == '#') {
            take_comment(source, false);
            byte = '\n';
        }
        if (byte == EOF || source->status != STATUS_OK)
            return;
        if (!isdigit(byte) && !memchr(" \t\r\n", byte, 4)) {
            snprintf(text, sizeof text, "unexpected byte 0x%02x; expected a number or white space",
                     (unsigned)byte);
            bad_header(source, text);
            return;
        }
        if (isdigit(byte) || in_number)
            put(source, (const char[]){(char)byte}, 1);
        wanted -= in_number && !isdigit(byte);
        in_number = isdigit(byte);
    }
}

/* Reads a line of PAM as a string. The line's first byte, `byte`, has been read already. Returns
 * the line's length. */
static size_t take_line(struct source *source, int byte, char line[LINE_BYTES + 1])
{
    size_t count = 0;

    for (; byte != EOF && count < LINE_BYTES; byte = take_byte(source)) {
        line[count++] = (char)byte;
        line[count] = '\0';
        if (byte == '\n')
            return count;
    }
    if (byte != EOF)
        bad_header(source, "a line has more than 255 bytes");
    return count;
}

/* Reads the header of PAM, up to the line ENDHDR. Drops empty lines and empty tuple types, which
 * libnetpbm refuses. */
static void take_lines(struct source *source)
{
    char line[LINE_BYTES + 1], word[16] = "", more[2];
    int byte = take_byte(source);

    /* Takes the rest of the line that begins with the magic number. */
    put(source, line, take_line(source, byte, line));
    while (strcmp(word, "ENDHDR") != 0 && (byte = take_byte(source)) != EOF) {
        size_t count;
        int words;

        word[0] = '\0';
        if (byte == '#') {
            take_comment(source, true);
            continue;
        }
        count = take_line(source, byte, line);
        words = sscanf(line, "%15s %1s", word, more);
        if (words > 1 || (words == 1 && strcmp(word, "TUPLTYPE") != 0))
            put(source, line, count);
    }
}

enum status pnm_header_read(struct image_reader *reader, struct pnm_header *header,
                            struct error *error)
{
    struct source source = {.reader = reader, .header = header, .error = error};
    char magic[] = "P?\n";

    header->count = 0;
    take_byte(&source);
    magic[1] = (char)take_byte(&source);
    put(&source, magic, magic[1] == '7' ? 2 : 3);
    if (magic[1] == '7')
        take_lines(&source);
    else
        take_numbers(&source, magic[1] == '1' || magic[1] == '4' ? 2 : 3);
    free(source.comment);
    if (source.status == STATUS_OK && ferror(reader->file))
        return image_reader_short(reader, "the header", error);
    return source.status;
}
