/* SPDX-License-Identifier: MIT */
/* Reads PBM, PGM, PPM and PAM: libnetpbm reads the headers; raster.c and raw.c read the samples. */
#include "src/files/codec/pnm/pnm.h"
#include "src/files/codec/codec.h"

#include <ctype.h>
#include <netpbm/pam.h>
#include <netpbm/pm.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Guards libnetpbm's jump buffer and message functions, which are global variables. */
static pthread_mutex_t guard_mutex = PTHREAD_MUTEX_INITIALIZER;
static char guard_text[512]; /* libnetpbm's last error */

/* Keeps the first sentence of libnetpbm's message, in lower case and without its full stop.
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

static void call_libnetpbm(FILE *file, struct pam *pam)
{
    pnm_readpaminit(file, pam, PAM_BYTES);
    if (((int64_t)pam->width + 1) * (int64_t)pam->depth > MAX_ROW_SAMPLES)
        pm_error("image width and depth (%d, %u) too large to be processed", pam->width,
                 pam->depth);
}

/* Parses the header, which is in memory; only one thread does so at a time. libnetpbm's errors jump
 * here. The result is then STATUS_INPUT, with libnetpbm's message in printable characters. */
static enum status parse_header(const char *name, FILE *file, struct pam *pam, struct error *error)
{
    static bool initialised;
    volatile enum status status = STATUS_OK; /* volatile: set after setjmp */
    jmp_buf escape;

    pthread_mutex_lock(&guard_mutex);
    if (!initialised)
        pm_init("smoothimg", 0);
    initialised = true;
    pm_setusererrormsgfn(keep_text);
    pm_setusermessagefn(drop_text);
    pm_setjmpbuf(&escape);
    if (setjmp(escape) == 0)
        call_libnetpbm(file, pam);
    else
        status = fail(error, STATUS_INPUT,
                      "%s: bad header: %s; supported: sides from 1, fewer than 2^28 samples in a "
                      "row, maxval 1 to 65535",
                      name, guard_text);
    pm_setjmpbuf(NULL);
    pthread_mutex_unlock(&guard_mutex);
    return status;
}

static bool is_plain(int format)
{
    return format == PBM_FORMAT || format == PGM_FORMAT || format == PPM_FORMAT;
}

static enum format format_of(int format)
{
    switch (PAM_FORMAT_TYPE(format)) {
    case PBM_TYPE:
        return FORMAT_PBM;
    case PGM_TYPE:
        return FORMAT_PGM;
    case PPM_TYPE:
        return FORMAT_PPM;
    default:
        return FORMAT_PAM;
    }
}

/* Returns the minimum number of bits that a row takes in the file. A sample in plain (text) form
 * has at least one digit; white space is not counted. */
static double min_bits_per_row(const struct pam *pam)
{
    if (pam->format == RPBM_FORMAT)
        return 8.0 * ((pam->width - 1) / 8 + 1);
    return 8.0 * pam->width * pam->depth * (is_plain(pam->format) ? 1 : pam->bytes_per_sample);
}

/* Keeps the tuple type. libnetpbm joins several TUPLTYPE lines with newlines; the specification
 * demands spaces. */
static void keep_tuple_type(struct image *image, const char *tuple_type)
{
    snprintf(image->tuple_type, sizeof image->tuple_type, "%s", tuple_type);
    for (char *c = image->tuple_type; *c; c++)
        if (*c == '\n')
            *c = ' ';
}

static enum status take_header(struct image_reader *reader, struct pam *pam, struct error *error)
{
    struct pnm_header header;
    enum status status = pnm_header_read(reader, &header, error);
    FILE *file;

    if (status != STATUS_OK)
        return status;
    file = fmemopen(header.text, header.count, "rb");
    if (!file)
        return image_reader_no_memory(reader, error);
    status = parse_header(reader->name, file, pam, error);
    fclose(file);
    return status;
}

static bool is_raw(const struct raster *raster)
{
    return !raster->plain && !raster->bits;
}

static enum status open_pnm(struct image_reader *reader, struct image *header, struct error *error)
{
    struct pam pam = {0};
    struct raster *raster = reader->reading;
    enum status status = take_header(reader, &pam, error);

    if (status != STATUS_OK)
        return status;

    const bool full = pam.maxval == UINT8_MAX || pam.maxval == MAX_MAXVAL;
    const struct shape shape = {
        .width = pam.width,
        .height = pam.height,
        .channels = (int32_t)pam.depth, /* libnetpbm has checked that width x depth fits an int */
        .maxval = (uint32_t)pam.maxval,
    };

    status = image_reader_check_header(reader, &shape, min_bits_per_row(&pam), error);
    if (status != STATUS_OK)
        return status;
    *raster = (struct raster){.raw = {.reader = reader,
                                      .shape = shape,
                                      .offset = RAW_IN_ORDER,
                                      .big_endian = true,
                                      .check = full ? NULL : pnm_check_row},
                              .plain = is_plain(pam.format),
                              .bits = format_of(pam.format) == FORMAT_PBM};
    if (is_raw(raster))
        raster->raw.offset = raw_offset(reader);
    image_describe(header, &shape);
    header->format = format_of(pam.format);
    if (header->format == FORMAT_PAM)
        keep_tuple_type(header, pam.tuple_type);
    reader->order = raster->raw.offset != RAW_IN_ORDER ? ROWS_IN_ANY_ORDER : ROWS_IN_ORDER;
    return STATUS_OK;
}

static enum status read_pnm(const struct image_reader *reader, int64_t first, int64_t count,
                            const struct image *image, int64_t to, struct error *error)
{
    const struct raster *raster = reader->reading;

    return is_raw(raster) ? raw_read(&raster->raw, first, count, image, to, error)
                          : pnm_read_rows(raster, first, count, image, to, error);
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

    if (reader->at_end)
        return STATUS_OK;
    do
        byte = getc(reader->file);
    while (isspace(byte));
    if (byte == EOF)
        return ferror(reader->file) ? image_reader_short(reader, "the next image", error)
                                    : STATUS_OK;
    ungetc(byte, reader->file);
    bytes = image_reader_peek(reader, head);
    *more = codec_recognises(&codec_pnm, head, bytes);
    return *more ? STATUS_OK : junk(reader, head[0], error);
}

const struct codec codec_pnm = {
    .magics = {"P1", "P2", "P3", "P4", "P5", "P6", "P7"},
    .magic_bytes = 2,
    .follow = " \t\n\v\f\r#",
    .reading_bytes = sizeof(struct raster),
    .open = open_pnm,
    .read = read_pnm,
    .finish = raw_codec_finish,
    .more = more_pnm,
    .encoder = &pnm_encoder,
};
