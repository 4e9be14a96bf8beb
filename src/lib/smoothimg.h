/* SPDX-License-Identifier: MIT */
/* libsmoothimg: exact Gaussian filters of arrays in the memory of the host or of a GPU: smoothing,
 * derivatives, Laplacians, gradients; and permutations of their axes. An image is an array of
 * height x width x channels, of which two axes are filtered.
 *
 * Every sample of a result is the one that the definition gives (smoothimg(1), FILTER DEFINITION).
 * Results depend neither on the variant (the implementation that computes them), the processor, the
 * number of threads or the number of images in a call, nor on the caller's floating-point
 * environment (rounding mode, flushed subnormals, traps). Each call leaves this environment as it
 * was, including the exception flags.
 *
 * The library opens no file, prints nothing, never ends the process, installs no signal handler,
 * reads no environment variable and changes no state of the process.
 *
 * Threads: a filter never changes, and any number of threads may use it at the same time. A context
 * may be used by one thread at a time; different contexts are independent. Contexts share worker
 * threads, which stay until the last context is closed: close all before the library is unloaded.
 * After a fork the child may use its contexts too, except those with a device.
 *
 * Functions return SMOOTHIMG_INVALID for a NULL argument, except where NULL is said to be allowed.
 * A closed context and a freed filter must not be used, closed or freed again.
 *
 * A struct member that is 0 has its default. Later versions may add members. So begin with `= {0}`,
 * in C++ with `= {}`, and set what is needed. (C++: g++ warns of members that designated
 * initialisers leave out. The struct smoothimg_filter needs the word `struct`, since a function has
 * the same name.) */
#ifndef SMOOTHIMG_LIBRARY_H
#define SMOOTHIMG_LIBRARY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMOOTHIMG_VERSION_MAJOR 0
#define SMOOTHIMG_VERSION_MINOR 2
#define SMOOTHIMG_VERSION_PATCH 0

#define SMOOTHIMG_MAX_RADIUS 1024 /* samples */
#define SMOOTHIMG_MAX_AXES 64     /* maximum number of axes of an array */
/* The maximum number of axes that a filter filters, and the maximum number of its terms. */
#define SMOOTHIMG_MAX_FILTERED 32

#if defined __GNUC__
#define SMOOTHIMG_API __attribute__((visibility("default")))
#else
#define SMOOTHIMG_API
#endif

enum smoothimg_status {
    SMOOTHIMG_OK,
    SMOOTHIMG_INVALID,     /* an argument is wrong; smoothimg_message() says which one */
    SMOOTHIMG_NO_MEMORY,   /* memory of the host or of the device has run out */
    SMOOTHIMG_UNSUPPORTED, /* valid, but not supported, or not by the chosen variant */
    SMOOTHIMG_NO_DEVICE,   /* no usable GPU, or a library built without CUDA */
    SMOOTHIMG_FAILED       /* a call of CUDA failed: the context can only be closed */
};

enum smoothimg_op { SMOOTHIMG_SMOOTH, SMOOTHIMG_TRANSPOSE, SMOOTHIMG_REVERSE };

enum smoothimg_memory {
    SMOOTHIMG_HOST,
    SMOOTHIMG_CUDA /* memory of the context's device, or managed memory */
};

/* Types of samples, which have the machine's byte order. A bool is a byte, 0 or 1; F16, F32 and F64
 * are the binary formats of IEEE 754. A complex array is an array with an additional axis of 2. */
enum smoothimg_type {
    SMOOTHIMG_U8,
    SMOOTHIMG_U16,
    SMOOTHIMG_F32,
    SMOOTHIMG_BOOL,
    SMOOTHIMG_I8,
    SMOOTHIMG_I16,
    SMOOTHIMG_I32,
    SMOOTHIMG_U32,
    SMOOTHIMG_I64,
    SMOOTHIMG_U64,
    SMOOTHIMG_F16,
    SMOOTHIMG_F64
};

