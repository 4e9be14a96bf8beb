/* SPDX-License-Identifier: MIT */
/* Writing PBM, PGM, PPM and PAM, raw and plain. */
#include "codec_pnm.h"
#include "codec_pnm_comments.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN_COLUMNS 70 /* a line of a plain file has no more */
#define PIECE_BYTES 8192 /* rows are converted in pieces of this size */

static enum status refuse(const struct sink *sink, const struct image *image, const char *holds,
                          struct error *error)
{
    const int channels = image->view.channels;

    return fail(error, STATUS_UNSUPPORTED,
                "%s: a %s holds %s, and the image has %d channel%s and a maxval of %u; name the "
                "output %s",
                sink->name, format_word(sink->format), holds, channels, channels > 1 ? "s" : "",
                image->maxval,
                channels == 1   ? ".pgm"
                : channels == 3 ? ".ppm"
                                : ".pam");
}

enum status pnm_fits(const struct sink *sink, const struct image *image, struct error *error)
{
    const int32_t channels = image->view.channels;

    if (sink->format == FORMAT_PBM && (channels != 1 || image->maxval != 1))
        return refuse(sink, image, "1 channel with a maxval of 1", error);
    if (sink->format == FORMAT_PGM && channels != 1)
        return refuse(sink, image, "1 channel", error);
    if (sink->format == FORMAT_PPM && channels != 3)
        return refuse(sink, image, "3 channels", error);
    return STATUS_OK;
}

/* The tuple types that the format defines. */
static const struct tuple_type {
    const char *name;
    int32_t channels;
    uint32_t maxval; /* 0: any */
} tuple_types[] = {
    {"BLACKANDWHITE", 1, 1}, {"GRAYSCALE", 1, 0}, {"GRAYSCALE_ALPHA", 2, 0},
    {"RGB", 3, 0},           {"RGB_ALPHA", 4, 0}, {"BLACKANDWHITE_ALPHA", 2, 1},
};

static bool fits(const struct tuple_type *type, const struct image *image)
{
    return type->channels == image->view.channels &&
           (type->maxval == 0 || type->maxval == image->maxval);
}

/* A PAM's own type, or none if it had none, since then nobody has said what its channels are. For
 * other formats, and where a known type does not fit, the first known one that does. */
static const char *tuple_type_of(const struct image *image)
{
    const size_t count = sizeof tuple_types / sizeof *tuple_types;
    bool keep = image->format == FORMAT_PAM;

    for (size_t i = 0; i < count; i++)
        if (strcmp(tuple_types[i].name, image->tuple_type) == 0)
            keep = fits(&tuple_types[i], image);
    if (keep)
        return image->tuple_type;
    for (size_t i = 0; i < count; i++)
        if (fits(&tuple_types[i], image))
            return tuple_types[i].name;
    return "";
}

static enum status write_header(const struct sink *sink, const struct image *image,
                                struct error *error)
{
    const long long width = image->view.width, height = image->view.height;
    const int digit = 1 + (int)sink->format + (sink->options.plain ? 0 : 3);
    const char *type = tuple_type_of(image);
    char text[512];
    int length = snprintf(text, sizeof text, "P%d\n", sink->format == FORMAT_PAM ? 7 : digit);
    enum status status = sink_write(sink, text, (size_t)length, error);

    if (status == STATUS_OK)
        status = pnm_write_comments(sink, image, error);
    if (status != STATUS_OK)
        return status;
    if (sink->format == FORMAT_PAM)
        length = snprintf(text, sizeof text,
                          "WIDTH %lld\nHEIGHT %lld\nDEPTH %d\nMAXVAL %u\n%s%s%sENDHDR\n", width,
                          height, image->view.channels, image->maxval, *type ? "TUPLTYPE " : "",
                          type, *type ? "\n" : "");
    else if (sink->format == FORMAT_PBM)
        length = snprintf(text, sizeof text, "%lld %lld\n", width, height);
    else
        length = snprintf(text, sizeof text, "%lld %lld\n%u\n", width, height, image->maxval);
    return sink_write(sink, text, (size_t)length, error);
}

