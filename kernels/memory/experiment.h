/* SPDX-License-Identifier: MIT */
/* The contract between the memory experiments and the code that runs, times, traces and judges
 * them. C and CUDA C++ read this header alike.
 *
 * An experiment is a row of a group: the rows of a group compute alike, and differ in how they walk
 * through memory. The host (smoothimg-bench, the tests, the tracing) owns the arrays:
 *  - row->shape() says which arrays a size needs; array_fill() of experiments.h makes the inputs.
 * Memory is aligned to 256 bytes, on the device for ON_GPU and on the host for ON_CPU.
 *  - run() reads job->in and writes every element of job->out that the shape counts, and nothing
 *    else. Outputs hold poison before. It launches on job->stream and does not wait.
 *  - reference() computes the same on the host, from host arrays, in a plain way.
 *  - every size from 1x1 is legal, unless refuses() says why not. Counts are 64 bits wide. */
#ifndef SMOOTHIMG_EXPERIMENT_H
#define SMOOTHIMG_EXPERIMENT_H

#include "kernels/variant.h" /* enum backend */

#define MAX_INPUTS 3 /* at most */

/* Which sums of its matrix an output is: of each row, or of each column. Of an image they are its
 * projection profile, as ELEMENT_I64. */
enum profile { PROFILE_NONE, PROFILE_OF_ROWS, PROFILE_OF_COLUMNS };

enum element_type { ELEMENT_U8, ELEMENT_I32, ELEMENT_I64, ELEMENT_F32, ELEMENT_F64 };

/* What --size, --halo and --block say. */
struct problem_size {
    int64_t width, height; /* matrices and images are height x width, lists have width * height
                              elements; at least 1 */
    int64_t halo;          /* of the smoothing, in pixels; at least 1 */
    int block;             /* edge of two-dimensional thread blocks and of tiles; 0: the row's own.
                              Lists have blocks of their own size. */
};

struct array {
    void *memory;
    int64_t count; /* elements */
    enum element_type type;
};

/* An array that a row wants. Inputs hold whole numbers from low to high, which sums keep exact. */
struct array_spec {
    enum element_type type;
    int64_t count;  /* 0: there is no such array */
    bool image;     /* an input of pixels: `border` of them around height x width */
    int64_t border; /* of an image; else 0 */
    int32_t low, high;
};

/* All arrays of a row, at a size. Every row has one output. */
struct array_specs {
    struct array_spec in[MAX_INPUTS], out;
};

/* One run of one row. The output of an image row has a border like its input; the row leaves
 * it alone, and it is not compared. */
struct experiment_job {
    const struct experiment *row;
    struct problem_size size;
    struct array in[MAX_INPUTS], out;
    void *stream; /* ON_GPU: a cudaStream_t */
};

/* The work of one run, by the algorithm, caches apart. */
struct experiment_work {
    double useful_bytes; /* every element that is needed, read or written once */
    double asked_bytes;  /* what all threads together load from and store to global memory;
                            flops / asked_bytes is a textbook's arithmetic intensity */
    double flops; /* additions and multiplications, an exp counted as one; 0: none to speak of */
};

/* The launch, for questions about occupancy. */
struct launch_geometry {
    const void *kernel;  /* NULL: the row launches no kernel of this project */
    int threads;         /* in a block */
    size_t shared_bytes; /* dynamic */
};

struct experiment {
    const char *group; /* "strided-add" */
    const char *row;   /* "stride 16" */
    const char *shows; /* one sentence that is true of today's GPUs */
    int64_t parameter; /* the stride, or what else tells the rows of a group apart; else 0 */
    enum profile profile;
    enum backend place;

    /* NULL, or a sentence that says why the row cannot serve this size. May be NULL. */
    const char *(*refuses)(const struct experiment *row, const struct problem_size *size);
    void (*shape)(const struct experiment *row, const struct problem_size *size,
                  struct array_specs *shape);
    /* Computes. NULL, or what failed. */
    const char *(*run)(const struct experiment_job *job);
    /* The right result, by the CPU. job->out is of the shape's type where bound is NULL, and of
     * ELEMENT_F64 where there is a bound. */
    void (*reference)(const struct experiment_job *job);
    /* NULL: results are exact, bit for bit. Else how far from reference() any element may be, by a
     * derivation beside the function. */
    double (*bound)(const struct experiment_job *job);
    void (*work)(const struct experiment *row, const struct problem_size *size,
                 struct experiment_work *work);
    /* NULL on the CPU. */
    void (*geometry)(const struct experiment *row, const struct problem_size *size,
                     struct launch_geometry *geometry);
};

/* Defines the rows of the file of that stem: DEFINE_EXPERIMENTS(strided_add) = {{...}, {}};, ending
 * with an empty row. C++ would give a const object internal linkage, hence the declaration first.
 */
#ifdef __cplusplus
#define DEFINE_EXPERIMENTS(STEM)                                                                   \
    extern "C" {                                                                                   \
    extern const struct experiment experiments_##STEM[];                                           \
    }                                                                                              \
    const struct experiment experiments_##STEM[]
#else
#define DEFINE_EXPERIMENTS(STEM)                                                                   \
    extern const struct experiment experiments_##STEM[];                                           \
    const struct experiment experiments_##STEM[]
#endif

#endif
