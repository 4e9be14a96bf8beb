/* SPDX-License-Identifier: MIT */
/* libsmoothimg: exact Gaussian smoothing, transposition and reversal of images in the memory of the
 * host or of a GPU.
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
 * A NULL that is not said to be allowed is SMOOTHIMG_INVALID. What has been closed or freed must not
 * be used again, nor closed again.
 *
 * Every member of a struct that is left 0 has its default, and later versions may have more
 * members: begin with `= {0}`, in C++ with `= {}`, and set what is needed. (In C++ designated
 * initialisers make g++ warn of the members that are left out.) */
#ifndef SMOOTHIMG_LIBRARY_H
#define SMOOTHIMG_LIBRARY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMOOTHIMG_VERSION_MAJOR 0
#define SMOOTHIMG_VERSION_MINOR 1
#define SMOOTHIMG_VERSION_PATCH 0

#define SMOOTHIMG_MAX_HALO 1024 /* pixels */

#if defined __GNUC__
#define SMOOTHIMG_API __attribute__((visibility("default")))
#else
#define SMOOTHIMG_API
#endif

enum smoothimg_status {
    SMOOTHIMG_OK,
    SMOOTHIMG_INVALID,     /* an argument is out of range: smoothimg_message() says which */
    SMOOTHIMG_NO_MEMORY,   /* of the host or of the device */
    SMOOTHIMG_UNSUPPORTED, /* valid, but the chosen variant does not do it */
    SMOOTHIMG_NO_DEVICE,   /* no usable GPU, or a library built without CUDA */
    SMOOTHIMG_FAILED       /* a call of CUDA failed: the context can only be closed */
};

enum smoothimg_op { SMOOTHIMG_SMOOTH, SMOOTHIMG_TRANSPOSE, SMOOTHIMG_REVERSE };

enum smoothimg_memory {
    SMOOTHIMG_HOST,
    SMOOTHIMG_CUDA /* of the context's device, or managed memory */
};

/* In native byte order. Images have samples of the first three; arrays of all. A bool is a byte, 0
 * or 1; F16, F32 and F64 are the binary formats of IEEE 754. */
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

/* The pixels outside an image: outside | abcd | outside */
enum smoothimg_edge {
    SMOOTHIMG_CLAMP,   /* aaa|abcd|ddd */
    SMOOTHIMG_REFLECT, /* cba|abcd|dcb */
    SMOOTHIMG_MIRROR,  /* dcb|abcd|cba */
    SMOOTHIMG_WRAP,    /* bcd|abcd|abc */
    SMOOTHIMG_ZERO     /* 000|abcd|000 */
};

enum smoothimg_norm {
    SMOOTHIMG_SUM,     /* the weights sum to 1: constant areas stay unchanged */
    SMOOTHIMG_ANALYTIC /* the weights are the density of the normal distribution, at whole pixels */
};

/* One image, or several of one shape, in the caller's memory. The samples of a pixel lie side by
 * side. Any pitch and address serve; GPU variants are fastest where both are multiples of 16. On a
 * device, bytes beside a row are read too, within aligned units of 16 that the row is in. */
struct smoothimg_image {
    void *data;       /* first sample of pixel (0, 0) of the first image; aligned as its type */
    int64_t width;    /* pixels, at least 1 */
    int64_t height;   /* rows, at least 1 */
    int64_t pitch;    /* bytes from a row to the next: a multiple of the sample's size, at least the
                         row's; 0: the rows follow each other without a gap */
    int64_t count;    /* images; 0 is 1 */
    int64_t stride;   /* bytes from an image to the next, at least an image's; 0: without a gap */
    int32_t channels; /* samples of a pixel, at least 1 */
    enum smoothimg_type type;
    enum smoothimg_memory memory;
    uint32_t maxval; /* no sample is greater: 1 to the type's maximum; 0 is the type's maximum.
                        SMOOTHIMG_F32: 0 */
    int64_t border;  /* pixels on each side of each image that the caller has filled by the edge
                        rule of the filter that is used: a source with a border of at least the
                        greater halo is not copied, unless it is one of several small ones on a
                        device. Elsewhere it is ignored. At most 2^20. */
};

