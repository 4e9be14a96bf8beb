/* SPDX-License-Identifier: MIT */
/* The contract between the host and what computes: what is asked (a request), who computes it (an
 * engine, whose choice and state a plan keeps), and the pieces that it computes. Both C and CUDA
 * C++ include this header.
 *
 * The host plans, allocates and copies; an engine only computes:
 *  - run() reads the piece's src and writes every sample of its dst and nothing else: not the bytes
 *    between a row's end and the next row either.
 *  - src and dst never overlap. An engine never writes to src.
 *  - smooth reads what src has beside the piece's pixels (piece->beside), and where that ends,
 * before the filter does, the edge rule tells what is there. transpose and reverse get halos of 0.
 *  - Any size from 1x1 is legal, any channel count from 1, rows of any stride, and more than 2^31
 *    samples: offsets have 64 bits.
 *  - On the GPU, an engine may read a whole aligned unit of 16 bytes if one of its bytes belongs to
 * a row of src.
 *  - run() neither allocates nor prints nor exits. Its working memory is piece->scratch: as many
 *    bytes as scratch_bytes() returned, aligned to 64, with unspecified contents.
 *  - All engines of an operation give the same bytes. The variant marked `reference` defines them.
 */
#ifndef SMOOTHIMG_VARIANT_H
#define SMOOTHIMG_VARIANT_H

#if defined __FAST_MATH__ || __FINITE_MATH_ONLY__ + 0 > 0
#error "the bounds of errors need IEEE arithmetic: compile without -ffast-math"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_HALO 1024 /* pixels */

/* The maxval of an image whose samples are binary32: 4 bytes in the machine's byte order, with any
 * bits, NaN and infinities included. Of no integers: theirs is 1 or more. */
#define FLOAT_SAMPLES 0u

enum op { OP_SMOOTH, OP_TRANSPOSE, OP_REVERSE, OP_COUNT };
enum backend { ON_CPU, ON_GPU };

/* An image in the memory of the engine's backend, which the view does not own. Samples of a pixel
 * lie side by side. */
struct view {
    void *origin;         /* first sample of pixel (0, 0) */
    int64_t width;        /* pixels in a row */
    int64_t height;       /* rows */
    int64_t stride_bytes; /* from a sample to the one below it; a multiple of sample_bytes */
    int32_t channels;     /* samples in a pixel */
    int32_t sample_bytes; /* 1: uint8_t; 2: uint16_t; 4: float; in the machine's byte order */
};

struct isa;       /* common/isa.h */
struct array_job; /* common/arrays.h */

/* How many pixels, and rows, of a source lie on each side of what is computed: these are there too,
 * at the same distances. Where they end, the edge rule applies. */
struct beside {
    int64_t left, right, above, below; /* 0 or more */
};

/* What is asked, of images that are alike: many pieces share it, and threads. */
struct request {
    /* The largest piece: the others have its kind of samples and its strides, and no more rows or
     * columns. origin: a place that lies as theirs do (modulo 16), or NULL, if they lie well. */
    struct view src;
    struct view dst;      /* transpose: dst.width == src.height; else the same size as src */
    struct beside beside; /* smooth: of src; other pieces may have more or less */
    int64_t images;       /* a stack of images of one shape; 0 is 1 */
    int64_t src_apart, dst_apart; /* bytes from an image of it to the next */

    uint32_t maxval;        /* the greatest sample of src; 1..255 with 1 byte, 1..65535 with 2;
                               FLOAT_SAMPLES with 4 */
    bool weighted;          /* smooth: the last channel, of two or more, is alpha and weighs the
                               others: smooth/reference.c */
    bool skip_nan;          /* smooth, floats: a NaN is no sample; the rest is divided by the sum of
                               its weights */
    int64_t halo;           /* smooth: the greater of the next two */
    int64_t halo_x, halo_y; /* smooth: reach of the filter along the rows, down the columns; 0:
                               that axis is left alone */
    /* smooth: 2 * halo_x + 1 and 2 * halo_y + 1 of them, symmetric, in units of 2^-46; always in
     * the host's memory: kernels get them as an argument. May be one array. */
    const uint64_t *weights_x, *weights_y;
    int edge; /* smooth: where src ends, an enum edge (common/edge.h) */