/* An array in the caller's memory, with any address and any strides; on a device both are multiples
 * of the sample's size. GPU variants for images are fastest if rows begin at multiples of 16 bytes.
 * A device reads whole aligned blocks of 16 bytes, and so up to 15 bytes before and after each row.
 */
struct smoothimg_array {
    void *data; /* the first sample */
    int axes;
    const int64_t *shape; /* samples along each axis, 0 or more */
    /* Bytes from a sample to the next along each axis, of any sign; NULL: no gaps, and the samples
     * of the last axis are contiguous. */
    const int64_t *strides;
    enum smoothimg_type type;
    enum smoothimg_memory memory;
    /* U8 and U16: the greatest value of a sample; 0: the type's maximum. Other types: 0. */
    uint64_t maxval;
};

/* The samples that the filter finds on both sides of an array with the samples abcd. */
enum smoothimg_edge {
    SMOOTHIMG_REFLECT, /* cba|abcd|dcb */
    SMOOTHIMG_NEAREST, /* aaa|abcd|ddd */
    SMOOTHIMG_MIRROR,  /* dcb|abcd|cba */
    SMOOTHIMG_WRAP,    /* bcd|abcd|abc */
    SMOOTHIMG_CONSTANT /* kkk|abcd|kkk, k being the filter's `outside` */
};

/* How one term of a filter (struct smoothimg_filter_options) filters an axis: by the Gaussian or a
 * derivative of it. All zeros: the axis is not filtered. */
struct smoothimg_axis {
    double sigma; /* samples; 0: exactly a third of the radius */
    /* Samples, up to SMOOTHIMG_MAX_RADIUS; 0: floor(4 sigma + 1/2), as in SciPy; -1: a radius of 0.
     */
    int64_t radius;
    int order; /* order of the derivative; 0: smoothing; a higher order needs a larger sigma */
    enum smoothimg_edge edge;
    /* A factor of the weights, applied before they are rounded. Its magnitude is 2^-20 to 2^20 for
     * a derivative. Else the factor is 1, or -1, which subtracts the term. 0 means 1. */
    double scale;
};

enum smoothimg_combination {
    /* The sum of the terms. A single term smooths; second derivatives, one for each axis, make a
     * Laplacian. */
    SMOOTHIMG_ADD,
    SMOOTHIMG_MAGNITUDE, /* the root of the sum of the terms' squares: a gradient's magnitude */
    /* Each term is a result of its own: a gradient's components, a Hessian. */
    SMOOTHIMG_APART
};

enum smoothimg_norm {
    SMOOTHIMG_SUM, /* the weights sum to 1: constant areas stay unchanged */
    /* The weights are the normal distribution's density at integers; that of halo 0 is 1. */
    SMOOTHIMG_ANALYTIC
};

/* Which samples contribute to a result. */
enum smoothimg_missing {
    /* All samples contribute. A result is NaN if a NaN contributes to it with a weight other than
     * 0. */
    SMOOTHIMG_ALL,
    /* The last axis holds colours and then alpha, and is not smoothed. Alpha weights the colours.
     * Where these weights sum to 0, a colour keeps its value. Where an alpha is infinite or NaN, a
     * colour becomes NaN, or 0 in an integer result. */
    SMOOTHIMG_ALPHA,
    /* A NaN is a missing sample: the result is the weighted mean of the others. If all are missing,
     * it is NaN, or 0 in an integer result. Has no effect on integer samples. */
    SMOOTHIMG_NAN
};

/* The result of a filter is the sum of its terms, or the root of the sum of their squares; with
 * SMOOTHIMG_APART each term has a result of its own. Each term has its own sigmas, radii and edge
 * rules. SMOOTHIMG_ALPHA, and SMOOTHIMG_NAN for a source of floats, need a filter with a single
 * term that smooths, with no negative scale and without SMOOTHIMG_MAGNITUDE; else
 * smoothimg_filter() returns SMOOTHIMG_UNSUPPORTED. */
