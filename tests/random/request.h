/* SPDX-License-Identifier: MIT */
/* A request is a call of the library, with everything that its result depends on. Tests draw
 * requests at random, print a request as a line, and parse such lines. The library has variants,
 * which are implementations of an operation; an engine is one of the ways in which a variant
 * computes. A member of a request is simplest if it is 0. A filter has terms, each with its own
 * sigma, radius, order and edge rule for each axis. The library adds the terms, combines them to a
 * magnitude, or returns them separately. */
#ifndef SMOOTHIMG_RANDOM_REQUEST_H
#define SMOOTHIMG_RANDOM_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define AXES 5  /* greatest number of axes of an array */
#define TERMS 3 /* greatest number of terms of a filter */
#define ENGINE_LENGTH 24
#define LINE_LENGTH 2000

enum { OP_FILTER, OP_MOVE };
enum { OF_HOST, ON_DEVICE, LENT }; /* LENT: a device computes with arrays of the host */
enum { RESERVED = 1, MEASURED };   /* function to call before the tested one */

/* How an array is laid out in memory. */
struct lie {
    /* The indices of the axes in their order in memory, the outermost first; all 0: C order. */
    int64_t order[AXES];
    int64_t gap[AXES];  /* extra bytes between neighbours along each axis */
    int64_t back[AXES]; /* 1: the axis runs backwards in memory */
    int64_t same[AXES]; /* 1: samples along the axis share an address (src only) */
    /* Bytes between the array and the inaccessible page before it, unless `behind` or `fence` is
     * set. */
    int64_t offset;
    /* 1: an inaccessible page follows the array, or each part that `fence` encloses, without a
     * gap */
    int64_t behind;
    /* 1: inaccessible pages enclose each row along the innermost axis; 2: each plane of the two
     * innermost axes. `gap` and `same` have no effect between these rows or planes. */
    int64_t fence;
    int64_t far; /* 1: the parts that `fence` encloses are 4 GiB apart */
};

struct test_request {
    int64_t op, device;
    char engine[ENGINE_LENGTH]; /* argument of smoothimg_choose; "": the library chooses */
    int64_t isa, threads;       /* host only; isa: see request_isa(); threads: 0 means 1 */
    int64_t reserve;            /* 0, RESERVED or MEASURED: the function to call first */
    int64_t environment;        /* the caller's floating-point environment: number in request.c */
    int64_t grid; /* limit of a grid's blocks along y on the emulated device; 0: as on a GPU */
    int64_t src_type, dst_type;     /* enum smoothimg_type */
    int64_t src_maxval, dst_maxval; /* 0: the greatest value of the type */
    int64_t axes, shape[AXES];
    /* dst may hold only a part of a filter's results: along axis a, dst lacks the first first[a]
     * and the last left_out[a] results. */
    int64_t first[AXES], left_out[AXES];
    /* pieces[a] + 1 calls compute the result, piece by piece along axis a. */
    int64_t pieces[AXES];
    int64_t turn[AXES], flip[AXES]; /* arguments of smoothimg_move */
    struct lie src, dst;
    int64_t terms, combination, norm, missing; /* terms: the number of terms less 1 */
    /* Members of struct smoothimg_axis. The index for term t and axis a is t * axes + a. */
    double sigma[TERMS * AXES], scale[TERMS * AXES];
    int64_t radius[TERMS * AXES], order[TERMS * AXES], edge[TERMS * AXES];
    double outside;
    int64_t outside_i64, outside_u64;
    int64_t adjoint;    /* 1: the product with the transpose of the filter's matrix */
    int64_t fill, seed; /* pattern of the samples (fill.h), seed of its random numbers */
};

/* A source of random numbers: a generator, or a fuzzer's bytes followed by zeros. */
struct source {
    uint64_t state;
    const uint8_t *bytes; /* NULL: numbers come from the generator */
    size_t count;         /* bytes that are left */
};

uint64_t source_next(struct source *source);
int64_t source_below(struct source *source, int64_t below); /* returns 0..below - 1 */
double source_real(struct source *source, double least, double most);

/* The limits of drawn requests. */
struct domain {
    const char *const *engines; /* names, then NULL; "": the library chooses */
    bool on_device;             /* else on the host */
    /* samples: the greatest number of samples of an array. products: the unit in which draw.c
     * limits the products of weights and samples. */
    int64_t samples, products;
};

/* Draws a request. Returns false if it is not valid, or would take too long. */
bool request_draw(struct source *source, const struct domain *domain, struct test_request *request);

/* Returns true if this test can make the call, and the oracle can compute its result. */
bool request_is_valid(const struct test_request *request);

/* Prints the request into `line`, which has space for LINE_LENGTH characters. */
void request_print(const struct test_request *request, char *line);

/* Returns false if the line is no valid request, and says why on standard error. */
bool request_parse(const char *line, struct test_request *request);

/* Copies the request to *simpler, and applies one simplification to the copy, such as a smaller
 * value of a member. `number` (0, 1, ...) selects the simplification. Returns false if there is
 * none with this number. The copy may be invalid, or equal to the request. */
bool request_simpler(const struct test_request *request, int number, struct test_request *simpler);

/* --- Properties of a request. */

int64_t request_samples(const struct test_request *request);
int64_t request_extent(const struct test_request *request, int axis); /* extent of dst */
int request_terms(const struct test_request *request);
bool request_is_filtered(const struct test_request *request, int term, int axis);
int64_t request_radius(const struct test_request *request, int term, int axis);

/* Returns the largest radius of all terms along an axis, or -1 if no term filters it. */
int64_t request_axis_reach(const struct test_request *request, int axis);

/* Returns true for an adjoint in which weights may cancel near the ends of an axis. */
bool request_cancels(const struct test_request *request);

/* Returns true if a term is a derivative along some axis, or has a negative scale. */
bool request_is_derivative(const struct test_request *request);

/* Returns the name of the instruction set, or NULL for the best one of the processor. */
const char *request_isa(const struct test_request *request);

/* Returns true if smoothimg.h promises that the call succeeds. smoothimg.h makes no promise for
 * calls that name a single engine of a variant. */
bool request_is_served(const struct test_request *request);

/* --- Types. */

struct type {
    const char *name;
    int bytes;
    bool is_float;
    int significant; /* floats: bits of the significand */
    int least;       /* floats: 2^least is the smallest positive number */
    int fields;      /* floats: number of values of the exponent field */
    int64_t low;     /* integers: the least and the greatest value */
    uint64_t high;
};

#define TYPES 12
extern const struct type types[TYPES];

/* type_mask() returns a mask of all bits of a sample; type_sign() returns its sign bit;
 * type_infinity() returns the bits of a float's infinity. */
static inline uint64_t type_mask(const struct type *type)
{
    return UINT64_MAX >> (64 - 8 * type->bytes);
}

static inline uint64_t type_sign(const struct type *type)
{
    return (uint64_t)1 << (8 * type->bytes - 1);
}

static inline uint64_t type_infinity(const struct type *type)
{
    return (uint64_t)(type->fields - 1) << (type->significant - 1);
}

#endif