/* What a filter is made of: for each axis a halo and a sigma. Where only one of the two is given,
 * the halo is ceil(3 sigma), or sigma exactly a third of the halo. Where both are 0, the image is
 * not smoothed along that axis. All zero is the identity. For SciPy's radius set the halo to
 * (int64_t)(truncate * sigma + 0.5), and where that is 0 the sigma to 0 too. */
struct smoothimg_filter_options {
    int64_t halo_x, halo_y;  /* pixels, 0..SMOOTHIMG_MAX_HALO */
    double sigma_x, sigma_y; /* pixels, 0 or more */
    enum smoothimg_norm norm;
    enum smoothimg_edge edge;
    int alpha_weighted; /* not 0: the last channel is alpha, and weighs the others. With floats:
                           SMOOTHIMG_UNSUPPORTED */
    int skip_nan;       /* not 0: of floats a NaN is no sample, and the mean of the rest counts.
                           0: a NaN makes each sample NaN for which its weight is not 0 */
};

struct smoothimg_filter;
struct smoothimg_context;

/* Opens a context, which holds working memory and the message of the last failure. threads: how
 * many may compute images of the host at the same time, the caller's included; 0: one for each
 * processor that the process may use. A call takes only those that its work pays for; where
 * several contexts compute, no more than are left of the processors, or of as many as it may take
 * alone. A thread is started when it is first needed. Then it stays, and sleeps without work.
 * SMOOTHIMG_INVALID if threads is negative or above 1024, SMOOTHIMG_NO_MEMORY: *context is NULL
 * then. The caller closes it. */
SMOOTHIMG_API enum smoothimg_status smoothimg_open(int threads, struct smoothimg_context **context);

/* Lets the context serve images in the memory of this CUDA device, 0 or more: starts CUDA if the
 * process has not done so, which takes 0.2 s. Once for a context: SMOOTHIMG_INVALID for a second
 * device. SMOOTHIMG_NO_DEVICE if there is none. The thread's current device stays what it was, here
 * and in all other calls. */
SMOOTHIMG_API enum smoothimg_status smoothimg_use_device(struct smoothimg_context *context,
                                                         int device);

/* Frees the context, after it has waited for its work on the device. Filters that it made stay
 * valid. NULL is allowed. */
SMOOTHIMG_API void smoothimg_close(struct smoothimg_context *context);

/* A sentence about the last failure of a call with this context, without a full stop; "" if there
 * was none; of NULL "context is NULL". Valid until the next call with the context. */
SMOOTHIMG_API const char *smoothimg_message(const struct smoothimg_context *context);

/* Computes the weights of a filter: milliseconds for the largest halo. SMOOTHIMG_INVALID if a
 * halo or a sigma is out of range, or analytic weights sum to 4 or more. *filter is NULL after a
 * failure. The caller frees it. */
SMOOTHIMG_API enum smoothimg_status
smoothimg_filter_create(struct smoothimg_context *context,
                        const struct smoothimg_filter_options *options,
                        struct smoothimg_filter **filter);

/* Not while a call uses it; work that such a call has enqueued on a device does not. NULL is
 * allowed. */
SMOOTHIMG_API void smoothimg_filter_free(struct smoothimg_filter *filter);

/* Allocates the working memory for smoothing such images with such a filter, and prepares what can
 * be: later calls with images of this shape or a smaller one in the same kind of memory, and this
 * filter, allocate no memory but the stacks of threads. For images on a device this waits for the
 * device, and later calls do not. like->data is not used, and may be NULL. filter: NULL for
 * transpose and reverse. */