struct smoothimg_filter_options {
    int axes;  /* the number of axes of the arrays */
    int terms; /* 0 means 1 */
    /* axis[t * axes + a] is for term t and the array's axis a. */
    const struct smoothimg_axis *axis;
    enum smoothimg_combination combination;
    enum smoothimg_norm norm; /* SMOOTHIMG_ANALYTIC: only if all terms smooth */
    enum smoothimg_missing missing;
    /* The constant of SMOOTHIMG_CONSTANT; at most one of these three members is not 0. The last two
     * are for 64-bit integers that a double cannot hold. */
    double outside; /* finite */
    int64_t outside_i64;
    uint64_t outside_u64;
    /* 1: the adjoint. The filter, without the constant outside, is the product of a matrix and the
     * samples; its adjoint is the product with the transpose of this matrix. If src holds the
     * derivatives of a function with respect to the filter's results, dst holds its derivatives
     * with respect to the samples that the filter reads: the gradient. Each result is the exact
     * number, rounded once. `combination` has to be SMOOTHIMG_ADD, and `missing` SMOOTHIMG_ALL; a
     * radius with SMOOTHIMG_MIRROR has to be below SMOOTHIMG_MAX_RADIUS. Near the ends of an axis
     * the adjoint is a sum of 3 filters with SMOOTHIMG_MIRROR, and of 2 with SMOOTHIMG_REFLECT and
     * an odd order. For other axes it is 1 filter. These numbers are multiplied over the axes of a
     * term, and added over the terms. If the sum exceeds SMOOTHIMG_MAX_FILTERED,
     * smoothimg_filter_create() returns SMOOTHIMG_UNSUPPORTED. The weight of a sample in a result
     * is its entry in the transpose: near the ends of an axis, a sum of the filter's weights.
     * There, for derivatives and with SMOOTHIMG_MIRROR, an infinity or a NaN in the reach of a
     * result may make this result NaN, or 0 if it is an integer, even if the weight of the infinity
     * or NaN is 0. With SMOOTHIMG_MIRROR the adjoint reaches one sample farther than the radius.
     * With an adjoint that is such a sum, or with SMOOTHIMG_NEAREST, each call allocates memory on
     * the host for weights. */
    int adjoint;
};

struct smoothimg_filter;
struct smoothimg_context;

/* Opens a context, which holds working memory and the message of the last failure. threads: how
 * many threads may compute arrays of the host at the same time, the caller's thread included; 0:
 * one for each processor that the process may use. A call leaves threads idle if they would not
 * make it faster. A call gets threads besides its caller only while fewer than N threads compute
 * for all contexts together. N is the number of processors, or the number of threads of the call,
 * if that is greater. A thread is started when it is first needed; then it stays, and sleeps while
 * it has no work. The caller closes *context. Returns SMOOTHIMG_INVALID if threads is negative or
 * above 1024, or SMOOTHIMG_NO_MEMORY; *context is then NULL. */
SMOOTHIMG_API enum smoothimg_status smoothimg_open(int threads, struct smoothimg_context **context);

/* Lets the context use this CUDA device, 0 or more, and arrays in its memory. Starts CUDA if the
 * process has not done so, which takes about 0.2 s. Returns SMOOTHIMG_INVALID if the context has a
 * device already, SMOOTHIMG_NO_DEVICE if there is no such device. No call changes the thread's
 * current device. */
SMOOTHIMG_API enum smoothimg_status smoothimg_use_device(struct smoothimg_context *context,
                                                         int device);

/* Waits for the context's work on the device, and frees the context. Filters that were made with it
 * stay valid. NULL is allowed. */
SMOOTHIMG_API void smoothimg_close(struct smoothimg_context *context);

/* Returns a sentence about the last failure of a call with this context, without a full stop; "" if
 * there was none; for a NULL context "context is NULL". Valid until the next call with the context.
 */
SMOOTHIMG_API const char *smoothimg_message(const struct smoothimg_context *context);

