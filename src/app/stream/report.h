/* SPDX-License-Identifier: MIT */
/* The record of a file: what was done with it. */
#ifndef SMOOTHIMG_REPORT_H
#define SMOOTHIMG_REPORT_H

#include "src/app/stream/compute/work.h"
#include "src/files/codec/image_reader.h"
#include "src/files/light/light.h"
#include "src/lib/gpu/devices.h"
#include "src/files/image/image.h"
#include "src/text/string_list.h"

/* Seconds of each stage. With several threads they are means over the threads, so that the stages
 * add up to the elapsed time. Reading and writing include waiting for another thread that reads or
 * writes. */
struct stage_times {
    double read, write;
    struct op_times {
        double compute;
        struct gpu_times gpu; /* a part of compute; all zero if the CPU computed */
        /* The name of the chosen variant; NULL until something is computed. */
        const char *variant;
        const char *engine; /* the variant's engine that computed, as smoothimg_chosen names it */
        bool on_gpu;
    } ops[MAX_OPS];
};

struct report {
    int64_t images, pixels;
    struct shape shape;       /* the first image's shape */
    enum format input_format; /* the first image's format */
    struct stage_times times;
    enum format format; /* the output's format */
    bool has_alpha;     /* the first image has alpha */
    bool linear;        /* the first image was decoded to linear light */
    /* The gamma, in 1/100000, by which the first image was decoded; LIGHT_SRGB: sRGB's curve. */
    uint32_t gamma;
    bool has_profile; /* the first image has a colour profile */
    char no_data[32]; /* the tag GDAL_NODATA, if samples with its value are smoothed; else "" */

    /* number and name of the GPU (computer_gpu); "": none was used */
    struct phrase gpu;
    double seconds;                    /* from opening the file to the end of its work */
    int64_t input_bytes, output_bytes; /* the files' sizes; -1: none, or unknown */
    struct metadata_notes faults, damaged, left_out; /* copied from the metadata of the reader */
    /* Metadata that the output's format cannot hold (carried_note_lost). */
    struct metadata_notes not_carried;
};

/* The report of a file that was not begun. */
#define NO_REPORT ((struct report){.input_bytes = -1, .output_bytes = -1})

#endif
