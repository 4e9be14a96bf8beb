/* SPDX-License-Identifier: MIT */
/* The contract between the memory experiments and the code that runs, times, traces and judges
 * them.
 *
 * An experiment is one measured kernel or function, and a row of its group's table. The experiments
 * of most groups compute the same result and differ in how they walk through memory. The caller
 * (smoothimg-bench, its tracer, the tests) owns the arrays:
 *  - shape() says which arrays a size needs; array_fill() of experiments.h fills the inputs. Arrays
 *    are aligned to 256 bytes, on the device for ON_GPU and on the host for ON_CPU.
 *  - run() reads job->in, writes all of job->out except an image's border, and nothing else.
 *    The caller has filled job->out with wrong values. run() may write job->scratch if shape() asks
 *    for a scratch array; the contents of that array are unspecified. reference() gets such an
 *    array too. On a GPU run() launches on job->stream and does not wait.
 *  - reference() computes the right result on the host, from host arrays, by the simplest code.
 *  - Every size from 1x1 is legal, unless refuses() says why not. Counts have 64 bits. */
#ifndef SMOOTHIMG_EXPERIMENT_H
#define SMOOTHIMG_EXPERIMENT_H

#include "kernels/variant.h" /* enum backend, OPTIONAL */

#define MAX_INPUTS 3

/* Says whether the output has the sum of each row of the input matrix, or of each column;
 * PROFILE_NONE: neither. The sums of an image, which are its projection profiles, have the type
 * ELEMENT_I64. */
enum profile { PROFILE_NONE, PROFILE_OF_ROWS, PROFILE_OF_COLUMNS };

enum element_type { ELEMENT_U8, ELEMENT_I32, ELEMENT_I64, ELEMENT_F32, ELEMENT_F64 };

/* The values of --size, --halo and --block. */
struct problem_size {
    int64_t width, height; /* each at least 1; matrices and images are height x width, lists have
                              width * height elements */
    int64_t halo;          /* pixels; for the group "smoothing", which refuses 0 */
    int block; /* edge of two-dimensional thread blocks and of tiles; 0: the experiment chooses.
                  Experiments on lists ignore it. */
};

struct array {
    void *memory;
    int64_t count; /* elements */
    enum element_type type;
};

/* An array that an experiment needs. Inputs hold whole numbers from low to high, small enough for
 * exact sums. */
struct array_spec {
    enum element_type type;
    int64_t count;  /* 0: the experiment needs no such array */
    bool image;     /* true: height x width pixels, with a border around them */
    int64_t border; /* pixels on each side of an image; else 0 */
    int32_t low, high;
};

/* The arrays of an experiment at one size. */
struct array_specs {
    struct array_spec in[MAX_INPUTS], out, scratch;
};

/* One run of one experiment. An output that is an image has a border like its input's; run() does
 * not write the border, and it is not compared. */
struct experiment_job {
    const struct experiment *row;
    struct problem_size size;
    struct array in[MAX_INPUTS], out, scratch;
    void *stream; /* ON_GPU: a cudaStream_t */
};

/* The work of one run as the algorithm defines it, ignoring caches. */
struct experiment_work {
    double useful_bytes; /* bytes of all needed elements, each counted once */
    double asked_bytes;  /* bytes that all threads together load from and store to global memory;
                            flops / asked_bytes is a textbook's arithmetic intensity */
    double flops; /* additions and multiplications, an exp counting as one; 0: there are none, or
                     they are not counted, because they are in integers */
};

/* Sizes of a launch, to calculate its occupancy. */
struct launch_geometry {
    const void *kernel;
    int threads;         /* in a block */
    size_t shared_bytes; /* dynamic shared memory */
};

/* clang-format off */
struct experiment {
    const char *group; /* such as "strided-add" */
    const char *row;   /* such as "stride 16" */
    const char *shows; /* a sentence or two on what the experiment shows on current GPUs */
    int64_t parameter OPTIONAL; /* for the functions below: a stride, padding, bits, ... */
    enum profile profile OPTIONAL;
    enum backend place;

    /* Returns NULL, or a sentence that says why the experiment refuses this size. An experiment
     * without this function refuses none. */
    const char *(*refuses)(const struct experiment *row, const struct problem_size *size) OPTIONAL;
    void (*shape)(const struct experiment *row, const struct problem_size *size,
                  struct array_specs *shape);
    /* Returns NULL, or a string that says what failed. */
    const char *(*run)(const struct experiment_job *job);
    /* Computes the right result on the CPU. If `bound` is NULL, job->out has the type that shape()
     * gives the output, otherwise ELEMENT_F64. */
    void (*reference)(const struct experiment_job *job);
    /* Returns the greatest legal difference of an element from reference()'s; a comment at the
     * function derives it. Without this function, results have to be exact, bit for bit. */
    double (*bound)(const struct experiment_job *job) OPTIONAL;
    void (*work)(const struct experiment *row, const struct problem_size *size,
                 struct experiment_work *work);
    /* Gives the sizes of the launch. An experiment without this function launches no kernel of this
     * project. */
    void (*geometry)(const struct experiment *row, const struct problem_size *size,
                     struct launch_geometry *geometry) OPTIONAL;
};
/* clang-format on */

/* Defines the experiments of the file STEM, as in DEFINE_EXPERIMENTS(strided_add) = {{...}, {}}.
 * The last element is empty. The declaration comes first, since in C++ const objects otherwise have
 * internal linkage. */
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