/* Makes a filter: computes its weights, which takes milliseconds for the largest radius. The unit
 * of weights is 2^-62 if source or result has doubles, or if the source has integers of 32 or 64
 * bits. It is also 2^-62 if the source has floats and the result has integers of 32 or 64 bits.
 * Else it is 2^-46. Returns SMOOTHIMG_INVALID for an option that is out of range, if the weights of
 * a derivative are too large for its sigma, or if analytic weights sum to 4 or more. *filter is
 * NULL after a failure. The caller frees the filter; any number of threads may use it. */
SMOOTHIMG_API enum smoothimg_status
smoothimg_filter_create(struct smoothimg_context *context,
                        const struct smoothimg_filter_options *options,
                        struct smoothimg_filter **filter);

/* Frees the filter, which no call may be using. Work that is enqueued on a device does not use it.
 * NULL is allowed. */
SMOOTHIMG_API void smoothimg_filter_free(struct smoothimg_filter *filter);

/* Allocates the working memory of smoothimg_filter, chooses its implementation, and loads a
 * device's kernels. Later calls with this filter then allocate nothing but the stacks of threads.
 * This holds for arrays of these types, shapes, strides and kind of memory, and for fewer images or
 * images with fewer rows. On a device, the first call with fewer rows, or with another remainder of
 * an address divided by 16, may load another kernel. For arrays on a device, smoothimg_reserve
 * waits for the device, so that later calls do not. The arrays' data may be NULL. dst: the result;
 * with SMOOTHIMG_APART the first one. If dst is smaller than src, later calls may compute any part
 * of the result that has dst's shape, with any `first` of smoothimg_filter; if the filter is an
 * adjoint, such calls may allocate memory. Allocates nothing if a device computes arrays of the
 * host (smoothimg_choose). A NULL filter prepares smoothimg_move; dst is then not used. */
SMOOTHIMG_API enum smoothimg_status smoothimg_reserve(struct smoothimg_context *context,
                                                      const struct smoothimg_filter *filter,
                                                      const struct smoothimg_array *src,
                                                      const struct smoothimg_array *dst);

/* Sets *bytes to the working memory on the host that smoothimg_filter needs for this call, for all
 * its threads, or to 0 if a device computes. A context that has made no call yet allocates this
 * much. The arrays' data may be NULL. dst: the result; with SMOOTHIMG_APART the first one. Fails
 * where smoothimg_filter would fail for the shapes and types, unless a device's variant would
 * refuse them. */
SMOOTHIMG_API enum smoothimg_status smoothimg_measure(struct smoothimg_context *context,
                                                      const struct smoothimg_filter *filter,
                                                      const struct smoothimg_array *src,
                                                      const struct smoothimg_array *dst,
                                                      const int64_t *first, int64_t *bytes);

/* Filters src into dst, which has any strides and any type. Returns SMOOTHIMG_INVALID, and writes
 * nothing, if their address ranges overlap. As an exception, two images may lie side by side in the
 * rows of a larger one. dst: one array; with SMOOTHIMG_APART one for each term, all of one shape
 * and type, which share no samples. Returns SMOOTHIMG_INVALID otherwise, but may not notice that
 * results with gaps or transposed axes overlap. Gaps in dst are not written. src is not written,
 * and may be read-only memory. The structs may be reused when the call returns.
 *
 * first: if it is NULL, src and dst have the same shape. Else dst is the part of the result that
 * begins at these indices, one for each axis. To filter a large array in parts, give each part a
 * src with the samples beside it that the filter reaches, as far as they exist. The edge rule
 * applies where src ends.
 *
 * Each sample of the result is the real number that the filter gives, rounded once. Integers are
 * rounded to nearest, halves up, and clamped to the type's range and to maxval; floats to nearest,
 * ties to even, an exact zero to +0. With SMOOTHIMG_ALL, a NaN that the filter reaches with a
 * weight other than 0 gives a NaN, or 0 in an integer result.
 *
 * Arrays in the host's memory: returns when the result is complete; stream is NULL. Working memory
 * of a thread: some hundred kilobytes for images of bytes, about three megabytes for other images
 * and arrays, more for large radii (smoothimg_measure). If the context has a device, and
 * smoothimg_choose has set a GPU variant, that device computes. The context's threads copy src
 * there and dst back. If the device lacks memory, it computes dst in parts, along the first axis
 * that has several samples. That fails if SMOOTHIMG_WRAP reaches over an end of src along that
 * axis.
 *
 * Arrays in a device's memory: enqueues the work on stream, a cudaStream_t of the context's device
 * (NULL: the default stream), and returns. After smoothimg_reserve it neither allocates nor waits,
 * and may be captured into a graph; otherwise the first call for a shape allocates and waits.
 * Windows of 2^62 samples and more are refused. Working memory: about half a gigabyte for large
 * arrays that are no images; more if a single slice across the first filtered axis is larger. The
 * calls of a context share this memory, so that calls on different streams wait for each other on
 * the device. For work that overlaps, and for a graph that runs beside other calls, open several
 * contexts. A graph uses this memory whenever it runs:
 * do not run it after smoothimg_close, nor after a call that needed more memory than the calls
 * before the capture. Returns SMOOTHIMG_FAILED if a launch fails; errors that the device finds
 * later appear in the caller's stream. */
