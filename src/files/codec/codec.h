/* SPDX-License-Identifier: MIT */
/* Writes images to a stream one after the other, whole or some rows at a time. Below: what each
 * format implements, and what formats share. Only pnm/ includes libnetpbm's headers, only png/
 * libpng's, only tiff/ libtiff's, only jpeg/ libjpeg's, and only png/ and tiff/ zlib's. */
#ifndef SMOOTHIMG_CODEC_H
#define SMOOTHIMG_CODEC_H

#include "src/files/codec/format.h"
#include "src/files/codec/rows/turns.h"
#include "src/lib/base/error.h"
#include "src/files/codec/image_reader.h"

#include <stdio.h>

/* Level 1 is made for smoothed images: files as small as by zlib's level 6, in less time than by
 * its level 1. */
#define PNG_LEVEL_DEFAULT 1

/* JPEG: the loss is hard to see, and files are a third as large as with 100. */
#define QUALITY_DEFAULT 95

enum tiff_compression {
    TIFF_COMPRESSION_AS_INPUT, /* deflate where the input is compressed TIFF; else none */
    TIFF_COMPRESSION_NONE,
    TIFF_COMPRESSION_DEFLATE
};

struct write_options {
    enum tiff_compression tiff_compression;
    bool plain;        /* Netpbm's plain (text) forms */
    bool scale;        /* PNG: scale a maxval that no depth has to the full range of the file's */
    int64_t png_level; /* 0..9, as zlib's; 1 has a strategy for images */
    int64_t quality;   /* JPEG: 1..100, by libjpeg's scale; 0 counts as QUALITY_DEFAULT */
    int threads;       /* threads of image_writer_put; 0 counts as 1 */
};

/* An open output. */
struct image_writer {
    FILE *file;
    const char *name; /* for messages; not owned */
    enum format format;
    bool own_file;  /* a regular file that no other process writes: rows may be written anywhere */
    int64_t images; /* images written so far */
    bool stack;     /* NPY: images are the planes of an array */
    int64_t planes; /* NPY: how many planes there will be; 0: unknown */
    bool input_compressed;  /* as in struct image_reader */
    int64_t expected_bytes; /* of the samples of all images, about; 0: unknown */
    struct write_options options;
    struct image header,
        written; /* the current image, without samples: in memory, and in the file */
    /* Called after each write of rows, with the bytes of their samples, by any thread; or NULL. */
    void (*on_rows)(void *context, int64_t bytes);
    void *context;
    void *kept;           /* owned: the encoder's state of the file; or NULL */
    void *writing;        /* owned: the encoder's state of the current image; NULL: none */
    struct turns turns;   /* if it encodes: the parts of the current image */
    enum row_order order; /* how the current image's rows can be written */
    int64_t block_rows;   /* in any order: rows are written in multiples of this */
    bool encodes;         /* see write_requirements */
};

/* What a writer that takes rows in any order requires of its caller. */
struct write_requirements {
    int64_t block_rows; /* as in struct image_writer */
    int64_t bytes;      /* memory that a call of image_writer_rows takes, about */
    bool encodes; /* each block of rows is encoded, by any thread, and waits for its turn to be
                   * written */
};

/* Can writer->format hold an image of this size, maxval and number of channels as the next image?
 * *image needs no samples. STATUS_UNSUPPORTED, with a remedy, if it cannot. */
enum status image_writer_check(const struct image_writer *writer, const struct image *image,
                               struct error *error);

/* Will the writer's images take their rows in any order? */
bool image_writer_takes_bands(const struct image_writer *writer);

/* If so: what an image like *header, which needs no samples, will require. */
struct write_requirements image_writer_requirements(const struct image_writer *writer,
                                                    const struct image *header);

/* Checks *header, an image with or without samples, and begins an image like it. Sets
 * writer->order and block_rows. */
enum status image_writer_begin(struct image_writer *writer, const struct image *header,
                               struct error *error);

/* Writes rows from..from+count-1 of *image as rows first..first+count-1 of the current image. If
 * writer->order is ROWS_IN_ANY_ORDER, several threads may call it at once; first and count are then
 * multiples of writer->block_rows (count may be less at the image's end). The bytes of the file do
 * not depend on how the rows are divided. */
enum status image_writer_rows(struct image_writer *writer, int64_t first, int64_t count,
                              const struct image *image, int64_t from, struct error *error);

/* After the last row. */
enum status image_writer_end(struct image_writer *writer, struct error *error);

/* Frees the state of an image that was begun and not ended. Harmless at any time. */
void image_writer_discard(struct image_writer *writer);

/* After the last image: frees what is kept from one to the next. Harmless at any time. */
void image_writer_close(struct image_writer *writer);

/* Writes one whole image with options.threads threads. */
enum status image_writer_put(struct image_writer *writer, const struct image *image,
                             struct error *error);

/* --- For the formats. */

/* Drops the current image, if there is one. */
void image_reader_drop(struct image_reader *reader);

#define ZLIB_BYTES (1 << 19) /* memory of a deflate stream, about */
#define FORMAT_HEAD_BYTES 8  /* enough to recognise every format: the length of PNG's signature */
#define MOST_MAGICS 7        /* ways in which files of a format begin */