    /* smooth: of arrays that are no images; then src and dst have the origins only, and of the
     * rest of this struct nothing counts. NULL: of images */
    const struct array_job *arrays;

    int threads; /* CPU: how many may compute a piece at once, at least 1 */
    int block;   /* GPU: edge of the thread block that --block asks for; 0: the engine's */
    const struct isa *isa; /* CPU: whose inner loops to use; NULL: the highest */
};

/* What is computed by one call of an engine. */
struct piece {
    const struct request *request; /* of the plan that it is computed by */
    const void *state;             /* of that plan */
    struct view src, dst;          /* of a stack the first image */
    struct beside beside;          /* smooth */
    int64_t images;                /* of the stack, at most the request's */
    void *scratch;                 /* in the backend's memory; the host owns it */
    void *stream; /* GPU: the cudaStream_t to launch on. run() enqueues and returns */
};

/* Does src have all that the filter reaches? */
static inline bool source_has_all(const struct piece *piece)
{
    const struct beside *beside = &piece->beside;
    const struct request *request = piece->request;

    return beside->left >= request->halo_x && beside->right >= request->halo_x &&
           beside->above >= request->halo_y && beside->below >= request->halo_y;
}

/* Members that may be left out, and then are 0. C++ compilers warn of others. */
#ifdef __cplusplus
#define OPTIONAL = {}
#else
#define OPTIONAL
#endif

/* clang-format would take the space away before OPTIONAL. */
/* clang-format off */
/* A way to compute. On the GPU its functions are called while the device is current. */
struct engine {
    const char *name; /* "cpu:u8", a word after --variant; of a variant's only one the variant's */
    const char *description OPTIONAL; /* one line for --list-variants; NULL: the variant's */

    /* Returns NULL, or a static string that says why it cannot do what is asked. A NULL pointer: it
     * can do all. */
    const char *(*refuses)(const struct request *request) OPTIONAL;

    /* About how long it takes, of requests that it does not refuse: the engine that takes least is
     * chosen. A NULL pointer: it is the only one. */
    double (*seconds)(const struct request *request) OPTIONAL;

    /* Fills what all pieces share, `state_bytes` aligned to 64. Returns NULL, or why it cannot do
     * what is asked, where refuses() would take too long to find out. A NULL pointer: there is
     * nothing to fill. */
    const char *(*make)(const struct request *request, void *state) OPTIONAL;
    size_t state_bytes OPTIONAL;

    /* Returns the bytes of scratch of a piece, by its state. A NULL pointer: none. */
    size_t (*scratch_bytes)(const struct request *request, const void *state) OPTIONAL;

    /* Computes. Returns NULL, or a static string that says what failed. */
    const char *(*run)(const struct piece *piece) OPTIONAL;

    /* GPU: run() computes all images of a stack. Else it computes the first. */
    bool takes_stack OPTIONAL;
};

/* A word after --variant, and the ways to compute that it stands for. */
struct variant {
    enum op op;
    const char *name;
    enum backend backend;    /* where the images and scratch are */
    bool reference OPTIONAL; /* exactly one for each operation, on the CPU */
    const char *description; /* one line for --list-variants */
    const struct engine *engines; /* of equals the first is taken */
    int count;
};
/* clang-format on */

/* Defines the variant of the file OP/NAME; STEM is OP_NAME, as in variant_list.h. The declaration
 * comes first because a const object has internal linkage in C++ otherwise. */
#ifdef __cplusplus
#define DEFINE_VARIANT(STEM)                                                                       \
    extern "C" {                                                                                   \
    extern const struct variant variant_##STEM;                                                    \
    }                                                                                              \
    const struct variant variant_##STEM
#else
#define DEFINE_VARIANT(STEM)                                                                       \
    extern const struct variant variant_##STEM;                                                    \
    const struct variant variant_##STEM
#endif

#endif
