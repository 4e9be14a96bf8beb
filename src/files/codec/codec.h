/* SPDX-License-Identifier: MIT */
/* Writes the images of a file one after the other, whole or some rows at a time. The second half of
 * this file is for the codecs, one for each format: the functions that each codec implements, and
 * functions that all codecs share. */
#ifndef SMOOTHIMG_CODEC_H
#define SMOOTHIMG_CODEC_H

#include "src/files/codec/format.h"
#include "src/files/codec/rows/turns.h"
#include "src/lib/base/error.h"
#include "src/files/codec/image_reader.h"

#include <stdio.h>

/* This program's level 1 is not zlib's: it is tuned for smoothed images (png/block.c). Its files
 * are as small as with zlib's level 6, and take less time than with zlib's level 1. */
#define PNG_LEVEL_DEFAULT 1

/* The default quality of JPEG: the loss is hard to see, and the files are a third as large as with
 * quality 100. */
#define QUALITY_DEFAULT 95

enum tiff_compression {
    TIFF_COMPRESSION_AS_INPUT, /* deflate if the input is a compressed TIFF; else none */
    TIFF_COMPRESSION_NONE,
    TIFF_COMPRESSION_DEFLATE
};

struct write_options {
    enum tiff_compression tiff_compression;
    bool plain; /* Netpbm: write the plain (text) form */
    /* PNG: scale samples from 0..maxval to the full range of the file's depth. */
    bool scale;
    int64_t png_level; /* 0..9, as zlib's; for 1 see PNG_LEVEL_DEFAULT */
    int64_t quality;   /* JPEG: 1..100, on libjpeg's scale; 0 means QUALITY_DEFAULT */
    int threads;       /* threads for image_writer_put; 0 means 1 */
};

struct image_writer {
    FILE *file;
    const char *name; /* for messages; not owned */
    enum format format;
    bool own_file;          /* the output is a regular file that only this process writes */
    int64_t images;         /* images written so far */
    bool stack;             /* NPY: the images become the planes of one array */
    int64_t planes;         /* NPY: how many planes there will be; 0: unknown */
    bool input_compressed;  /* TIFF: the input is a compressed TIFF */
    int64_t expected_bytes; /* TIFF: estimated bytes of all images' samples; 0: unknown */
    struct write_options options;
    /* The current image, without samples: `header` describes it as it is in memory, `written` as it
     * is in the file. */
    struct image header, written;
    /* Called after each write of rows, by any thread, with the number of bytes that their samples
     * have in memory; or NULL. */
    void (*on_rows)(void *context, int64_t bytes);
    void *context;
    void *kept; /* owned: the encoder's state that lasts for the whole file; or NULL */
    /* owned: the encoder's state for the current image; NULL: there is no image. */
    void *writing;
    struct turns turns; /* if `encodes`: encoded blocks that wait to be written */
    /* Set by image_writer_prepare, for the image that it has checked. */
    bool takes_bands;   /* rows may be written in any order */
    bool encodes;       /* any thread encodes a block of rows; blocks are written in their order */
    int64_t block_rows; /* if `takes_bands` or `encodes`: rows are written in multiples of this */
    int64_t bytes;      /* approximate bytes of memory for a call of image_writer_rows */
};

/* Returns STATUS_UNSUPPORTED, with a remedy, if the output cannot hold *image as its next image.
 * Sets how the rows of such an image may be written. *image needs no samples. */
enum status image_writer_prepare(struct image_writer *writer, const struct image *image,
                                 struct error *error);

/* Calls image_writer_prepare, and begins an image like *header, which needs no samples. */
enum status image_writer_begin(struct image_writer *writer, const struct image *header,
                               struct error *error);

/* Writes rows from..from+count-1 of *image as rows first..first+count-1 of the current image. If
 * writer->takes_bands or `encodes` is set, several threads may call it at once, in any order; first
 * and count are then multiples of writer->block_rows (count may be less at the image's end).
 * Otherwise the rows come in order, by one call at a time. The file's bytes do not depend on how
 * the rows are divided. */
enum status image_writer_rows(struct image_writer *writer, int64_t first, int64_t count,
                              const struct image *image, int64_t from, struct error *error);

/* Ends the image that image_writer_begin has begun, or has failed to begin. If status is STATUS_OK,
 * all rows must have been written: this call then completes the image in the file, and returns
 * whether that succeeded. Otherwise it only frees the image's state, and returns `status`. */
enum status image_writer_end(struct image_writer *writer, enum status status, struct error *error);

/* Frees the state for the file, if there is any. Called after the last image, or after a failure.
 */
void image_writer_close(struct image_writer *writer);

/* Writes a whole image with options.threads threads: does what image_writer_begin,
 * image_writer_rows and image_writer_end do. */
enum status image_writer_put(struct image_writer *writer, const struct image *image,
                             struct error *error);

/* --- For the codecs, and for the code that calls them. */

#define ZLIB_BYTES (1 << 19) /* approximate memory of a deflate stream */
/* Enough bytes to recognise every format: the length of PNG's signature. */
#define FORMAT_HEAD_BYTES 8
#define MOST_MAGICS 7 /* maximum number of signatures of a format */

