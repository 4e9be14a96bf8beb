/* SPDX-License-Identifier: MIT */
/* How the files of a run are read, worked on and written. */
#ifndef SMOOTHIMG_STREAM_CONTEXT_H
#define SMOOTHIMG_STREAM_CONTEXT_H

#include "src/app/stream/budget.h"
#include "src/app/stream/compute/computer.h"
#include "src/files/light/light.h"
#include "src/files/codec/codec.h"

struct output_options {
    bool no_clobber; /* an output that exists is an error */
    bool preserve;   /* the output gets the times of its input */
    struct write_options write;
};

struct stream_options {
    struct work_options work;
    struct output_options output;
    int64_t max_pixels, max_side, max_channels;
    int64_t max_metadata; /* bytes, for one file; 0: no metadata is kept */
    bool stack;           /* of an array of three dimensions or more each plane is an image */
    bool linear;          /* the operations work on samples in linear light */
    bool verify;
    bool dry_run; /* nothing is computed or written: only headers are read, and checked */
    /* Called with the part of stream_file.work that has been done since the last call, by any
     * thread; or NULL. */
    void (*progress)(int64_t work);
};

/* What the files of a run share. All of it is borrowed. */
struct stream_context {
    const struct stream_options *options;
    struct computer *computer;
    struct budget *budget;
    struct lights *lights;   /* for the images that are decoded to linear light */
    const struct mask *mask; /* of all images; NULL: none */
    int threads;             /* for one file */
};

#endif
