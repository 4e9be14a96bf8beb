/* SPDX-License-Identifier: MIT */
/* The contract between the host and the code that computes. A request says what to compute, and an
 * engine computes it. A plan holds the chosen engine and its state. A piece is the part of a
 * request that one call computes.
 *
 * The host is the code that calls engines: it plans, allocates and copies. An engine only
 * computes:
 *  - run() reads the piece's src and writes every sample of its dst and nothing else; it leaves the
 *    bytes between a row's end and the next row unchanged.
 *  - src and dst never overlap. An engine never writes to src.
 *  - smooth also reads samples around the piece, as far as the filter reaches; piece->beside says
 *    how many exist. Beyond these the edge rule (common/edge.h) applies. transpose and reverse have
 *    no filter: their halos are 0.
 *  - Any size from 1x1 is legal, any channel count from 1, rows of any stride, and more than 2^31
 *    samples: offsets have 64 bits.
 *  - On the GPU, an engine may read all of an aligned block of 16 bytes if it may read a sample in
 *    that block.
 *  - run() neither allocates nor prints nor exits. Its working memory is piece->scratch: as many
 *    bytes as scratch_bytes() returned, aligned to 64, with unspecified contents.
 *  - All engines of an operation give the same bytes. The variant marked `reference` defines
 *    them. */
#ifndef SMOOTHIMG_VARIANT_H
#define SMOOTHIMG_VARIANT_H

#if defined __FAST_MATH__ || __FINITE_MATH_ONLY__ + 0 > 0
#error "the bounds of errors need IEEE arithmetic: compile without -ffast-math"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_HALO 1024 /* pixels */

/* The maxval of a request whose samples are binary32 floats. The floats may have any values,
 * including NaN and infinities. The maxval of integer samples is at least 1. */
#define FLOAT_SAMPLES 0u

enum op { OP_SMOOTH, OP_TRANSPOSE, OP_REVERSE, OP_COUNT };
enum backend { ON_CPU, ON_GPU };

/* Describes an image in the memory of the engine's backend (the host's or the GPU's). A view does
 * not own that memory. The samples of a pixel are adjacent. */
struct view {
    void *origin;         /* first sample of pixel (0, 0) */
    int64_t width;        /* pixels in a row */
    int64_t height;       /* rows */
    int64_t stride_bytes; /* bytes from a row to the next; a multiple of sample_bytes */
    int32_t channels;     /* samples in a pixel */
    int32_t sample_bytes; /* 1: uint8_t; 2: uint16_t; 4: float; in native byte order */
};

struct isa;       /* common/isa.h */
struct array_job; /* common/arrays.h */

/* How many columns of source pixels (left, right) and how many rows (above, below) exist around
 * src, the pixels whose results a piece computes. These columns and rows adjoin src in memory, with
 * the same stride. Beyond them the edge rule applies. */
struct beside {
    int64_t left, right, above, below; /* 0 or more */
};

/* Says what to compute. One call of an engine computes a piece, which is a part of the request. All
 * pieces and threads share one request. */
struct request {
    /* src and dst of the largest piece. All other pieces have the same sample type and strides, and
     * at most as many rows and columns. origin: NULL, or an address that is congruent modulo 16 to
     * the origins of all pieces. */
    struct view src;
    struct view dst;      /* transpose: dst.width == src.height; else the same size as src */
    struct beside beside; /* smooth: what exists around src of the largest piece; other pieces may
                             have more or less */
    int64_t images;       /* number of images in the request's stack, all of one shape; 0 means 1 */
    int64_t src_apart, dst_apart; /* bytes from an image of the stack to the next, in src and in
                                     dst */

    /* The greatest value that samples of src may have: 1..255 if they have 1 byte, 1..65535 if they
     * have 2 bytes; FLOAT_SAMPLES if they have 4. */
    uint32_t maxval;
    bool weighted;          /* smooth, two or more channels: the last one is alpha, which weights
                               the others as smooth/reference.c defines */
    bool skip_nan;          /* smooth, floats: a NaN is a missing sample; the sum of the others is
                               divided by the sum of their weights */
    int64_t halo;           /* smooth: the greater of halo_x and halo_y */
    int64_t halo_x, halo_y; /* smooth: how many pixels the filter reaches to each side, along the
                               rows and down the columns; 0: no filter along that axis */
    /* smooth: 2 * halo_x + 1 and 2 * halo_y + 1 symmetric weights in units of 2^-46, in the host's
     * memory even if the engine is for GPUs. weights_x and weights_y may be one array. */
    const uint64_t *weights_x, *weights_y;
    int edge; /* smooth: the edge rule, an enum edge (common/edge.h) */