SMOOTHIMG_API enum smoothimg_status smoothimg_reserve(struct smoothimg_context *context,
                                                      const struct smoothimg_filter *filter,
                                                      const struct smoothimg_image *like);

/* Smooths each image of *src into that of *dst. Both have the same width, height, count, channels,
 * type, maxval and memory, and share no byte of a row: SMOOTHIMG_INVALID if not, and nothing is
 * written. Bytes between the rows of dst are not written. src is not written, and may be read-only
 * memory. The structs may be reused when the call returns.
 *
 * In the host's memory: returns when it is done; stream is NULL. Working memory: some hundred
 * kilobytes for each thread, a megabyte for stacks of small images; more for large halos.
 *
 * In a device's memory: enqueues the work on stream, a cudaStream_t of the context's device (NULL:
 * the default stream), and returns. After smoothimg_reserve it neither allocates nor waits, and may
 * be captured into a graph; without, the first call for a shape does both. The calls of a context
 * share its working memory, and wait for each other on the device if they are on different
 * streams: for work that overlaps, and for a graph that runs beside other calls, open several
 * contexts. SMOOTHIMG_FAILED if a launch fails; errors that the device finds later appear in the
 * caller's stream. */
SMOOTHIMG_API enum smoothimg_status smoothimg_smooth(struct smoothimg_context *context,
                                                     const struct smoothimg_filter *filter,
                                                     const struct smoothimg_image *src,
                                                     const struct smoothimg_image *dst,
                                                     void *stream);

/* dst pixel (x, y) is src pixel (y, x): dst has the width that src has as its height. The rest is
 * as for smoothimg_smooth. */
SMOOTHIMG_API enum smoothimg_status smoothimg_transpose(struct smoothimg_context *context,
                                                        const struct smoothimg_image *src,
                                                        const struct smoothimg_image *dst,
                                                        void *stream);

/* A turn by 180 degrees: the last pixel of the last row comes first. The rest is as for
 * smoothimg_smooth. */
SMOOTHIMG_API enum smoothimg_status smoothimg_reverse(struct smoothimg_context *context,
                                                      const struct smoothimg_image *src,
                                                      const struct smoothimg_image *dst,
                                                      void *stream);

/* Arrays of any number of axes and any type: volumes, stacks, series, derivatives. */

#define SMOOTHIMG_MAX_AXES 64     /* of an array */
#define SMOOTHIMG_MAX_FILTERED 32 /* of these, how many a filter may filter */

#define SMOOTHIMG_NO_HALO (-1) /* the halo of an axis that is 0, though a sigma is given */

/* How an axis of an array is filtered: by the Gaussian's derivative of this order. Where only one
 * of halo and sigma is given, the halo is SciPy's, (int64_t)(4 * sigma + 0.5), or sigma exactly a
 * third of the halo. Where both are 0, the axis is left alone. For another truncate than 4 set the
 * halo to (int64_t)(truncate * sigma + 0.5), and where that is 0 to SMOOTHIMG_NO_HALO. */
struct smoothimg_axis {
    int64_t halo;             /* samples, 0..SMOOTHIMG_MAX_HALO, or SMOOTHIMG_NO_HALO */
    double sigma;             /* samples, 0 or more */
    int order;                /* 0: smooth; the higher, the larger has sigma to be */
    enum smoothimg_edge edge; /* SMOOTHIMG_ZERO: what is outside is the filter's `outside` */
    double scale;             /* of a derivative: its weights are multiplied by it, before they are
                                 rounded: 2^-20 to 2^20; 0: 1 */
};

enum smoothimg_combination {
    SMOOTHIMG_ADD,      /* the sum of the terms: one smooths, one for each axis is a Laplacian */
    SMOOTHIMG_MAGNITUDE /* the root of the sum of their squares: of a gradient */
};

