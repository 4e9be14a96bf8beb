/* SPDX-License-Identifier: MIT */
/* What a format implements, and what the formats share. A format is a row of the table in codec.c.
 * Only pnm/ includes libnetpbm's headers, only png/ libpng's, only tiff/ libtiff's, and only these
 * two zlib's. */
#ifndef SMOOTHIMG_CODEC_H
#define SMOOTHIMG_CODEC_H

#include "src/files/codec/image_reader.h"
#include "src/files/codec/image_writer.h"

#define FORMAT_HEAD_BYTES 8 /* enough to recognise every format: the length of PNG's signature */

struct codec {
    const char *name; /* "PNM", "PNG", "NPY", "TIFF" */
    bool floats;      /* FLOAT_SAMPLES can be read and written */
    /* Is this the beginning of such a file? bytes is less than FORMAT_HEAD_BYTES for a shorter
     * file. */
    bool (*recognises)(const unsigned char *head, size_t bytes);
    /* Reads and checks the header at the stream's position. Fills *header, an image without
     * samples, and sets reader->reading and reader->order. */
    enum status (*open)(struct image_reader *reader, struct image *header, struct error *error);
    /* As image_reader_read. */
    enum status (*read)(const struct image_reader *reader, int64_t first, int64_t count,
                        const struct image *image, int64_t to, struct error *error);
    /* As image_reader_read_columns, where rows can be read in any order. NULL: not supported. */
    enum status (*read_columns)(const struct image_reader *reader, int64_t first, int64_t count,
                                int64_t column, const struct image *image, int64_t to,
                                struct error *error);
    /* After the last row: moves the stream to the image's end. */
    enum status (*finish)(struct image_reader *reader, struct error *error);
    /* Frees reader->reading. */
    void (*drop)(struct image_reader *reader);
    /* Sets *more: does another image follow in the stream? */
    enum status (*more)(struct image_reader *reader, bool *more, struct error *error);
    /* Frees reader->kept, which is not NULL. NULL: the codec keeps nothing. */
    void (*close)(struct image_reader *reader);

    /* As image_writer_requirements. */
    struct write_requirements (*requirements)(const struct image_writer *writer,
                                              const struct image *header);
    /* Writes the header of *header, an image with or without samples. Sets writer->writing and
     * writer->order. */
    enum status (*begin)(struct image_writer *writer, const struct image *header,
                         struct error *error);
    /* As image_writer_rows. */
    enum status (*put)(struct image_writer *writer, int64_t first, int64_t count,
                       const struct image *image, int64_t from, struct error *error);
    /* After the last row. */
    enum status (*end)(struct image_writer *writer, struct error *error);
    /* Frees writer->writing. */
    void (*discard)(struct image_writer *writer);
    /* Frees writer->kept, which is not NULL. NULL: the codec keeps nothing. */
    void (*close_writer)(struct image_writer *writer);
    /* As image_writer_check. */
    enum status (*supports)(const struct image_writer *writer, const struct image *image,
                            struct error *error);
};

extern const struct codec codec_npy, codec_pnm, codec_png, codec_tiff;

/* The codec that writes a format. */
const struct codec *codec_of_format(enum format format);

/* The version of the libpng in use, "1.6.39"; of libtiff, "4.5.0" up to the end of a line, or
 * NULL if it is not built in; of zlib. libnetpbm has none. */
const char *codec_png_version(void);
const char *codec_tiff_version(void);
const char *codec_zlib_version(void);

/* Copies the next bytes of the stream without consuming them. Returns their number, which is less
 * than FORMAT_HEAD_BYTES only at the end of the stream. */
size_t image_reader_peek(struct image_reader *reader, unsigned char head[FORMAT_HEAD_BYTES]);

/* Checks what a header declares, before anything is allocated: sides, channels, maxval, the
 * reader's limits, and the length of the file, in which every row takes at least min_bits_per_row.
 * STATUS_INPUT; the message names the limit and its option. */
enum status image_reader_check_header(const struct image_reader *reader, const struct shape *shape,
                                      double min_bits_per_row, struct error *error);

/* After a short read: STATUS_INPUT with the system's reason, or that the file is truncated. where
 * names the part, such as "row 17 of 1280". */
enum status image_reader_short(const struct image_reader *reader, const char *where,
                               struct error *error);

/* Writes the bytes. STATUS_OUTPUT with the system's reason on failure. */
enum status image_writer_write(const struct image_writer *writer, const void *bytes, size_t count,
                               struct error *error);

#endif
