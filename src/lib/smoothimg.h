/* SPDX-License-Identifier: MIT */
/* libsmoothimg: exact Gaussian filters of arrays in the memory of the host or of a GPU: smoothing,
 * derivatives, Laplacians, gradients; and permutations of their axes. An image is an array of
 * height x width x channels, of which two axes are filtered.
 *
 * Every sample of a result is the one that the definition gives (smoothimg(1), FILTER DEFINITION),
 * whatever the variant, the processor, the number of threads, the number of images in a call, and
 * the caller's floating-point environment: rounding mode, flushed subnormals, traps. Each call
 * leaves that environment as it was, the exception flags too.
 *
 * The library opens no file, prints nothing, ends nothing, installs no signal handler, reads no
 * environment variable and changes no state of the process.
 *
 * Threads: a filter never changes, and any number of threads may use it at the same time. A context
 * may be used by one thread at a time; different contexts are independent. Contexts share worker
 * threads, which stay until the last context is closed: close all before the library is unloaded.
 * After a fork the child may use its contexts too, but for those with a device.
 *
 * Functions return SMOOTHIMG_INVALID for a NULL that is not said to be allowed. A closed context
 * and a freed filter must not be used, closed or freed again.
 *
 * Every member of a struct that is left 0 has its default, and later versions may have more
 * members: begin with `= {0}`, in C++ with `= {}`, and set what is needed. (In C++ designated
 * initialisers make g++ warn of the members that are left out, and struct smoothimg_filter needs
 * its first word, since a function has its name.) */
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
#define SMOOTHIMG_MAX_AXES 64     /* of an array */
/* The greatest number of axes that a filter filters, and of its terms. */
#define SMOOTHIMG_MAX_FILTERED 32

#if defined __GNUC__
#define SMOOTHIMG_API __attribute__((visibility("default")))
#else
#define SMOOTHIMG_API
#endif

enum smoothimg_status {
    SMOOTHIMG_OK,
    SMOOTHIMG_INVALID,     /* an argument is out of range; smoothimg_message() says which one */
    SMOOTHIMG_NO_MEMORY,   /* of the host or of the device */
    SMOOTHIMG_UNSUPPORTED, /* valid, but the chosen variant cannot compute it */
    SMOOTHIMG_NO_DEVICE,   /* no usable GPU, or a library built without CUDA */
    SMOOTHIMG_FAILED       /* a call of CUDA failed: the context can only be closed */
};

enum smoothimg_op { SMOOTHIMG_SMOOTH, SMOOTHIMG_TRANSPOSE, SMOOTHIMG_REVERSE };

enum smoothimg_memory {
    SMOOTHIMG_HOST,
    SMOOTHIMG_CUDA /* of the context's device, or managed memory */
};

/* In native byte order. A bool is a byte, 0 or 1; F16, F32 and F64 are the binary formats of
 * IEEE 754. A complex array is an array with an axis of 2. */
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

/* An array in the caller's memory, with any strides and any address. GPU variants of images are
 * fastest if rows begin at multiples of 16. On a device, bytes beside a row are read too, within
 * the aligned units of 16 bytes that contain a part of the row. */
struct smoothimg_array {
    void *data; /* the first sample, at any address; on a device at a multiple of its size */
    int axes;
    const int64_t *shape; /* samples along each axis, 0 or more */
    /* Bytes from a sample to the next along each axis, of any sign; NULL: no gaps, and the samples
     * of the last axis are contiguous. */
    const int64_t *strides;
    enum smoothimg_type type;
    enum smoothimg_memory memory;
    uint64_t maxval; /* uint8 and uint16: no sample is greater; 0: the type's maximum */
};

/* The samples outside an array: outside | abcd | outside */
enum smoothimg_edge {
    SMOOTHIMG_REFLECT, /* cba|abcd|dcb */
    SMOOTHIMG_NEAREST, /* aaa|abcd|ddd */
    SMOOTHIMG_MIRROR,  /* dcb|abcd|cba */
    SMOOTHIMG_WRAP,    /* bcd|abcd|abc */
    SMOOTHIMG_CONSTANT /* kkk|abcd|kkk, k being the filter's `outside` */
};