/* Each term filters the same axes, with the same halos. */
struct smoothimg_array_filter_options {
    int axes, terms;                   /* of the arrays; at least 1 term */
    const struct smoothimg_axis *axis; /* of term t and the array's axis a: axis[t * axes + a] */
    enum smoothimg_combination combination;
    /* What is outside, of any source: at most one of these is not 0. The last two are for integers
     * that a double may not hold, as of 64 bits. */
    double outside; /* finite */
    int64_t outside_i64;
    uint64_t outside_u64;
};

struct smoothimg_array_filter;

/* An array in the caller's memory. */
struct smoothimg_array {
    void *data; /* its first sample; at any address, on a device at a multiple of its size */
    int axes;
    const int64_t *shape;   /* 0 or more for each axis */
    const int64_t *strides; /* bytes from a sample to the next along each axis, of any sign; NULL:
                               no gaps, and the last axis' samples side by side */
    enum smoothimg_type type;
    enum smoothimg_memory memory;
};

/* Computes the weights: in units of 2^-62 where the source has doubles or integers of 32 or 64
 * bits, or the result has and one of the two has floats, else in units of 2^-46. SMOOTHIMG_INVALID
 * for what is out of range. *filter is NULL after a failure. The caller frees it; any number of
 * threads may use it. */
SMOOTHIMG_API enum smoothimg_status
smoothimg_array_filter_create(struct smoothimg_context *context,
                              const struct smoothimg_array_filter_options *options,
                              struct smoothimg_array_filter **filter);

/* Not while a call uses it. NULL is allowed. */
SMOOTHIMG_API void smoothimg_array_filter_free(struct smoothimg_array_filter *filter);

/* Filters src into dst, which has any strides and any type, and does not reach into the memory that
 * src reaches over. first: NULL: both have the same shape; else dst is the part of the result that
 * begins at these places, one for each axis: for arrays that are computed in parts, whose sources
 * have as many samples beside them as the filter reaches. Each sample of the result is the real
 * number that the filter gives, rounded once: integers to nearest, halves up, and clamped to the
 * type's range; floats to nearest, ties to even, an exact zero to +0. A NaN in the window, where
 * its weight is not 0, gives a NaN, or the integer 0. (A complex array is two calls, of its parts.)
 * stream: as for smoothimg_smooth; both arrays lie in the same memory. Working memory: on the host
 * about three megabytes for each thread, more for large halos; on a device about half a gigabyte
 * for large arrays, more where a slice across the first filtered axis has more. */
SMOOTHIMG_API enum smoothimg_status
smoothimg_filter_array(struct smoothimg_context *context,
                       const struct smoothimg_array_filter *filter,
                       const struct smoothimg_array *src, const struct smoothimg_array *dst,
                       const int64_t *first, void *stream);

/* Waits until all work that calls of this context have enqueued on its device is done, whatever
 * their streams; at once if there is none. Work that was captured into a graph is not waited for.
 * The emulated device does work only when it is waited for: by this, or by a function of CUDA.
 * SMOOTHIMG_FAILED if the device has found an error. */
SMOOTHIMG_API enum smoothimg_status smoothimg_wait(struct smoothimg_context *context);

/* For tests and for study: computes with the variant of this name, such as "reference", wherever an
 * operation has it; NULL: with the fastest again. SMOOTHIMG_INVALID, and the choice stays what it
 * was, if no operation has it. */
SMOOTHIMG_API enum smoothimg_status smoothimg_choose(struct smoothimg_context *context,
                                                     const char *variant);

/* The name of variant number `index` of an operation for images in that memory, from plain to fast;
 * NULL past the last one. */
SMOOTHIMG_API const char *smoothimg_variant(enum smoothimg_op op, enum smoothimg_memory memory,
                                            int index);

/* Of the library that is linked: "0.1.0". The macros above are the header's. */
SMOOTHIMG_API const char *smoothimg_version(void);

#ifdef __cplusplus
}
#endif
#endif
