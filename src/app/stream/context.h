/* SPDX-License-Identifier: MIT */
/* The settings with which the files of a run are read, processed and written. */
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
    int64_t max_pixels, max_side, max_channels; /* an image above one of these is refused */
    int64_t max_metadata; /* maximum bytes of metadata from a file; 0: reads only the orientation */
    /* True if --halo or --sigma has a third number: an NPY array is then a stack, whose first axis
     * counts the images. Otherwise an NPY array is one image. */
    bool stack;
    bool linear; /* the operations work on samples in linear light */
    bool verify;
    bool dry_run; /* headers are read and checked; nothing is computed or written */
    /* Called by any thread with the part of stream_file.work that was done since the last call; or
     * NULL. */
    void (*progress)(int64_t work);
};

/* What all files of a run share. The pointers are not owned. */
struct stream_context {
    const struct stream_options *options;
    struct computer *computer;
    struct budget *budget;
    struct lights *lights;   /* the tables that decode samples to linear light */
    const struct mask *mask; /* the mask of all images; NULL: no mask */
    int threads;             /* number of threads for one file */
};

#endif