/* Filters an axis with the Gaussian's derivative of this order. All zeros: the axis is not
 * filtered. */
struct smoothimg_axis {
    double sigma; /* samples; 0: exactly a third of the radius */
    /* Samples, up to SMOOTHIMG_MAX_RADIUS; 0: floor(4 sigma + 1/2), as SciPy; -1: radius 0, the
     * sample alone. */
    int64_t radius;
    int order; /* 0: smooth; a higher order needs a larger sigma */
    enum smoothimg_edge edge;
    /* Factor of a derivative's weights, applied before they are rounded: 2^-20 to 2^20; 0: 1. */
    double scale;
};

enum smoothimg_combination {
    /* The sum of the terms: a single term smooths, one for each axis is a Laplacian. */
    SMOOTHIMG_ADD,
    SMOOTHIMG_MAGNITUDE, /* the root of the sum of the terms' squares: a gradient's magnitude */
    /* Each term is a result of its own: a gradient's components, a Hessian. */
    SMOOTHIMG_APART
};

enum smoothimg_norm {
    SMOOTHIMG_SUM,     /* the weights sum to 1: constant areas stay unchanged */
    SMOOTHIMG_ANALYTIC /* the weights are the density of the normal distribution, at whole samples
                        */
};

/* Which samples count. */
enum smoothimg_missing {
    /* All samples count. Where a sample is NaN, each result to which it contributes with a weight
     * that is not 0 becomes NaN. */
    SMOOTHIMG_ALL,
    /* The last axis, which is not smoothed, holds colours and then alpha, which weights the
       colours. A colour keeps its value where the weights sum to 0. It becomes NaN, or the integer
       0, where an alpha is infinite or NaN. */
    SMOOTHIMG_ALPHA,
    /* A NaN is a missing sample: the result is the mean of the others; if there are none, NaN or
     * the integer 0. No effect on integers. */
    SMOOTHIMG_NAN
};

/* Terms may have sigmas, radii and edge rules of their own. SMOOTHIMG_ALPHA and SMOOTHIMG_NAN are
 * for one term that smooths. GPUs serve them where it smooths one or two axes by one edge rule,
 * whose constant is 0, of uint8, uint16 or float32 samples into the same type, in arrays whose
 * pixels lie side by side; of these alpha not for float32. Else smoothimg_filter() returns
 * SMOOTHIMG_UNSUPPORTED. */
struct smoothimg_filter_options {
    int axes;  /* of the arrays */
    int terms; /* 0 is 1 */
    /* axis[t * axes + a] is for term t and the array's axis a. */
    const struct smoothimg_axis *axis;
    enum smoothimg_combination combination;
    enum smoothimg_norm norm; /* analytic: of terms that smooth */
    enum smoothimg_missing missing;
    /* The constant of SMOOTHIMG_CONSTANT; at most one of these is not 0. The last two are for
     * integers of 64 bits, which a double may not hold. */
    double outside; /* finite */
    int64_t outside_i64;
    uint64_t outside_u64;
};

struct smoothimg_filter;
struct smoothimg_context;

/* Opens a context, which holds working memory and the message of the last failure. threads: how
 * many may compute arrays of the host at the same time, the caller's included; 0: one for each
 * processor that the process may use. A call uses only as many as shorten it. Where several
 * contexts compute at the same time, all computing threads together are at most as many as the
 * processors or, if that is more, as the call may use alone. A thread is started when it is first
 * needed. Then it stays, and sleeps without work.
 * SMOOTHIMG_INVALID if threads is negative or above 1024, SMOOTHIMG_NO_MEMORY: *context is NULL
 * then. The caller closes it. */
SMOOTHIMG_API enum smoothimg_status smoothimg_open(int threads, struct smoothimg_context **context);

