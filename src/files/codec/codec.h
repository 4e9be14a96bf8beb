/* SPDX-License-Identifier: MIT */
/* Files to images and back, whole or some rows at a time. A format is a row in codec.c; only
 * codec_pnm.c knows libnetpbm, only codec_png*.c know libpng. Input is chosen by content, output by
 * name. */
#ifndef SMOOTHIMG_CODEC_H
#define SMOOTHIMG_CODEC_H

#include "error.h"
#include "image.h"
#include "metadata.h"
#include "progress.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SOURCE_HEAD_BYTES 8 /* what a codec may look at to recognise its files: PNG's signature */

/* More than real images have. A row must fit in memory before its samples have come. */
#define MAX_SIDE_DEFAULT ((int64_t)1 << 24)
#define MAX_CHANNELS_DEFAULT ((int64_t)1 << 12)

/* How the rows of an image may be asked for, or given. */
enum row_order {
    ROWS_IN_ORDER,    /* each once, from the top, one call at a time */
    ROWS_AT_ONCE,     /* all of them in one call */
    ROWS_IN_ANY_ORDER /* several calls at the same time, by several threads */
};

/* An open input. */
struct source {
    FILE *file;
    char *buffer;             /* owned: of the file's stream */
    const char *name;         /* for messages; standard input is "standard input" */
    int64_t file_bytes;       /* length of a regular file; -1 if unknown (a pipe) */
    int64_t max_pixels;       /* --max-pixels: width x height that a header may promise */
    int64_t max_side;         /* --max-side: width or height that a header may promise */
    int64_t max_channels;     /* --max-channels: samples in a pixel, likewise */
    int64_t max_metadata;     /* --max-metadata: bytes that are kept at most; 0: nothing is */
    int64_t images;           /* read so far */
    struct metadata metadata; /* of the image in work, or the last one */
    const struct codec *codec;
    void *reading;        /* the codec's own: the image in work */
    enum row_order order; /* of its rows */
};

/* The size of zlib's level 6 in the time of its level 1, on photographs and smoothed pictures. */
#define PNG_LEVEL_DEFAULT 1

struct write_options {
    bool plain;    /* Netpbm's plain (text) forms */
    bool scale;    /* PNG: stretch an odd maxval over the file's whole range */
    int png_level; /* 0..9: 1 is made for pictures, the others are zlib's */
    int threads;   /* at most so many at once; 0 counts as 1 */
    bool checksum; /* add the samples up in sink.checksum */
};

/* An open output: images are written to it one after the other. */
struct sink {
    FILE *file;
    const char *name; /* for messages */
    enum format format;
    bool own_file;  /* a regular file that nobody else writes: rows may be placed anywhere in it */
    int64_t images; /* written so far */
    struct write_options options;
    _Atomic uint64_t checksum;    /* of all rows so far, if asked for: see checksum.h */
    int64_t rows_before;          /* in the images before the one in work */
    int64_t width, height;        /* of the image in work */
    struct progress_share *share; /* told of each row that is written; NULL: nobody is */
    int64_t share_row;            /* bytes of the input that a row counts for */
    void *writing;                /* the codec's own: the image in work */
    enum row_order order;         /* of its rows */
    int64_t unit;                 /* in any order, rows are put by multiples of so many */
    int64_t lead;                 /* and with so many rows above them, as far as the image goes */
};

/* What a sink that takes rows in any order wants of those who bring them. */
struct sink_wants {
    int64_t unit, lead; /* as in struct sink */
    int64_t bytes;      /* of memory that a call of sink_rows takes, about */
};