/* A PBM's bits are 1 for black, in memory 1 is white. The last byte is filled up with zeros. */
static enum status write_packed(const struct sink *sink, const uint8_t *samples, int64_t count,
                                struct error *error)
{
    uint8_t piece[PIECE_BYTES];
    const int64_t room = 8 * sizeof piece;
    enum status status = STATUS_OK;

    for (int64_t done = 0; done < count && status == STATUS_OK; done += room) {
        const int64_t now = count - done < room ? count - done : room;
        const size_t bytes = (size_t)(now + 7) / 8;

        memset(piece, 0, bytes);
        for (int64_t i = 0; i < now; i++)
            piece[i / 8] = (uint8_t)(piece[i / 8] | !samples[done + i] << (7 - i % 8));
        status = sink_write(sink, piece, bytes, error);
    }
    return status;
}

/* Writes value's digits in front of end and returns where they begin. */
static char *digits_before(char *end, uint32_t value)
{
    do
        *--end = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    return end;
}

/* Numbers with blanks between them, in PBM without; every row begins a new line. */
static enum status write_plain_row(const struct sink *sink, const struct image *image, int64_t y,
                                   struct error *error)
{
    const bool bits = sink->format == FORMAT_PBM;
    const void *row = image_row(image, y);
    char line[PLAIN_COLUMNS + 1], number[16];
    size_t used = 0;
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < image->view.width * image->view.channels && status == STATUS_OK; i++) {
        const uint32_t sample =
            image->view.sample_bytes == 1 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
        const char *digits = digits_before(number + sizeof number, bits ? !sample : sample);
        const size_t length = (size_t)(number + sizeof number - digits);
        const bool blank = used > 0 && !bits;

        if (used + blank + length > PLAIN_COLUMNS) {
            line[used] = '\n';
            status = sink_write(sink, line, used + 1, error);
            used = 0;
        } else if (blank) {
            line[used++] = ' ';
        }
        memcpy(line + used, digits, length);
        used += length;
    }
    line[used] = '\n';
    return status == STATUS_OK ? sink_write(sink, line, used + 1, error) : status;
}

static enum status write_raw_u16(const struct sink *sink, const uint16_t *samples, int64_t count,
                                 struct error *error)
{
    uint16_t piece[PIECE_BYTES / sizeof(uint16_t)];
    const int64_t room = sizeof piece / sizeof *piece;
    enum status status = STATUS_OK;

    for (int64_t done = 0; done < count && status == STATUS_OK; done += room) {
        const int64_t now = count - done < room ? count - done : room;

        pnm_swap_row(samples + done, now, piece);
        status = sink_write(sink, piece, (size_t)now * sizeof *piece, error);
    }
    return status;
}

static enum status write_row(const struct sink *sink, const struct image *image, int64_t y,
                             struct error *error)
{
    const int64_t samples = image->view.width * image->view.channels;

    if (sink->options.plain)
        return write_plain_row(sink, image, y, error);
    if (sink->format == FORMAT_PBM)
        return write_packed(sink, image_row(image, y), samples, error);
    if (image->view.sample_bytes == 2)
        return write_raw_u16(sink, image_row(image, y), samples, error);
    return sink_write(sink, image_row(image, y), (size_t)samples, error);
}

enum status pnm_begin(struct sink *sink, const struct image *about, struct error *error)
{
    const enum status status = write_header(sink, about, error);

    sink->order = ROWS_IN_ORDER;
    return status == STATUS_OK && sink_takes_bands(sink) ? pnm_place(sink, about, error) : status;
}

enum status pnm_put(struct sink *sink, int64_t first, int64_t count, const struct image *image,
                    int64_t from, struct error *error)
{
    enum status status = STATUS_OK;

    if (sink->order == ROWS_IN_ANY_ORDER)
        return pnm_put_columns(sink, first, count, 0, image, from, error);
    for (int64_t i = 0; i < count && status == STATUS_OK; i++)
        status = write_row(sink, image, from + i, error);
    return status;
}

enum status pnm_end(struct sink *sink, struct error *error)
{
    return sink->order == ROWS_IN_ANY_ORDER ? pnm_end_placed(sink, error) : STATUS_OK;
}

void pnm_discard(struct sink *sink)
{
    free(sink->writing);
    sink->writing = NULL;
}
