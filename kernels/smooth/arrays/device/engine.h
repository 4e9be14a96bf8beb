/* SPDX-License-Identifier: MIT */
/* The engine of arrays on a device, for requests of arrays and of images: as in struct engine. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_ENGINE_H
#define SMOOTHIMG_ARRAYS_DEVICE_ENGINE_H

#include "kernels/smooth/arrays/device/pass.h"
#include "kernels/smooth/arrays/images.h"
#include "kernels/smooth/arrays/scheme.h"

enum level { LEVEL_FIRST, LEVEL_SECOND, LEVELS };

/* How the last two axes are filtered. */
struct plane_plan {
    int passes; /* of single axes, before */
    int rows;   /* that a thread sums at a time: 1, GROUP, or twice that */
    int turns;  /* so often: rows of a tile by these */
    int halo;   /* of both axes, that the kernel knows; 0: any */
    int tile;   /* its pixels */
    int threads;
};

struct level_plan {
    bool wide;
    struct device_bound bound;
    struct plane_plan plane;
    int halo[ARRAY_STAGES];  /* of passes of single axes, that the kernel knows; 0: any */
    int64_t box[ARRAY_AXES]; /* places of a box along each axis, at most */
    int64_t numbers[2];      /* of a node's plane at most, of even and odd stages */
    int nodes[2];            /* at most */
    int64_t peaks[2];
    int64_t bytes; /* of planes and peaks */
};

/* What a plan knows. */
struct device_state {
    struct image_weights images; /* of images */
    struct array_job job;        /* simple; of the largest piece; its taps, if of arrays: */
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct array_scheme scheme;       /* without tables */
    struct level_plan levels[LEVELS]; /* the second: unless the scheme is wide */
    bool
        windows_only; /* pixels have too many samples for tiles: each is summed by the definition */
    int64_t samples;  /* of the result, at most */
    int repair_blocks;
    int64_t tables_bytes, bytes; /* of the tables; of scratch */
};

#ifdef __cplusplus
extern "C" {
#endif

const char *array_device_make(const struct request *request, void *state);
size_t array_device_scratch_bytes(const struct request *request, const void *state);
const char *array_device_run(const struct piece *piece);

#ifdef __cplusplus
}
#endif
#endif
