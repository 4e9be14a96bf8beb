/* SPDX-License-Identifier: MIT */
/* Writes PBM, PGM, PPM and PAM, raw (binary) and plain (text). */
#include "src/files/codec/pnm/pnm.h"
#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"

#include <string.h>

#define PLAIN_COLUMNS 70 /* longest line of a plain file */
#define PIECE_BYTES 8192 /* rows of raw PBM are packed in pieces of this size */
/* The longest tuple type that is written: libnetpbm reads at most 255 bytes of a line. */
#define TYPE_BYTES 245

/* PAM's comments are split into lines of this length. Readers such as libnetpbm read 255 bytes of a
 * line, and mistake the rest of a longer line for the next line of the header. */
#define PAM_LINE_BYTES 250

static enum status refuse(const struct image_writer *writer, const struct image *image,
                          const char *holds, struct error *error)
{
    const int channels = image->view.channels;

    return fail(error, STATUS_UNSUPPORTED,
                "%s: %s holds %s, but the image has %d channel%s and a maxval of %u; name the "
                "output %s",
                writer->name, format_word(writer->format), holds, channels, channels > 1 ? "s" : "",
                image->maxval,
                channels == 1   ? ".pgm"
                : channels == 3 ? ".ppm"
                                : ".pam");
}

static enum status prepare(struct image_writer *writer, const struct image *image,
                           struct error *error)
{
    const int32_t channels = image->view.channels;

    if (writer->format == FORMAT_PBM && (channels != 1 || image->maxval != 1))
        return refuse(writer, image, "1 channel with a maxval of 1", error);
    if (writer->format == FORMAT_PGM && channels != 1)
        return refuse(writer, image, "1 channel", error);
    if (writer->format == FORMAT_PPM && channels != 3)
        return refuse(writer, image, "3 channels", error);
    writer->bytes = raw_codec_bytes(image);
    return STATUS_OK;
}

/* The tuple types that the PAM specification defines. */
static const struct tuple_type {
    const char *name;
    int32_t channels;
    uint32_t maxval; /* 0: any */
} tuple_types[] = {
    {"BLACKANDWHITE", 1, 1}, {"GRAYSCALE", 1, 0}, {"GRAYSCALE_ALPHA", 2, 0},
    {"RGB", 3, 0},           {"RGB_ALPHA", 4, 0}, {"BLACKANDWHITE_ALPHA", 2, 1},
};

static bool matches(const struct tuple_type *type, const struct image *image)
{
    return type->channels == image->view.channels &&
           (type->maxval == 0 || type->maxval == image->maxval);
}

/* Returns the tuple type to write. An image from PAM keeps its type, or the lack of one, unless the
 * specification defines that type for other images. All other images get the first type of
 * tuple_types[] that matches, or none. */
static const char *tuple_type_of(const struct image *image)
{
    const size_t count = sizeof tuple_types / sizeof *tuple_types;
    bool keep = image->format == FORMAT_PAM;

    for (size_t i = 0; i < count; i++)
        if (strcmp(tuple_types[i].name, image->tuple_type) == 0)
            keep = matches(&tuple_types[i], image);
    if (keep)
        return image->tuple_type;
    for (size_t i = 0; i < count; i++)
        if (matches(&tuple_types[i], image))
            return tuple_types[i].name;
    return "";
}

/* Prints the lines of a PAM header that follow its comments. Returns the length of these lines. */
static int print_pam(char *text, size_t room, const struct image *image)
{
    const char *type = tuple_type_of(image);
    char line[TYPE_BYTES + 16] = "";

    if (*type && strlen(type) <= TYPE_BYTES)
        snprintf(line, sizeof line, "TUPLTYPE %s\n", type);
    return snprintf(text, room, "WIDTH %lld\nHEIGHT %lld\nDEPTH %d\nMAXVAL %u\n%sENDHDR\n",
                    (long long)image->view.width, (long long)image->view.height,
                    image->view.channels, image->maxval, line);
}

