/* SPDX-License-Identifier: MIT */
/* Reads PBM, PGM, PPM and PAM: libnetpbm reads the headers; raster.c and raw.c read the samples. */
#include "src/files/codec/pnm/pnm.h"
#include "kernels/common/numbers.h"
#include "src/files/codec/codec.h"

#include <ctype.h>
#include <netpbm/pam.h>
#include <netpbm/pm.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Reads a header's text, and takes the comments out before libnetpbm parses the text. libnetpbm
 * would drop the comments, which must be kept if the reader keeps metadata. In PAM headers
 * libnetpbm 11.01 would also split long comments, take quadratic time for many comments, and free
 * comments twice when memory runs out. */

#define HEADER_BYTES 4096 /* the longest header, without comments */

struct header {
    char text[HEADER_BYTES]; /* the text without what read_text() drops, such as comments */
    size_t count;
};

#define COMMENTS "the comments of the header" /* for messages */
#define LINE_BYTES 255 /* libnetpbm reads a line of a PAM header in pieces of this many bytes */

struct source {
    struct image_reader *reader;
    struct header *header;
    int64_t taken;      /* bytes read so far; counted only if comments are kept */
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

/* Returns the next byte, or EOF at the end of the file and after a failure. If comments are kept, a
 * header longer than the metadata's limit is a failure, since the input may be endless. */
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
    struct header *header = source->header;

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

/* Reads the rest of a header of PBM, PGM or PPM: `wanted` numbers, each followed by one byte of
 * white space. */
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

/* Reads the rest of a header of PAM, up to the line ENDHDR. Drops empty lines. Also drops lines
 * TUPLTYPE without a type, which libnetpbm refuses. */
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

/* Reads the header at the stream's position, but no byte after the header, and keeps its comments
 * in reader->metadata. The end of the file also ends the header. Returns STATUS_INPUT if the file
 * cannot be read, or if the header is too long: with comments for reader->max_metadata, or without
 * comments for HEADER_BYTES. Also returns STATUS_INPUT for text that libnetpbm would read in
 * another way: other bytes than digits and white space after the magic number, and PAM lines of
 * more than 255 bytes. */
static enum status read_text(struct image_reader *reader, struct header *header,
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

/* --- Parses the header's text by libnetpbm. */

/* Guards libnetpbm's jump buffer and message functions, which are global variables. */
static pthread_mutex_t guard_mutex = PTHREAD_MUTEX_INITIALIZER;
static char guard_text[512]; /* libnetpbm's last error */

/* Keeps the first sentence of libnetpbm's message, with a small first letter and no full stop.
 * Replaces unprintable bytes: the message quotes the file, which may contain control sequences. */
static void keep_text(const char *text)
{
    const char *stop = strstr(text, ".  ");
    size_t length = stop ? (size_t)(stop - text) : strlen(text);

    while (length > 0 && (isspace((unsigned char)text[length - 1]) || text[length - 1] == '.'))
        length--;
    snprintf(guard_text, sizeof guard_text, "%.*s", (int)length, text);
    if (islower((unsigned char)guard_text[1]))
        guard_text[0] = (char)tolower((unsigned char)guard_text[0]);
    for (char *c = guard_text; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

/* Drops libnetpbm's warnings. */
static void drop_text(const char *text)
{
    (void)text;
}

/* The bytes of struct pam that libnetpbm fills. libnetpbm's macro for this number dereferences a
 * null pointer. */
#define PAM_BYTES ((int)(offsetof(struct pam, tuple_type) + sizeof((struct pam){0}.tuple_type)))

/* The maximum of (width + 1) * depth, where depth is the number of channels: libnetpbm's limit on
 * 64-bit machines. On 32-bit machines libnetpbm allows twice as many, but the same files should be
 * read everywhere. */
#define MAX_ROW_SAMPLES ((1 << 28) - 1)

/* Parses the header's text; only one thread at a time. libnetpbm's errors jump back to this
 * function, which then returns STATUS_INPUT with libnetpbm's message in printable characters. */
static enum status parse_header(const struct image_reader *reader, struct header *header,
                                struct pam *pam, struct error *error)
{
    static bool initialised;
    FILE *const file = fmemopen(header->text, header->count, "rb");
    volatile enum status status = STATUS_OK; /* volatile, because it is changed after setjmp */
    jmp_buf escape;

    if (!file)
        return image_reader_no_memory(reader, error);
    pthread_mutex_lock(&guard_mutex);
    if (!initialised)
        pm_init("smoothimg", 0);
    initialised = true;
    pm_setusererrormsgfn(keep_text);
    pm_setusermessagefn(drop_text);
    pm_setjmpbuf(&escape);
    if (setjmp(escape) == 0) {
        pnm_readpaminit(file, pam, PAM_BYTES);
        if (((int64_t)pam->width + 1) * (int64_t)pam->depth > MAX_ROW_SAMPLES)
            pm_error("image width and depth (%d, %u) too large to be processed", pam->width,
                     pam->depth);
    } else {
        status = fail(error, STATUS_INPUT,
                      "%s: bad header: %s; supported: sides from 1, fewer than 2^28 samples in a "
                      "row, maxval 1 to 65535",
                      reader->name, guard_text);
    }
    pm_setjmpbuf(NULL);
    pthread_mutex_unlock(&guard_mutex);
    fclose(file);
    return status;
}

/* Keeps the tuple type. libnetpbm joins several TUPLTYPE lines with newlines, where the
 * specification demands spaces. */
static void keep_tuple_type(struct image *image, const char *tuple_type)
{
    snprintf(image->tuple_type, sizeof image->tuple_type, "%s", tuple_type);
    for (char *c = image->tuple_type; *c; c++)
        if (*c == '\n')
            *c = ' ';
}

/* The digit of a magic number. Plain (text) files have a digit below RAW_PBM. */
enum { PLAIN_PBM = 1, RAW_PBM = 4, PAM = 7 };

static enum status open_pnm(struct image_reader *reader, struct image *header, struct error *error)
{
    struct pam pam = {0};
    struct header text;
    enum status status = read_text(reader, &text, error);

    if (status == STATUS_OK)
        status = parse_header(reader, &text, &pam, error);
    if (status != STATUS_OK)
        return status;

    const int kind = text.text[1] - '0';
    /* The minimum number of bits that a row takes in the file. A sample in plain (text) form has at
     * least one digit; white space is not counted. */
    const double row_bits =
        kind == RAW_PBM ? 8.0 * ((pam.width - 1) / 8 + 1)
                        : 8.0 * pam.width * pam.depth * (kind < RAW_PBM ? 1 : pam.bytes_per_sample);
    const bool full = pam.maxval == UINT8_MAX || pam.maxval == MAX_MAXVAL;
    const struct shape shape = {
        .width = pam.width,
        .height = pam.height,
        .channels = (int32_t)pam.depth, /* libnetpbm has checked that width x depth fits an int */
        .maxval = (uint32_t)pam.maxval,
    };

    status = image_reader_check_header(reader, &shape, row_bits, error);
    if (status != STATUS_OK)
        return status;
    *(struct raw_raster *)reader->reading =
        (struct raw_raster){.shape = shape,
                            .big_endian = true,
                            .check = full ? NULL : pnm_check_row,
                            .read_row = kind > RAW_PBM      ? NULL
                                        : kind == RAW_PBM   ? pnm_read_packed
                                        : kind == PLAIN_PBM ? pnm_read_plain_bits
                                                            : pnm_read_plain};
    if (kind == RAW_PBM)
        reader->expected_bytes =
            8 * min(reader->file_bytes, INT64_MAX / 8); /* a bit becomes a byte */
    raw_codec_open(reader);
    image_lay_out(header, &shape);
    header->format = kind == PAM ? FORMAT_PAM : (enum format)((kind - 1) % 3);
    if (kind == PAM)
        keep_tuple_type(header, pam.tuple_type);
    return STATUS_OK;
}

/* Refuses a byte after an image. The message gives the byte's offset, unless the input is a
 * pipe. */
static enum status junk(const struct image_reader *reader, unsigned char byte, struct error *error)
{
    const int64_t position = ftello(reader->file);
    char where[64] = "";

    if (position >= 0)
        snprintf(where, sizeof where, " at offset %lld", (long long)position);
    return fail(error, STATUS_INPUT,
                "%s: unexpected byte 0x%02x%s after the image; expected the end of the file or "
                "another image",
                reader->name, byte, where);
}

static enum status more_pnm(struct image_reader *reader, bool *more, struct error *error)
{
    unsigned char head[FORMAT_HEAD_BYTES];
    size_t bytes;
    int byte;

    do
        byte = getc(reader->file);
    while (isspace(byte));
    if (byte == EOF)
        return ferror(reader->file) ? image_reader_short(reader, "the next image", error)
                                    : STATUS_OK;
    ungetc(byte, reader->file);
    bytes = image_reader_peek(reader, head);
    *more = codec_find(head, bytes) == &codec_pnm;
    return *more ? STATUS_OK : junk(reader, head[0], error);
}

const struct codec codec_pnm = {
    .magics = {"P1", "P2", "P3", "P4", "P5", "P6", "P7"},
    .magic_bytes = 2,
    .follow = " \t\n\v\f\r#",
    .reading_bytes = sizeof(struct raw_raster),
    .open = open_pnm,
    .read = raw_codec_read,
    .finish = raw_codec_finish,
    .more = more_pnm,
    .encoder = &pnm_encoder,
};