    /* smooth: what to compute for arrays that are not images; NULL for images. If `arrays` is not
     * NULL, src and dst above give only the origins, and engines ignore all other members. */
    const struct array_job *arrays;

    int threads; /* CPU: the greatest number of threads for a piece, at least 1 */
    int block;   /* GPU: edge, in threads, of the square thread block that --block asks for; 0: the
                    engine chooses */
    const struct isa *isa; /* CPU: the instruction set of the inner loops; NULL: the highest that
                              the processor has */
};

/* The part of a request that one call of an engine computes. */
struct piece {
    const struct request *request; /* the request of which the piece is a part */
    const void *state;             /* made by the engine's make() */
    struct view src, dst;          /* the piece's part of the first image of the stack */
    struct beside beside;          /* smooth: what exists around src */
    int64_t images;                /* how many images of the stack to compute, at least 1 */
    void *scratch;                 /* in the backend's memory; the host owns it */
    void *stream; /* GPU: the cudaStream_t to launch on. run() does not wait for it */
};

/* True if all samples that the filter reads exist in memory, so that no edge rule is needed. */
static inline bool source_has_all(const struct piece *piece)
{
    const struct beside *beside = &piece->beside;
    const struct request *request = piece->request;

    return beside->left >= request->halo_x && beside->right >= request->halo_x &&
           beside->above >= request->halo_y && beside->below >= request->halo_y;
}

#define NO_MEMORY_TO_MAKE "no memory for an engine's state" /* a result of engine.make() */
/* Marks members that an initializer may omit: they are then 0. For members without this mark, C++
 * compilers warn if an initializer omits them. */
#ifdef __cplusplus
#define OPTIONAL = {}
#else
#define OPTIONAL
#endif

/* clang-format would remove the space before OPTIONAL. */
/* clang-format off */
/* An engine is one way to compute requests. The functions of an engine for GPUs are called while
 * the GPU that is to compute is the current CUDA device. */
struct engine {
    const char *name; /* a word for --variant, such as "cpu:u8"; the name of the variant if
                         this is its only engine */
    const char *description OPTIONAL; /* one line for --list-variants; NULL: the variant's
                                         description */

    /* Returns NULL, or a static string that says why the engine cannot compute the request. An
     * engine without this function computes every request. */
    const char *(*refuses)(const struct request *request) OPTIONAL;

    /* Predicts how many seconds the engine takes for a request that it does not refuse; the engine
     * with the least time is chosen. An engine without this function is the only engine of its
     * variant. */
    double (*seconds)(const struct request *request) OPTIONAL;

    /* Makes the state that all pieces of the request share, in `state_bytes` bytes aligned to 64.
     * Returns NULL, NO_MEMORY_TO_MAKE, or why the engine cannot compute the request, for reasons
     * that refuses() would take too long to find. An engine without this function has no state. */
    const char *(*make)(const struct request *request, void *state) OPTIONAL;
    size_t state_bytes OPTIONAL;

    /* Returns the bytes of scratch memory that a piece needs. An engine without this function needs
     * none. */
    size_t (*scratch_bytes)(const struct request *request, const void *state) OPTIONAL;

    /* Computes the piece, a part of a request. Returns NULL, or a static string that says what
     * failed. */
    const char *(*run)(const struct piece *piece) OPTIONAL;

    /* GPU: how many images of a stack (struct request) one call of run() can compute; 0 means 1. */
    int64_t stack OPTIONAL;
};

/* A word after --variant, and the engines from which one is chosen for that word. */
struct variant {
    enum op op;
    const char *name;
    enum backend backend;    /* in whose memory images and scratch are */
    bool reference OPTIONAL; /* true: the variant defines the operation's results */
    const char *description; /* one line for --list-variants */
    const struct engine *engines; /* if several predict the least time, the first is chosen */
    int count;
};
/* clang-format on */

/* Defines the variant of the file OP/NAME; STEM is OP_NAME, as in variant_list.h. The declaration
 * comes first, since a const object of C++ otherwise has internal linkage. */
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