struct codec {
    const char *name; /* "PNM", "PNG" */
    /* Is this its kind of file, by the first bytes (fewer than SOURCE_HEAD_BYTES in a short file)?
     */
    bool (*recognises)(const unsigned char *head, size_t bytes);
    /* Reads the header at the stream's position, and checks what it promises. *about becomes the
     * image without its samples; source->reading and source->order are set. */
    enum status (*open)(struct source *source, struct image *about, struct error *error);
    /* Reads rows first..first+count-1 into the rows of *image from `to` on. */
    enum status (*read)(const struct source *source, int64_t first, int64_t count,
                        const struct image *image, int64_t to, struct error *error);
    /* Of those rows, the columns from `column` on, as many as *image has. NULL: it cannot. Only
     * where rows can be read in any order, and in the same way. */
    enum status (*read_columns)(const struct source *source, int64_t first, int64_t count,
                                int64_t column, const struct image *image, int64_t to,
                                struct error *error);
    /* After the last row: takes the stream to the image's end. */
    enum status (*finish)(struct source *source, struct error *error);
    /* Frees source->reading. */
    void (*drop)(struct source *source);
    /* Sets *more: does another image follow in the stream? */
    enum status (*more)(struct source *source, bool *more, struct error *error);

    /* For a sink that takes bands: what images like *about will want. */
    struct sink_wants (*wants)(const struct sink *sink, const struct image *about);
    /* Writes the header of *about, an image with or without samples; sets sink->writing,
     * sink->order, sink->unit and sink->lead. */
    enum status (*begin)(struct sink *sink, const struct image *about, struct error *error);
    /* Writes rows `from`.. of *image as rows first..first+count-1. In any order, first must be a
     * multiple of sink->unit, and so must count, but at the image's end; and in *image there must
     * be sink->lead rows above row `from`, or all that the image has. */
    enum status (*put)(struct sink *sink, int64_t first, int64_t count, const struct image *image,
                       int64_t from, struct error *error);
    /* The rows of *image are parts of wider ones, from `column` on. NULL: it cannot. Only in any
     * order; there is no lead then. */
    enum status (*put_columns)(struct sink *sink, int64_t first, int64_t count, int64_t column,
                               const struct image *image, int64_t from, struct error *error);
    /* After the last row. */
    enum status (*end)(struct sink *sink, struct error *error);
    /* Frees sink->writing. */
    void (*discard)(struct sink *sink);
    /* Can the sink's format hold the image, as the next one? STATUS_UNSUPPORTED with a remedy. */
    enum status (*fits)(const struct sink *sink, const struct image *image, struct error *error);
};

extern const struct codec codec_pnm, codec_png;

/* What messages call an input: "standard input" for "-", else its path. */
const char *source_name(const char *path);

/* Opens path ("-": standard input) and finds the codec by the first bytes; the limits that are not
 * given have their defaults, and the caller may change them. STATUS_INPUT if it
 * cannot be opened or is no image, STATUS_UNSUPPORTED if it is an image of another kind (JPEG, TIFF
 * ...).
 */
enum status source_open(struct source *source, const char *path, int64_t max_pixels,
                        struct error *error);

/* Reads the next header. *found is false once the stream has ended; a stream without a single image
 * is an error. *about is the image without its samples (no memory): its rows can be read now, in
 * source->order, until source_finish. */
enum status source_begin(struct source *source, struct image *about, bool *found,
                         struct error *error);

/* Reads rows first..first+count-1 into the rows of *image from `to` on, and checks their samples.
 * Borders are left alone. */
enum status source_read(const struct source *source, int64_t first, int64_t count,
                        const struct image *image, int64_t to, struct error *error);

/* Can parts of rows be read from the image that was begun? */
bool source_has_columns(const struct source *source);

/* As source_read, but only columns column..: as many as *image has. */
enum status source_read_columns(const struct source *source, int64_t first, int64_t count,
                                int64_t column, const struct image *image, int64_t to,
                                struct error *error);

/* Where threads have read an image in any order, and one has met a fault, which of several it was
 * is chance. Reads the image from the top, and puts the first fault, always the same, in the place
 * of that one. Returns STATUS_INPUT. */
enum status source_first_fault(struct source *source, const struct shape *shape,
                               struct error *error);

/* After the last row; the image's metadata is complete then. */
enum status source_finish(struct source *source, struct error *error);

/* All of the image that was begun: allocates *image with room for a border, left unfilled, reads
 * every row, by several threads if it can, and finishes. The caller frees *image, which is empty on
 * failure. */