SMOOTHIMG_API enum smoothimg_status smoothimg_filter(struct smoothimg_context *context,
                                                     const struct smoothimg_filter *filter,
                                                     const struct smoothimg_array *src,
                                                     const struct smoothimg_array *dst,
                                                     const int64_t *first, void *stream);

/* Moves samples, without a change of their bits: axis a of dst is axis axes[a] of src, backwards if
 * flip[a] is not 0. If axes is NULL, dst has the axes of src in their order; if flip is NULL, no
 * axis is flipped. The axes {1, 0} make a transpose; a flip of both axes of an image turns it by
 * 180 degrees. Both arrays have the same type, and their address ranges do not overlap. Needs no
 * working memory on the host. On a device: swaps two axes, or flips one or two, if rows have no
 * gaps; most other moves return SMOOTHIMG_UNSUPPORTED. The rest is as for smoothimg_filter. */
SMOOTHIMG_API enum smoothimg_status smoothimg_move(struct smoothimg_context *context,
                                                   const int *axes, const int *flip,
                                                   const struct smoothimg_array *src,
                                                   const struct smoothimg_array *dst, void *stream);

/* Waits for all work that calls of this context have enqueued on its device, on any stream. Does
 * not wait for work that was captured into a graph. The emulated device works only during this
 * call, or during a function of CUDA that waits. Returns SMOOTHIMG_FAILED if the device has found
 * an error. */
SMOOTHIMG_API enum smoothimg_status smoothimg_wait(struct smoothimg_context *context);

/* For tests and for study. After this call each operation uses its variant of this name, such as
 * "reference", if it has one; NULL: the fastest variant again. If the variant is for GPUs, and the
 * context has a device, this device also computes arrays of the host. The name "arrays" selects,
 * for images too, the code for arrays that form no images. Returns SMOOTHIMG_INVALID, and changes
 * nothing, if no operation has a variant of this name. */
SMOOTHIMG_API enum smoothimg_status smoothimg_choose(struct smoothimg_context *context,
                                                     const char *variant);

/* Returns the name of the variant that this context chose most recently, to compute or in
 * smoothimg_reserve or smoothimg_measure; or the name of the variant's engine (implementation),
 * such as "cpu:u8". The name is "arrays" for arrays that form no images, and "copy" for a move that
 * no variant computes. Returns "" if no variant has been chosen yet. Valid as long as the library
 * is loaded. */
SMOOTHIMG_API const char *smoothimg_chosen(const struct smoothimg_context *context);

/* Returns the name of variant number `index` of an operation for arrays in that memory, or NULL
 * after the last one. Variants are sorted from the simplest to the fastest. */
SMOOTHIMG_API const char *smoothimg_variant(enum smoothimg_op op, enum smoothimg_memory memory,
                                            int index);

/* Returns the version of the linked library: "0.2.0". The macros above are the header's version. */
SMOOTHIMG_API const char *smoothimg_version(void);

#ifdef __cplusplus
}
#endif
#endif
