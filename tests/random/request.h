/* SPDX-License-Identifier: MIT */
/* What the library is asked in one test: drawn from a seed or from a fuzzer's bytes, printed as a
 * line, parsed from one. A request that is all 0 but for its shape is the simplest one. */
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
enum { OF_HOST, ON_DEVICE, LENT }; /* lent: arrays of the host that a device computes */
enum { RESERVED = 1, MEASURED };   /* by smoothimg_reserve, smoothimg_measure */

/* How an array lies in memory. */
struct lie {
    int64_t order[AXES]; /* of its axes, from the outermost on; 0 for all: as they come */
    int64_t gap[AXES];   /* bytes between its places along each axis, beside what they take */
    int64_t back[AXES];  /* 1: it runs backwards */
    int64_t same[AXES];  /* 1: all of its places are the same one; src */
    int64_t offset;      /* bytes from the guarded page to it */
    int64_t behind;      /* 1: the guarded page is behind it */
    int64_t fence;       /* 1, 2: so many inner axes are a row, between guarded pages of its own */
    int64_t far;         /* 1: rows with a fence are 4 GiB apart */
};

struct test_request {
    int64_t op, device;
    char engine[ENGINE_LENGTH]; /* as for smoothimg_choose; "": the fastest */
    int64_t isa, threads;       /* of the host; threads: 0 is 1 */
    int64_t reserve;            /* what the context is asked first, which is a new one */
    int64_t environment;        /* the caller's, of floating-point numbers */
    int64_t grid; /* blocks down that the emulated device takes at most; 0: as a GPU */
    int64_t src_type, dst_type; /* enum smoothimg_type */
    int64_t src_maxval, dst_maxval;
    int64_t axes, shape[AXES];
    int64_t first[AXES], left_out[AXES]; /* of src: before and after dst; of filters */
    int64_t pieces[AXES];                /* more that the result is computed in: `first` */
    int64_t turn[AXES], flip[AXES];      /* of moves; turn: all 0: none */
    struct lie src, dst;
    int64_t terms, combination, norm, missing; /* terms: more than 1 */
    /* Of term t and axis a: number t * axes + a. */
    double sigma[TERMS * AXES], scale[TERMS * AXES];
    int64_t radius[TERMS * AXES], order[TERMS * AXES], edge[TERMS * AXES];
    double outside;
    int64_t outside_i64, outside_u64;
    int64_t fill, seed; /* of the samples: fill.h */
};

/* Numbers that decide what is drawn: of a seed, or bytes and then zeros. */
struct source {
    uint64_t state;
    const uint8_t *bytes; /* NULL: of the seed */
    size_t count;
};

uint64_t source_next(struct source *source);
int64_t source_below(struct source *source, int64_t below); /* 0..below - 1 */
double source_real(struct source *source, double least, double most);

/* What may be drawn. */
struct domain {
    const char *const *engines; /* NULL ends them; "" is the fastest one */
    bool on_device;             /* else on the host */
    int64_t samples, products;  /* of an array, and of all windows: at most */
};

/* False if what was drawn cannot be asked, or would take too long. */
bool request_draw(struct source *source, const struct domain *domain, struct test_request *request);

/* Can it be asked, and answered by the oracle? */
bool request_is_valid(const struct test_request *request);

/* In LINE_LENGTH characters. */
void request_print(const struct test_request *request, char *line);

/* False if it is no request; then standard error has the word that is wrong. */
bool request_parse(const char *line, struct test_request *request);

/* Simpler requests, by number, some of which may not be valid; false after the last one. */
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

/* The instruction set's name; NULL: the highest that the processor has. */
const char *request_isa(const struct test_request *request);

/* Does the header promise to compute it, whatever variant is chosen but one engine's name? */
bool request_is_served(const struct test_request *request);

/* --- Types. */

struct type {
    const char *name;
    int bytes;
    bool is_float;
    int significant; /* floats: bits of the significand */
    int least;       /* floats: the least number above 0 is 2^least */
    int fields;      /* floats: values of the exponent's field */
    int64_t low;     /* integers */
    uint64_t high;
};

#define TYPES 12
extern const struct type types[TYPES];

/* Bits of a sample: all; a float's sign; those of infinity. */
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