enum status source_load(struct source *source, const struct image *about, int64_t halo, int threads,
                        struct image *image, struct error *error);

/* source_begin and source_load in one. *image is empty where none is found. */
enum status source_next(struct source *source, int64_t halo, struct image *image, bool *found,
                        struct error *error);

/* Closes the file, and drops an image that was begun. */
void source_close(struct source *source);

/* Could path, a regular file, be an image, by its content? For folders: opens, looks at the first
 * bytes, closes. STATUS_INPUT if that cannot be found out. */
enum status source_recognise(const char *path, bool *is_image, struct error *error);

/* Can sink->format hold the image, or one of its size, channels and maxval? STATUS_UNSUPPORTED if
 * it cannot: to be asked before any work is done. */
enum status sink_check(const struct sink *sink, const struct image *image, struct error *error);

/* Will images of the sink's format take their rows in any order? */
bool sink_takes_bands(const struct sink *sink);

/* If they do: what they will want for an image like *about. */
struct sink_wants sink_wants(const struct sink *sink, const struct image *about);

/* Begins an image of the kind of *about; sink->format says how. Checks it first. */
enum status sink_begin(struct sink *sink, const struct image *about, struct error *error);

/* Writes rows `from`.. of *image as rows first..first+count-1 of the image that was begun. The
 * bytes of the file do not depend on how the rows are put. */
enum status sink_rows(struct sink *sink, int64_t first, int64_t count, const struct image *image,
                      int64_t from, struct error *error);

/* Does a sink that takes bands also take parts of rows? Not where it adds up a checksum of rows. */
bool sink_has_columns(const struct sink *sink);

/* As sink_rows, but the rows of *image are parts of wider ones, from `column` on. */
enum status sink_put_columns(struct sink *sink, int64_t first, int64_t count, int64_t column,
                             const struct image *image, int64_t from, struct error *error);

/* After the last row. */
enum status sink_end(struct sink *sink, struct error *error);

/* Frees what an image that was begun and not ended has taken. Harmless at any time. */
void sink_discard(struct sink *sink);

/* Writes one image: all of the above, by options.threads threads where that helps. */
enum status sink_put(struct sink *sink, const struct image *image, struct error *error);

/* What stands behind the last dot of a file's name, or NULL if it has no dot, or only a first. */
const char *format_extension(const char *path);

/* The format that an extension asks for, in any case: true and *format, or false if it is not
 * known. "pnm" leaves the choice among the Netpbm formats to the image: see format_natural;
 * before there is an image (NULL) it counts as PAM, which holds any. */
bool format_of_extension(const char *extension, const struct image *image, enum format *format);

/* Has the file a name of one of these extensions? */
bool format_is_named(const char *path);

/* The Netpbm format that fits the image: PBM if it was read from one, PGM, PPM, or PAM. */
enum format format_natural(const struct image *image);

/* "PBM", "PGM", "PPM", "PAM", "PNG". */
const char *format_word(enum format format);

/* Of the libpng in use: "1.6.39". */
const char *codec_png_version(void);

/* The rest is for codecs. */

/* Looks at the next bytes without taking them. Returns how many there are: fewer than
 * SOURCE_HEAD_BYTES only where the stream ends. */
size_t source_peek(struct source *source, unsigned char head[SOURCE_HEAD_BYTES]);

/* Checks a header's promise before anything is allocated: sides, channels, maxval, the limits, and
 * against the bytes that the file still has, of which every row takes at least
 * min_bits_per_row. STATUS_INPUT, with the limit and its option named. */
enum status source_check_promise(const struct source *source, const struct shape *shape,
                                 double min_bits_per_row, struct error *error);

/* For a read that came short: STATUS_INPUT with the system's reason, or that the file is truncated.
 * where says in which part, such as "row 17 of 1280". */
enum status source_short(const struct source *source, const char *where, struct error *error);

/* Writes the bytes, or fails with STATUS_OUTPUT and the system's reason. */
enum status sink_write(const struct sink *sink, const void *bytes, size_t count,
                       struct error *error);

#endif
