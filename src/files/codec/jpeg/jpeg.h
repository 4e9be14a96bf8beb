/* SPDX-License-Identifier: MIT */
/* Declarations for this folder only: files elsewhere do not include libjpeg's header. */
#ifndef SMOOTHIMG_CODEC_JPEG_H
#define SMOOTHIMG_CODEC_JPEG_H

#include "src/files/codec/carried.h"
#include "src/files/codec/codec.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

/* Receives libjpeg's errors and warnings ("trouble"). */
struct jpeg_trouble {
    struct jpeg_error_mgr manager; /* first member: libjpeg passes a pointer to it */
    jmp_buf jump;                  /* set by jpeg_try */
    const char *name;              /* of the file, for messages */
    /* The status for errors; after an error, what jpeg_try returns. */
    enum status status;
    struct error *error;
    struct metadata_notes *warnings; /* takes the warnings; NULL: they are dropped */
    /* Called when libjpeg has warned of `count` bytes before a marker. Returns true if these bytes
     * are only padding: the warning is then dropped. All other warnings are errors. is_padding is
     * NULL while the header is read, and for writing: all warnings then become notes in `warnings`.
     */
    bool (*is_padding)(j_common_ptr jpeg, int count);
    char where[64]; /* the place in the input, such as "row 1 of 9", for messages */
};

/* Prepares the struct; the caller gives its `manager` to libjpeg. `status` is the status of
 * libjpeg's errors, except for errors that a file is not supported. */
void jpeg_trouble_open(struct jpeg_trouble *trouble, const char *name, enum status status);

/* Runs `work`, which calls libjpeg. libjpeg's errors jump back here, out of `work`, so `work` must
 * store in its context the pointers to all memory that it allocates. Fills *error unless jpeg_try
 * returns STATUS_OK. */
enum status jpeg_try(struct jpeg_trouble *trouble, void (*work)(void *context), void *context,
                     struct error *error);

/* Makes the current jpeg_try return this status; the caller has filled trouble->error. */
_Noreturn void jpeg_give_up(struct jpeg_trouble *trouble, enum status status);

/* Returns STATUS_UNSUPPORTED for a kind of file, such as "JPEG with CMYK". */
enum status jpeg_refuse(const char *name, const char *kind, struct error *error);

/* Keeps a copy of a segment of the header, or notes that it is left out. If no metadata is kept,
 * keeps only the orientation of EXIF. `bytes` are the `count` bytes after the segment's length.
 * Returns STATUS_INPUT if the metadata exceeds reader->max_metadata. */
enum status jpeg_segment_read(struct image_reader *reader, int marker, const uint8_t *bytes,
                              size_t count, struct error *error);

/* Completes the metadata after the header. Keeps the resolution, if there is one. Sorts the parts
 * of a profile, or drops the profile unless each part is there once. Keeps only the first EXIF.
 * Returns false if memory runs out. */
bool jpeg_segments_complete(struct image_reader *reader, const struct jpeg_decompress_struct *jpeg);

/* Writes the metadata of an image from any format, as the operations have changed it. libjpeg
 * writes JFIF's segment itself when it starts. Call this function within jpeg_try. The caller frees
 * carried->bytes, also if an error of libjpeg jumps out of this function. Returns false if memory
 * runs out. */
bool jpeg_segments_write(struct jpeg_compress_struct *jpeg, const struct image *header,
                         struct carried *carried);

/* Decides whether the output has a JFIF segment, and gives it the resolution of an image that was
 * read from JPEG. Call it before jpeg_start_compress. */
void jpeg_segments_resolution(struct jpeg_compress_struct *jpeg, const struct image *header);

#endif