struct codec {
    const char *magics[MOST_MAGICS + 1]; /* the first bytes of such files, magic_bytes of each */
    size_t magic_bytes;
    const char *follow; /* one of these characters is the next byte; NULL: any */
    bool floats;        /* FLOAT_SAMPLES can be read and written */
    /* The version of its library, such as "1.6.39", and of zlib, if it is PNG's; NULL: it has none,
     * as libnetpbm. */
    const char *(*version)(void);
    size_t reading_bytes; /* of reader->reading, which begins as zeros */
    /* Reads and checks the header at the stream's position. Fills *header, an image without
     * samples, and sets reader->order. */
    enum status (*open)(struct image_reader *reader, struct image *header, struct error *error);
    /* As image_reader_read. */
    enum status (*read)(const struct image_reader *reader, int64_t first, int64_t count,
                        const struct image *image, int64_t to, struct error *error);
    /* After the last row: moves the stream to the image's end. */
    enum status (*finish)(struct image_reader *reader, struct error *error);
    /* Frees what reader->reading owns, but not itself. NULL: it owns nothing. */
    void (*drop)(void *reading);
    /* Sets *more, which is false: does another image follow in the stream? NULL: none ever does. */
    enum status (*more)(struct image_reader *reader, bool *more, struct error *error);
    /* Frees what reader->kept or writer->kept owns, but not itself. NULL: it owns nothing. */
    void (*close)(void *kept);
    const struct encoder *encoder;
};

/* The part of a codec that writes. */
struct encoder {
    size_t writing_bytes; /* of writer->writing, which begins as zeros; 0: it has none */
    bool one_image;       /* a file holds no other; of NPY a stack is one */
    /* As image_writer_check. */
    enum status (*supports)(const struct image_writer *writer, const struct image *image,
                            struct error *error);
    /* As image_writer_requirements. */
    struct write_requirements (*requirements)(const struct image_writer *writer,
                                              const struct image *header);
    /* Writes the header of writer->written, which *header is too. Sets writer->order. */
    enum status (*begin)(struct image_writer *writer, const struct image *header,
                         struct error *error);
    /* As image_writer_rows, unless writer->encodes. */
    enum status (*put)(struct image_writer *writer, int64_t first, int64_t count,
                       const struct image *image, int64_t from, struct error *error);
    /* If writer->encodes: makes the part of one block; and writes it, for one thread at a time. */
    enum status (*make_part)(const struct image_writer *writer, int64_t first, int64_t count,
                             const struct image *image, int64_t from, struct turn_part *part,
                             struct error *error);
    write_part *write_part;
    /* After the last row. */
    enum status (*end)(struct image_writer *writer, struct error *error);
    /* Frees what writer->writing owns, but not itself. NULL: it owns nothing. */
    void (*discard)(void *writing);
};

extern const struct codec codec_npy, codec_pnm, codec_png, codec_tiff, codec_jpeg;
extern const struct encoder pnm_encoder, png_encoder, tiff_encoder, jpeg_encoder;

/* The codec that writes a format. */
const struct codec *codec_of_format(enum format format);

/* Is this the beginning of such a file? bytes is less than FORMAT_HEAD_BYTES for a shorter file. */
bool codec_recognises(const struct codec *codec, const unsigned char *head, size_t bytes);

/* Copies the next bytes of the stream without consuming them. Returns their number, which is less
 * than FORMAT_HEAD_BYTES only at the end of the stream. */
size_t image_reader_peek(struct image_reader *reader, unsigned char head[FORMAT_HEAD_BYTES]);

/* Adds what follows the last image to the faults of the metadata: `another`, if that is an image of
 * this format, or other bytes. */
void image_reader_note_rest(struct image_reader *reader, const char *another);

/* Checks what a header declares, before anything is allocated: sides, channels, maxval, the
 * reader's limits, and the length of the file, in which every row takes at least min_bits_per_row.
 * STATUS_INPUT; the message names the limit and its option. */
enum status image_reader_check_header(const struct image_reader *reader, const struct shape *shape,
                                      double min_bits_per_row, struct error *error);

/* STATUS_INPUT: without memory. */
enum status image_reader_no_memory(const struct image_reader *reader, struct error *error);

/* Keeps a copy of an item of metadata, within reader->max_metadata; if that is 0, the orientation
 * alone, of EXIF and TIFF. what: as of metadata_too_large. */
enum status image_reader_keep(struct image_reader *reader, const char *name, const char *what,
                              const void *bytes, size_t count, struct error *error);

/* After a short read: STATUS_INPUT with the system's reason, or that the file is truncated. where
 * names the part, such as "row 17 of 1280". */
enum status image_reader_short(const struct image_reader *reader, const char *where,
                               struct error *error);

/* Writes the bytes. STATUS_OUTPUT with the system's reason on failure. */
enum status image_writer_write(const struct image_writer *writer, const void *bytes, size_t count,
                               struct error *error);

/* The same error, after a call other than fwrite has failed. */
enum status image_writer_failed(const struct image_writer *writer, struct error *error);

/* Moves the stream to this offset. */
enum status image_writer_seek(const struct image_writer *writer, int64_t offset,
                              struct error *error);

/* STATUS_OUTPUT. */
enum status image_writer_no_memory(const struct image_writer *writer, struct error *error);

#endif
