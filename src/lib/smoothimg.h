/* SPDX-License-Identifier: MIT */
/* libsmoothimg: exact Gaussian smoothing, transposition and reversal of images in memory.
 *
 * Every sample of a result is the one that the definition gives (smoothimg(1), THE FILTER),
 * whatever the variant, the processor, the number of threads and the number of images in a call.
 *
 * The library opens no file, prints nothing, ends nothing, installs no signal handler, reads no
 * environment variable and changes no state of the process.
 *
 * Threads: a filter never changes, and any number of threads may use it at the same time. A context
 * may be used by one thread at a time; different contexts are independent. */
#ifndef SMOOTHIMG_LIBRARY_H
#define SMOOTHIMG_LIBRARY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMOOTHIMG_MAX_HALO 1024 /* pixels */

#if defined __GNUC__
#define SMOOTHIMG_API __attribute__((visibility("default")))
#else
#define SMOOTHIMG_API
#endif

enum smoothimg_status {
    SMOOTHIMG_OK,
    SMOOTHIMG_INVALID,     /* an argument is out of range: smoothimg_message() says which */
    SMOOTHIMG_NO_MEMORY,   /* of the host */
    SMOOTHIMG_UNSUPPORTED, /* valid, but not supported */
    SMOOTHIMG_FAILED       /* a variant failed to run */
};

enum smoothimg_type { SMOOTHIMG_U8, SMOOTHIMG_U16 }; /* uint8_t; uint16_t in native byte order */

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
 * side. Fill it with `= {0}` first: later versions may have more members, for which 0 is right. */
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
    uint32_t maxval; /* no sample is greater: 1 to the type's maximum; 0 is the type's maximum */
    int64_t border;  /* pixels on each side of each image that the caller has filled by the edge
                        rule of the filter that is used: a source with a border of at least the
                        halo is not copied. Elsewhere it is ignored. At most 2^20. */
};

/* What a filter is made of. All zero is the identity. */
struct smoothimg_filter_options {
    int64_t halo_x, halo_y;  /* pixels, 0..SMOOTHIMG_MAX_HALO; if both are 0: ceil(3 sigma) */
    double sigma_x, sigma_y; /* pixels, above 0; if both are 0: a third of the halo */
    enum smoothimg_norm norm;
    enum smoothimg_edge edge;
    int alpha_weighted; /* not 0: the last channel is alpha, and weighs the others */
};

struct smoothimg_filter;
struct smoothimg_context;

/* Opens a context, which holds working memory and the message of the last failure. threads: how
 * many may compute at the same time, the caller's included; 0: one for each processor that the
 * process may use. SMOOTHIMG_INVALID if threads is negative or above 1024, SMOOTHIMG_NO_MEMORY:
 * *context is NULL then. The caller closes it. */
SMOOTHIMG_API enum smoothimg_status smoothimg_open(int threads, struct smoothimg_context **context);

/* Frees the context. Filters that it made stay valid. NULL is allowed. */
SMOOTHIMG_API void smoothimg_close(struct smoothimg_context *context);

/* A sentence about the last failure of a call with this context, without a full stop; "" if there
 * was none. Valid until the next call with the context. */
SMOOTHIMG_API const char *smoothimg_message(const struct smoothimg_context *context);

/* Computes the weights of a filter: milliseconds for the largest halo. halo_x and halo_y have to be
 * equal, and sigma_x and sigma_y: SMOOTHIMG_UNSUPPORTED if they are not. SMOOTHIMG_INVALID also if
 * analytic weights sum to 4 or more. *filter is NULL after a failure. The caller frees it. */
SMOOTHIMG_API enum smoothimg_status
smoothimg_filter_create(struct smoothimg_context *context,
                        const struct smoothimg_filter_options *options,
                        struct smoothimg_filter **filter);

/* NULL is allowed. */
SMOOTHIMG_API void smoothimg_filter_free(struct smoothimg_filter *filter);

/* Allocates the working memory for smoothing such images with such a filter: later calls with
 * images of this shape or a smaller one, and halos of this size or less, allocate no memory but the
 * stacks of threads. like->data is not used, and may be NULL. */
SMOOTHIMG_API enum smoothimg_status smoothimg_reserve(struct smoothimg_context *context,
                                                      const struct smoothimg_filter *filter,
                                                      const struct smoothimg_image *like);

/* Smooths each image of *src into that of *dst. Both have the same width, height, count, channels,
 * type and maxval, and share no byte of a row: SMOOTHIMG_INVALID if not, and nothing is written.
 * Bytes between the rows of dst are not written. src is not written, and may be read-only memory.
 * Working memory: about half a megabyte for each thread; more for long rows and large halos. */
SMOOTHIMG_API enum smoothimg_status smoothimg_smooth(struct smoothimg_context *context,
                                                     const struct smoothimg_filter *filter,
                                                     const struct smoothimg_image *src,
                                                     const struct smoothimg_image *dst);

/* dst pixel (x, y) is src pixel (y, x): dst has the width that src has as its height. The rest is
 * as for smoothimg_smooth. */
SMOOTHIMG_API enum smoothimg_status smoothimg_transpose(struct smoothimg_context *context,
                                                        const struct smoothimg_image *src,
                                                        const struct smoothimg_image *dst);

/* A turn by 180 degrees: the last pixel of the last row comes first. The rest is as for
 * smoothimg_smooth. */
SMOOTHIMG_API enum smoothimg_status smoothimg_reverse(struct smoothimg_context *context,
                                                      const struct smoothimg_image *src,
                                                      const struct smoothimg_image *dst);

/* For tests and for study: computes with the variant of this name, such as "reference", wherever an
 * operation has it; NULL: with the fastest again. SMOOTHIMG_INVALID if no operation has it. */
SMOOTHIMG_API enum smoothimg_status smoothimg_choose(struct smoothimg_context *context,
                                                     const char *variant);

/* "0.1.0" */
SMOOTHIMG_API const char *smoothimg_version(void);

#ifdef __cplusplus
}
#endif
#endif
