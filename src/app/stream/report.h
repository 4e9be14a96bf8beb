/* SPDX-License-Identifier: MIT */
/* What was done with a file. */
#ifndef SMOOTHIMG_REPORT_H
#define SMOOTHIMG_REPORT_H

#include "src/app/dispatch/dispatch_options.h"
#include "src/app/stream/bands/times.h"
#include "src/files/codec/image_reader.h"
#include "src/lib/image/image.h"

/* Seconds spent in a stage, and the bytes of samples that went through it. */
struct stage {
    double seconds;
    int64_t bytes;
};

/* Where the time of a GPU's operation went, by the GPU's clock. */
struct gpu_stages {
    struct stage upload, kernel, download;
};

struct report {
    int64_t images, pixels;
    struct shape shape;       /* of the first image */
    enum format input_format; /* likewise */
    struct stage read, halo, ops[MAX_OPS], write;
    struct gpu_stages gpu[MAX_OPS]; /* all zero for a CPU's operation */
    enum format format;             /* of the output */
    int64_t nan_samples;            /* of the result, if write_options.count_nan */
    bool linear;                    /* the operations worked in linear light */
    struct image_curve curve;       /* of the first image */

    const struct variant *variants[MAX_OPS]; /* what computed the operations */
    char device[160];                        /* "0: NVIDIA H200": the GPUs that were used; or "" */
    bool gpu_lost;                           /* no device is left that the variants need */
    double seconds;                          /* from the file's opening to its end */
    int64_t input_bytes, output_bytes;       /* of the files; -1: no regular file */
    struct metadata_notes faults, damaged, left_out; /* of the input, as in struct metadata */
    struct metadata_notes not_carried;               /* see not_carried.h */
    uint64_t checksum;                               /* of the result's samples, if asked for */
};

/* Of a file that was not begun. */
#define NO_REPORT ((struct report){.input_bytes = -1, .output_bytes = -1})

/* Adds the seconds and bytes to the stage; or the time since `start` (of clock_seconds). */
void report_stage(struct stage *stage, double seconds, size_t bytes);
void report_since(struct stage *stage, double start, size_t bytes);

/* Adds the times of one run of operation i on a GPU, all zero if it ran on the CPU. */
void report_gpu(struct report *report, int i, const struct gpu_times *times);

/* Adds the times of an image of so many bytes whose operations ran in bands or column blocks. The
 * bytes already count as read, with the header. */
void report_overlapped(struct report *report, int ops, const struct bands_times *times,
                       size_t bytes);

#endif