/* Lets the context serve arrays in the memory of this CUDA device, 0 or more: starts CUDA if the
 * process has not done so, which takes 0.2 s. Once for a context: SMOOTHIMG_INVALID for a second
 * device. SMOOTHIMG_NO_DEVICE if there is none. The thread's current device stays what it was, here
 * and in all other calls. */
SMOOTHIMG_API enum smoothimg_status smoothimg_use_device(struct smoothimg_context *context,
                                                         int device);

/* Frees the context, after it has waited for its work on the device. Filters that it made stay
 * valid. NULL is allowed. */
SMOOTHIMG_API void smoothimg_close(struct smoothimg_context *context);

/* Returns a sentence about the last failure of a call with this context, without a full stop; "" if
 * there was none; for a NULL context "context is NULL". Valid until the next call with the context.
 */
SMOOTHIMG_API const char *smoothimg_message(const struct smoothimg_context *context);

/* Computes the weights of a filter: milliseconds for the largest radius. They are in units of 2^-62
 * where the source has doubles or integers of 32 or 64 bits, or the result has and one of the two
 * has floats, else in units of 2^-46. SMOOTHIMG_INVALID for what is out of range, or if analytic
 * weights sum to 4 or more. *filter is NULL after a failure. The caller frees it; any number of
 * threads may use it. */
SMOOTHIMG_API enum smoothimg_status
smoothimg_filter_create(struct smoothimg_context *context,
                        const struct smoothimg_filter_options *options,
                        struct smoothimg_filter **filter);

/* Frees the filter. Must not be called while a call uses it. Work that is enqueued on a device does
 * not use it. NULL is allowed. */
SMOOTHIMG_API void smoothimg_filter_free(struct smoothimg_filter *filter);

/* Allocates the working memory for filtering such arrays with such a filter, and prepares what can
 * be: later calls with this filter and arrays of these shapes and strides in the same kind of
 * memory, or with fewer or smaller images, allocate no memory but the stacks of threads. For arrays
 * on a device this waits for the device, and later calls do not. The arrays' data is not used, and
 * may be NULL. dst: the first one; smaller than src: for parts of it, wherever they begin. For
 * arrays of the host that a device computes nothing is allocated in advance. filter: NULL: for
 * smoothimg_move, which needs no dst here. */
SMOOTHIMG_API enum smoothimg_status smoothimg_reserve(struct smoothimg_context *context,
                                                      const struct smoothimg_filter *filter,
                                                      const struct smoothimg_array *src,
                                                      const struct smoothimg_array *dst);

/* Sets *bytes to the working memory of the host that smoothimg_filter takes for such a call, for
 * all threads that compute it; in a context that has made no call yet it allocates so much. 0 for
 * what a device computes. The arrays' data is not used, and may be NULL. dst: the first one. Fails
 * as smoothimg_filter does, for what shapes and types tell. */
SMOOTHIMG_API enum smoothimg_status smoothimg_measure(struct smoothimg_context *context,
                                                      const struct smoothimg_filter *filter,
                                                      const struct smoothimg_array *src,
                                                      const struct smoothimg_array *dst,
                                                      const int64_t *first, int64_t *bytes);