struct codec {
    /* Each file begins with one of these signatures, which have magic_bytes bytes. */
    const char *magics[MOST_MAGICS + 1];
    size_t magic_bytes;
    const char *follow; /* the byte after the signature is one of these characters; NULL: any */
    bool floats;        /* FLOAT_SAMPLES can be read and written */
    /* Returns the version of the format's library, such as "1.6.39". NULL: the format has no
     * library. */
    const char *(*version)(void);
    size_t reading_bytes; /* size of reader->reading, which starts as zeros */
    /* Reads and checks the header at the stream's position. Fills *header, an image without
     * samples, and sets reader->order. */
    enum status (*open)(struct image_reader *reader, struct image *header, struct error *error);
    /* Reads rows first..first+count-1 into *image, from row `to` of *image on, for
     * image_reader_read. */
    enum status (*read)(const struct image_reader *reader, int64_t first, int64_t count,
                        const struct image *image, int64_t to, struct error *error);
    /* Moves the stream to the image's end, after its last row has been read. */
    enum status (*finish)(struct image_reader *reader, struct error *error);
    /* Frees what reader->reading owns, but not reader->reading itself. NULL: it owns nothing. */
    void (*drop)(void *reading);
    /* Sets *more to true if another image follows in the stream; the caller has set it to false.
     * Not called if reader->at_end. NULL: a file holds one image. */
    enum status (*more)(struct image_reader *reader, bool *more, struct error *error);
    /* Frees what reader->kept or writer->kept owns, but not the struct itself. NULL: it owns
     * nothing. */
    void (*close)(void *kept);
    const struct encoder *encoder;
};

/* The part of a codec that writes. */
struct encoder {
    size_t writing_bytes; /* size of writer->writing, which starts as zeros; 0: there is none */
    bool one_image;       /* a file holds a single image (NPY: or a single stack) */
    /* For image_writer_prepare. Returns STATUS_UNSUPPORTED, with a remedy, if the format cannot
     * hold *image. Sets writer->encodes, block_rows and bytes, unless they stay false, 1 and 0. */
    enum status (*prepare)(struct image_writer *writer, const struct image *image,
                           struct error *error);
    /* Writes the file's header for *header, which equals writer->written. */
    enum status (*begin)(struct image_writer *writer, const struct image *header,
                         struct error *error);
    /* Writes rows from..from+count-1 of *image as rows first..first+count-1 of the current image,
     * for image_writer_rows. Not called if writer->encodes. */
    enum status (*put)(struct image_writer *writer, int64_t first, int64_t count,
                       const struct image *image, int64_t from, struct error *error);
    /* Used if writer->encodes: any thread calls make_part to encode a block of rows, and one thread
     * at a time calls write_part to write an encoded block. */
    enum status (*make_part)(const struct image_writer *writer, int64_t first, int64_t count,
                             const struct image *image, int64_t from, struct turn_part *part,
                             struct error *error);
    write_part *write_part;
    /* Called after the last row. */
    enum status (*end)(struct image_writer *writer, struct error *error);
    /* Frees what writer->writing owns, but not writer->writing itself. NULL: it owns nothing. */
    void (*discard)(void *writing);
};

extern const struct codec codec_npy, codec_pnm, codec_png, codec_tiff, codec_jpeg;
extern const struct encoder pnm_encoder, png_encoder, tiff_encoder, jpeg_encoder;

/* The codec of each format. */
extern const struct codec *const codecs[FORMAT_JPEG + 1];

/* Returns the codec for a file that begins with head[0..bytes-1], or NULL if there is none. `bytes`
 * is FORMAT_HEAD_BYTES, or less if the file is shorter. */
const struct codec *codec_find(const unsigned char *head, size_t bytes);

/* Copies the stream's next FORMAT_HEAD_BYTES bytes without consuming them. Returns how many it has
 * copied: fewer only if the stream ends or cannot be read. */
size_t image_reader_peek(struct image_reader *reader, unsigned char head[FORMAT_HEAD_BYTES]);

/* Adds a note to reader->metadata.faults if bytes follow the last image. If they are another image
 * of this format, sets reader->another, and the note is the text `another`; otherwise the note says
 * that other bytes follow. */
void image_reader_note_rest(struct image_reader *reader, const char *another);

/* Returns STATUS_INPUT if the sides, channels or maxval of a header are not supported or exceed the
 * reader's limits, or if the rest of the file is too short for rows of min_bits_per_row bits. The
 * message names an exceeded limit and its option. Codecs call this function before they allocate
 * memory for rows. */
enum status image_reader_check_header(const struct image_reader *reader, const struct shape *shape,
                                      double min_bits_per_row, struct error *error);

/* Returns STATUS_INPUT: memory has run out. */
enum status image_reader_no_memory(const struct image_reader *reader, struct error *error);

/* Keeps a copy of an item of metadata. If the metadata would then exceed reader->max_metadata,
 * returns STATUS_INPUT instead. If that limit is 0, keeps only the orientation of EXIF or TIFF.
 * `what` names the item for messages, such as "the chunk iCCP". */
enum status image_reader_keep(struct image_reader *reader, const char *name, const char *what,
                              const void *bytes, size_t count, struct error *error);

/* Returns the error for a short read: STATUS_INPUT with the system's reason, or "truncated".
 * `where` names the part, such as "row 17 of 1280". */
enum status image_reader_short(const struct image_reader *reader, const char *where,
                               struct error *error);

/* Writes the bytes. After a failure returns STATUS_OUTPUT with the system's reason. */
enum status image_writer_write(const struct image_writer *writer, const void *bytes, size_t count,
                               struct error *error);

/* Returns STATUS_OUTPUT with the system's reason (errno). */
enum status image_writer_failed(const struct image_writer *writer, struct error *error);

/* Returns STATUS_OUTPUT: memory has run out. */
enum status image_writer_no_memory(const struct image_writer *writer, struct error *error);

#endif
