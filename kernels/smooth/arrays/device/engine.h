/* SPDX-License-Identifier: MIT */
/* The engine that filters arrays on a GPU, and images as arrays. Its functions are members of a
 * struct engine (variant.h). */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_ENGINE_H
#define SMOOTHIMG_ARRAYS_DEVICE_ENGINE_H

#include "kernels/smooth/arrays/device/pass.h"
#include "kernels/smooth/arrays/images.h"
#include "kernels/smooth/arrays/scheme.h"

enum level { LEVEL_FIRST, LEVEL_SECOND, LEVELS };

/* How filter_plane() filters the last two axes. */
struct plane_plan {
    int passes; /* filter_axis() filters the stages before this index */
    int rows;   /* rows of a tile that threads sum in one turn: 1, GROUP or 2 GROUP */
    int turns;  /* turns for one tile, which has rows * turns rows */
    int halo;   /* of both axes, if it is a template argument; 0: the kernel takes any */
    int tile;   /* pixels in a row of a tile */
    int threads;
};

struct level_plan {
    bool wide;
    struct device_bound bound;
    struct plane_plan plane;
    /* Of filter_axis() for each stage, if it is a template argument; 0: any. */
    int halo[ARRAY_STAGES];
    int64_t box[ARRAY_AXES]; /* greatest extent of a box (arrays.cu) along each axis */
    /* The most that a stage needs, [0] of the even stages, [1] of the odd ones: numbers in a plane,
     * planes, and peaks. */
    int64_t numbers[2];
    int nodes[2];
    int64_t peaks[2];
    int64_t bytes; /* of all planes and peaks */
};

/* The engine's state, made once for a request. */
struct device_state {
    struct image_weights images; /* if the request is for images */
    struct array_job job;        /* simplified; for the largest piece */
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    /* Its tables of taps are freed after planning: kernels get their taps from the job's
     * weights. */
    struct array_scheme scheme;
    struct level_plan levels[LEVELS]; /* LEVEL_SECOND: unused if scheme.wide */
    /* A pixel has too many samples for a tile: repair_array() sums each sample's window. */
    bool windows_only;
    int64_t samples; /* of the largest result */
    int repair_blocks;
    int64_t tables_bytes, bytes; /* of the tables; of all scratch */
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