/* Filters src into dst, which has any strides and any type, and does not reach into the memory that
 * src reaches over (images in rows of one pitch may lie side by side): SMOOTHIMG_INVALID if it
 * does, and nothing is written. dst: one array; with SMOOTHIMG_APART one for each term, all of one
 * shape and type. Gaps in dst are not written. src is not written, and may be read-only memory. The
 * structs may be reused when the call returns.
 *
 * first: NULL: both have the same shape; else dst is the part of the result that begins at these
 * places, one for each axis. So arrays are filtered in parts, whose sources have as many samples
 * beside them as the filter reaches and as exist: where src ends, the edge rule applies.
 *
 * Each sample of the result is the real number that the filter gives, rounded once: integers to
 * nearest, halves up, and clamped to the type's range; floats to nearest, ties to even, an exact
 * zero to +0. A NaN in the window, where its weight is not 0, gives a NaN, or the integer 0.
 *
 * In the host's memory: returns when it is done; stream is NULL. Working memory: some hundred
 * kilobytes for each thread for images of bytes, about three megabytes for others and for arrays,
 * more for large radii: smoothimg_measure(). If the context has a device, and a variant of a GPU is
 * chosen (smoothimg_choose), that device computes: src is copied there and dst back, by the
 * context's threads. What it has no memory for it computes in parts along the first axis that dst
 * has several places of, unless SMOOTHIMG_WRAP reaches over an end of src there.
 *
 * In a device's memory: enqueues the work on stream, a cudaStream_t of the context's device (NULL:
 * the default stream), and returns. After smoothimg_reserve it neither allocates nor waits, and may
 * be captured into a graph; without, the first call for a shape does both. Working memory: about
 * half a gigabyte for large arrays that are no images, more where a slice across the first filtered
 * axis has more. The calls of a context share it, and wait for each other on the device if they are
 * on different streams: for work that overlaps, and for a graph that runs beside other calls, open
 * several contexts. SMOOTHIMG_FAILED if a launch fails; errors that the device finds later appear
 * in the caller's stream. */
SMOOTHIMG_API enum smoothimg_status smoothimg_filter(struct smoothimg_context *context,
                                                     const struct smoothimg_filter *filter,
                                                     const struct smoothimg_array *src,
                                                     const struct smoothimg_array *dst,
                                                     const int64_t *first, void *stream);

/* Moves samples: axis a of dst is axis axes[a] of src, backwards if flip[a] is not 0. axes: NULL:
 * in the same order; flip: NULL: none is. {1, 0} is a transpose; a flip of both axes is a turn by
 * 180 degrees. Both arrays have the same type, and do not reach into each other's memory. Bits are
 * kept. Needs no working memory on the host. On a device: one swap of two axes, or a flip of two,
 * of rows without gaps; else SMOOTHIMG_UNSUPPORTED. The rest is as for smoothimg_filter. */
SMOOTHIMG_API enum smoothimg_status smoothimg_move(struct smoothimg_context *context,
                                                   const int *axes, const int *flip,
                                                   const struct smoothimg_array *src,
                                                   const struct smoothimg_array *dst, void *stream);

/* Waits until all work that calls of this context have enqueued on its device is done, whatever
 * their streams; at once if there is none. Work that was captured into a graph is not waited for.
 * The emulated device does work only when it is waited for: by this, or by a function of CUDA.
 * SMOOTHIMG_FAILED if the device has found an error. */
SMOOTHIMG_API enum smoothimg_status smoothimg_wait(struct smoothimg_context *context);

/* For tests and for study: computes with the variant of this name, such as "reference", wherever an
 * operation has it; NULL: with the fastest again. With one of a GPU the context's device, if it has
 * one, computes arrays of the host too. "arrays" is the engine of arrays, for images too.
 * SMOOTHIMG_INVALID, and the choice stays what it was, if no operation has it. */
SMOOTHIMG_API enum smoothimg_status smoothimg_choose(struct smoothimg_context *context,
                                                     const char *variant);

/* Returns the name of what computed in the last call that computed anything: a variant, one of its
 * engines, such as "cpu:u8", "arrays", or "copy"; "" if there was none. Valid as long as the
 * library is loaded. */
SMOOTHIMG_API const char *smoothimg_chosen(const struct smoothimg_context *context);

/* Returns the name of variant number `index` of an operation for arrays in that memory, from plain
 * to fast, or NULL after the last one. */
SMOOTHIMG_API const char *smoothimg_variant(enum smoothimg_op op, enum smoothimg_memory memory,
                                            int index);

/* Returns the version of the linked library: "0.2.0". The macros above are the header's version. */
SMOOTHIMG_API const char *smoothimg_version(void);

#ifdef __cplusplus
}
#endif
#endif