static bool ends_line(uint8_t byte)
{
    return byte == '\n' || byte == '\r';
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

/* Writes a row of raw PBM: 1 is black in the file and white in memory. The last byte is padded with
 * zeros. */
static enum status write_packed(const struct image_writer *writer, const struct image *image,
                                int64_t y, struct error *error)
{
    const int64_t count = image->view.width, room = 8 * PIECE_BYTES;
    const uint8_t *samples = image_row(image, y);
    uint8_t piece[PIECE_BYTES];
    enum status status = STATUS_OK;

    for (int64_t done = 0; done < count && status == STATUS_OK; done += room) {
        const int64_t now = min(count - done, room);
        const size_t bytes = (size_t)(now + 7) / 8;

        memset(piece, 0, bytes);
        for (int64_t i = 0; i < now; i++)
            piece[i / 8] = (uint8_t)(piece[i / 8] | !samples[done + i] << (7 - i % 8));
        status = image_writer_write(writer, piece, bytes, error);
    }
    return status;
}

/* Writes the digits of value, ending before `end`. Returns their beginning. */
static char *digits_before(char *end, uint32_t value)
{
    do
        *--end = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    return end;
}

/* Writes row y as numbers. A blank separates two numbers, except in PBM. Every row begins on a new
 * line. */
static enum status write_plain(const struct image_writer *writer, const struct image *image,
                               int64_t y, struct error *error)
{
    const bool bits = writer->format == FORMAT_PBM;
    const void *row = image_row(image, y);
    char line[PLAIN_COLUMNS + 1], number[16];
    size_t used = 0;
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < image->view.width * image->view.channels && status == STATUS_OK; i++) {
        const uint32_t sample = row_get(row, image->view.sample_bytes, i);
        const char *digits = digits_before(number + sizeof number, bits ? !sample : sample);
        const size_t length = (size_t)(number + sizeof number - digits);
        const bool blank = used > 0 && !bits;

        if (used + blank + length > PLAIN_COLUMNS) {
            line[used] = '\n';
            status = image_writer_write(writer, line, used + 1, error);
            used = 0;
        } else if (blank) {
            line[used++] = ' ';
        }
        memcpy(line + used, digits, length);
        used += length;
    }
    line[used] = '\n';
    return status == STATUS_OK ? image_writer_write(writer, line, used + 1, error) : status;
}

/* Writes the header, and begins the raster. The image's comments become lines after the magic
 * number, where every reader skips them. */
static enum status begin(struct image_writer *writer, const struct image *header,
                         struct error *error)
{
    const long long width = header->view.width, height = header->view.height;
    const struct metadata *metadata = header->metadata;
    struct raw_place *place = writer->writing;
    const int digit = 1 + (int)writer->format + (writer->options.plain ? 0 : 3);
    char text[512];
    int length = snprintf(text, sizeof text, "P%d\n", writer->format == FORMAT_PAM ? 7 : digit);
    enum status status = image_writer_write(writer, text, (size_t)length, error);

    for (size_t i = 0; metadata && i < metadata->count && status == STATUS_OK; i++)
        if (strcmp(metadata->items[i].name, METADATA_COMMENT) == 0)
            status = write_comment(writer, &metadata->items[i], error);
    if (status != STATUS_OK)
        return status;
    if (writer->format == FORMAT_PAM)
        length = print_pam(text, sizeof text, header);
    else if (writer->format == FORMAT_PBM)
        length = snprintf(text, sizeof text, "%lld %lld\n", width, height);
    else
        length = snprintf(text, sizeof text, "%lld %lld\n%u\n", width, height, header->maxval);
    status = image_writer_write(writer, text, (size_t)length, error);
    place->big_endian = true;
    place->write_row = writer->options.plain          ? write_plain
                       : writer->format == FORMAT_PBM ? write_packed
                                                      : NULL;
    return status == STATUS_OK ? raw_codec_begin(writer, error) : status;
}

const struct encoder pnm_encoder = {
    .writing_bytes = sizeof(struct raw_place),
    .prepare = prepare,
    .begin = begin,
    .put = raw_codec_put,
    .end = raw_codec_end,
};
