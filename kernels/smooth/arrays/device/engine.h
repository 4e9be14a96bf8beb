/* SPDX-License-Identifier: MIT */
/* The engine that filters arrays on a GPU, and images as arrays. Its functions are members of a
 * struct engine (variant.h).
 *
 * A stage filters along one axis (scheme.h). A tile is the part of the result that a thread block
 * computes at a time. pass.h defines planes, which are buffers of numbers, and peaks, which are
 * bounds on magnitudes. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_ENGINE_H
#define SMOOTHIMG_ARRAYS_DEVICE_ENGINE_H

#include "kernels/smooth/arrays/device/pass.h"
#include "kernels/smooth/arrays/images.h"
#include "kernels/smooth/arrays/scheme.h"

/* A level is one run of all passes. At the first level, sums are doubles or, if scheme.wide, pairs
 * of doubles (double-double). At the second level they are always pairs. The second level computes
 * the samples whose rounding the first one did not prove. */
enum level { LEVEL_FIRST, LEVEL_SECOND, LEVELS };

/* The plan by which filter_plane() filters the last two axes. */
struct plane_plan {
    int passes; /* filter_axis() filters scheme.stage[0 .. passes - 1], filter_plane() the others */
    int rows;   /* rows of a tile that a block sums at the same time: 1, GROUP or 2 GROUP */
    int turns;  /* a block sums a tile of rows * turns rows in this many turns */
    int halo; /* the kernel's template argument HALO, for both axes; 0: the kernel takes any halo */
    int tile; /* pixels in a row of a tile */
    int threads;
    int64_t bytes; /* shared memory of a block */
};

/* The memory for what every other stage writes: planes, and the peaks of plane 0. */
struct plane_buffer {
    /* How many numbers a plane has, and how many planes there are: maxima over these stages. */
    int64_t numbers;
    int nodes;
    int64_t planes, peaks; /* where these begin, in bytes from the start of all planes and peaks */
};

struct level_plan {
    bool wide;
    struct plane_plan plane;
    /* The kernels: filter[s] is the filter_axis() of stage s, finish the filter_plane(). */
    void (*filter[ARRAY_STAGES])(struct axis_pass);
    void (*finish)(struct plane_pass);
    int64_t box[ARRAY_AXES]; /* greatest extent, along each axis, of a box: the part of the result
                                that is computed at a time */
    struct plane_buffer buffers[2]; /* of even stages [0], of odd stages [1] */
    int64_t bytes;                  /* bytes of all planes and peaks */
};

/* The engine's state, made once for a request. */
struct device_state {
    struct image_weights images; /* the weights, if the request is for images */
    struct array_job job; /* the job; for images, the job of the largest piece, which is the part
                             of a request that one call computes */
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    /* The scheme's tables of taps are freed after planning: kernels get their taps from the job's
     * weights. */
    struct array_scheme scheme;
    struct level_plan levels[LEVELS]; /* if scheme.wide, the first level already sums in two
                                         doubles, and LEVEL_SECOND is unused */
    /* True if a pixel has more values than the passes take (MOST_WEIGHED), if the offsets of a pass
     * exceed shared memory, or if only exact sums are asked for. Then no pass runs, and
     * repair_array() sums the window of each sample. */
    bool windows_only;
    int64_t samples; /* samples of one result of the job */
    int repair_blocks;
    int64_t tables_bytes, bytes; /* bytes of the tables; bytes of all scratch memory */
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
