/* SPDX-License-Identifier: MIT */
/* Files to images and back. A format is a row in codec.c; only codec_pnm.c knows libnetpbm, only
 * codec_png.c and codec_png_write.c know libpng. Input is chosen by content, output by name. */
#ifndef SMOOTHIMG_CODEC_H
#define SMOOTHIMG_CODEC_H

#include "error.h"
#include "image.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SOURCE_HEAD_BYTES 8 /* what a codec may look at to recognise its files: PNG's signature */

/* An open input. */
struct source {
    FILE *file;
    char *buffer;       /* owned: of the file's stream */
    const char *name;   /* for messages; standard input is "standard input" */
    int64_t file_bytes; /* length of a regular file; -1 if unknown (a pipe) */
    int64_t max_pixels; /* --max-pixels: width x height that a header may promise */
    int64_t images;     /* read so far */
    const struct codec *codec;
};

/* The size of zlib's level 6 in the time of its level 1, on photographs and smoothed pictures. */
#define PNG_LEVEL_DEFAULT 1

struct write_options {
    bool plain;    /* Netpbm's plain (text) forms */
    bool scale;    /* PNG: stretch an odd maxval over the file's whole range */
    int png_level; /* 0..9: 1 is made for pictures, the others are zlib's */
};

/* An open output: images are written to it one after the other. */
struct sink {
    FILE *file;
    const char *name; /* for messages */
    enum format format;
    int64_t images; /* written so far */
    struct write_options options;
};

struct codec {
    const char *name; /* "PNM", "PNG" */
    /* Is this its kind of file, by the first bytes (fewer than SOURCE_HEAD_BYTES in a short file)?
     */
    bool (*recognises)(const unsigned char *head, size_t bytes);
    /* Reads the image at the stream's position into *image, allocated here with the given halo,
     * its border left unfilled. */
    enum status (*read)(struct source *source, int64_t halo, struct image *image,
                        struct error *error);
    /* Sets *more: does another image follow in the stream? */
    enum status (*more)(struct source *source, bool *more, struct error *error);
    enum status (*write)(struct sink *sink, const struct image *image, struct error *error);
    /* Can the sink's format hold the image, as the next one? STATUS_UNSUPPORTED with a remedy. */
    enum status (*fits)(const struct sink *sink, const struct image *image, struct error *error);
};

extern const struct codec codec_pnm, codec_png;

/* Opens path ("-": standard input) and finds the codec by the first bytes. STATUS_INPUT if it
 * cannot be opened or is no image, STATUS_UNSUPPORTED if it is an image of another kind (JPEG, TIFF
 * ...).
 */
enum status source_open(struct source *source, const char *path, int64_t max_pixels,
                        struct error *error);

/* Reads the next image. *found is false, and *image empty, once the stream has ended; a stream
 * without a single image is an error. The caller frees *image. */
enum status source_next(struct source *source, int64_t halo, struct image *image, bool *found,
                        struct error *error);

void source_close(struct source *source);

/* Could path be an image, by its content? For folders: opens, looks at the first bytes, closes. */
bool source_recognises(const char *path);

/* Can sink->format hold the image, or one of its size, channels and maxval? STATUS_UNSUPPORTED if
 * it cannot: to be asked before any work is done. */
enum status sink_check(const struct sink *sink, const struct image *image, struct error *error);

/* Writes one image; sink->format says how. Checks it first. */
enum status sink_put(struct sink *sink, const struct image *image, struct error *error);

/* What stands behind the last dot of a file's name, or NULL if it has no dot, or only a first. */
const char *format_extension(const char *path);

/* The format that an extension asks for, in any case: true and *format, or false if it is not
 * known. "pnm" leaves the choice among the Netpbm formats to the image: see format_natural;
 * before there is an image (NULL) it counts as PAM, which holds any. */
bool format_of_extension(const char *extension, const struct image *image, enum format *format);

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

/* Checks a header's promise before anything is allocated: sides, channels, maxval, --max-pixels,
 * and against the bytes that the file still has, of which every row takes at least
 * min_bits_per_row. STATUS_INPUT, with the limit and its option named. */
enum status source_check_promise(const struct source *source, const struct shape *shape,
                                 double min_bits_per_row, struct error *error);

/* Checks the promise and allocates the image. The caller frees *image; on failure it is empty. */
enum status source_make_image(const struct source *source, const struct shape *shape,
                              double min_bits_per_row, int64_t halo, struct image *image,
                              struct error *error);

/* For a read that came short: STATUS_INPUT with the system's reason, or that the file is truncated.
 * where says in which part, such as "row 17 of 1280". */
enum status source_short(const struct source *source, const char *where, struct error *error);

/* Writes the bytes, or fails with STATUS_OUTPUT and the system's reason. */
enum status sink_write(const struct sink *sink, const void *bytes, size_t count,
                       struct error *error);

#endif
