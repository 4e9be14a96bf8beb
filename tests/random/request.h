/* SPDX-License-Identifier: MIT */
/* A request to the library in one test: drawn from a seed or from a fuzzer's bytes, printed as a
 * line, or parsed from one. The simplest request is all zeros but for its shape. */
#ifndef SMOOTHIMG_RANDOM_REQUEST_H
#define SMOOTHIMG_RANDOM_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define AXES 5 /* of an array, at most */
#define TERMS 3
#define ENGINE_LENGTH 24
#define LINE_LENGTH 2000

enum { OP_FILTER, OP_MOVE };
enum { OF_HOST, ON_DEVICE, LENT }; /* LENT: arrays of the host that a device computes */
enum { RESERVED = 1, MEASURED };   /* by smoothimg_reserve, smoothimg_measure */

/* How an array lies in memory. */
struct lie {
    /* The order of its axes in memory, from the outermost on; 0 for all: as they are numbered. */
    int64_t order[AXES];
    int64_t gap[AXES];  /* extra bytes between its places along each axis */
    int64_t back[AXES]; /* 1: it runs backwards */
    int64_t same[AXES]; /* src: 1: all of its places along that axis are one */
    int64_t offset;     /* bytes from the guarded page to it */
    int64_t behind;     /* 1: the guarded page is behind it */
    int64_t fence;      /* 1, 2: that many inner axes are a row between its own guard pages */
    int64_t far;        /* 1: rows with guard pages are 4 GiB apart */
};

struct test_request {
    int64_t op, device;
    char engine[ENGINE_LENGTH]; /* as for smoothimg_choose; "": the fastest */
    int64_t isa, threads;       /* of the host; threads: 0 is 1 */
    int64_t reserve;            /* a call that a new context makes before the request */
    int64_t environment;        /* the caller's, of floating-point numbers */
    int64_t grid;               /* most blocks in y that the emulated device accepts; 0: as a GPU */
    int64_t src_type, dst_type; /* enum smoothimg_type */
    int64_t src_maxval, dst_maxval;
    int64_t axes, shape[AXES];
    /* src: places before and after those of dst, for filters. */
    int64_t first[AXES], left_out[AXES];
    /* Pieces in which the result is also computed, with `first`. */
    int64_t pieces[AXES];
    int64_t turn[AXES], flip[AXES]; /* of moves; turn: all 0: none */
    struct lie src, dst;
    int64_t terms, combination, norm, missing; /* terms: more than 1 */
    /* Of term t and axis a: number t * axes + a. */
    double sigma[TERMS * AXES], scale[TERMS * AXES];
    int64_t radius[TERMS * AXES], order[TERMS * AXES], edge[TERMS * AXES];
    double outside;
    int64_t outside_i64, outside_u64;
    int64_t fill, seed; /* of the samples: fill.h */
};

/* A source of decisions: numbers from a seed, or a fuzzer's bytes followed by zeros. */
struct source {
    uint64_t state;
    const uint8_t *bytes; /* NULL: of the seed */
    size_t count;
};

uint64_t source_next(struct source *source);
int64_t source_below(struct source *source, int64_t below); /* 0..below - 1 */
double source_real(struct source *source, double least, double most);

/* The limits of what is drawn. */
struct domain {
    const char *const *engines; /* NULL ends them; "" is the fastest one */
    bool on_device;             /* else on the host */
    int64_t samples, products;  /* the most samples of an array, and products of all windows */
};

/* Returns false if the drawn request is not valid, or would take too long. */
bool request_draw(struct source *source, const struct domain *domain, struct test_request *request);

/* True if it can be asked, and the oracle can answer it. */
bool request_is_valid(const struct test_request *request);

/* In LINE_LENGTH characters. */
void request_print(const struct test_request *request, char *line);

/* Returns false if the line is no request, after printing the wrong word on standard error. */
bool request_parse(const char *line, struct test_request *request);

/* Makes simpler requests, by number, some of which may be invalid. Returns false after the last
 * one. */
bool request_simpler(const struct test_request *request, int number, struct test_request *simpler);

/* --- What follows from a request. */

int64_t request_samples(const struct test_request *request);
int64_t request_extent(const struct test_request *request, int axis); /* of dst */
int request_terms(const struct test_request *request);
bool request_is_filtered(const struct test_request *request, int term, int axis);
int64_t request_radius(const struct test_request *request, int term, int axis); /* its own */
int64_t request_axis_reach(const struct test_request *request,
                           int axis); /* of all terms; -1: none */

bool request_is_derivative(const struct test_request *request); /* any term, of any axis */

/* Returns the instruction set's name; NULL is the highest that the processor has. */
const char *request_isa(const struct test_request *request);

/* True if the header promises to compute it with any chosen variant except a single engine. */
bool request_is_served(const struct test_request *request);

/* --- Types. */

struct type {
    const char *name;
    int bytes;
    bool is_float;
    int significant; /* floats: bits of the significand */
    int least;       /* floats: 2^least is the least number above 0 */
    int fields;      /* floats: values of the exponent's field */
    int64_t low;     /* integers */
    uint64_t high;
};

#define TYPES 12
extern const struct type types[TYPES];

/* Return a sample's bits: all of them; a float's sign; those of infinity. */
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
