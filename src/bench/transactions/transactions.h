/* SPDX-License-Identifier: MIT */
/* Counts of the memory accesses of kernels on the emulated device: transactions of global memory,
 * bank conflicts of shared memory. A separate program counts, smoothimg-tracer (tracer/main.cpp
 * says why it is separate). These functions find it, run it and read its output. */
#ifndef SMOOTHIMG_TRANSACTIONS_H
#define SMOOTHIMG_TRANSACTIONS_H

#include "src/bench/options/options.h"
#include "src/lib/base/error.h"

#include <stdio.h>

/* Loads or stores of global memory. A request is one access by all active lanes of a warp. */
struct traffic {
    unsigned long long requests;
    unsigned long long transactions; /* loads: 4 for each line of 128 bytes; stores: sectors */
    unsigned long long sectors;      /* of 32 bytes: those that the requests touch */
    unsigned long long bytes;        /* the sum of what each lane asks for */
};

/* Loads or stores of shared memory. */
struct conflicts {
    unsigned long long requests;
    unsigned long long extra_passes; /* beyond those that the bytes need: caused by conflicts */
    unsigned worst_degree; /* passes of the worst request; 1: no conflict; 0: no request */
};

/* The counts of one row. */
struct traced_row {
    char group[64], name[64];
    long long width, height; /* at which it was counted */
    double flops;            /* 0: not counted */
    double needed;           /* bytes: what must be read and what must be written, once each */
    struct traffic loads, stores;
    struct conflicts shared_loads, shared_stores;
    char outcome[16]; /* "counted"; "left out"; "failed": the counts are wrong */
    char shows[512];  /* a sentence: what to see here */
    char why[512];    /* why it was not counted, or "-" */
};

/* What to count. */
struct trace_request {
    struct size size;
    int64_t fused_side;        /* least side for variants that choose an engine by size */
    int64_t halo, block;       /* 0: the tracer's or the row's own */
    bool packed;               /* images lie as the course's of 2010 did, else as smoothimg's */
    const char *const *groups; /* GROUP or GROUP/ROW */
    int group_count;           /* 0: all, and smoothimg's variants */
};

struct traced_rows {
    struct traced_row *list; /* owned: free() */
    int count;
};

/* Counts, and appends the rows to *rows in the order of the lists. STATUS_UNSUPPORTED if
 * smoothimg-tracer is missing; the message says how to build it. STATUS_DEVICE if it fails; it has
 * written why to standard error. Rows that were read before the failure stay. STATUS_INPUT without
 * memory. */
enum status transactions_count(const struct trace_request *request, struct traced_rows *rows,
                               struct error *error);

/* Ratios; 0 if the denominator is 0. */
double traffic_ratio(const struct traffic *traffic);      /* transactions / requests */
double traffic_sectors(const struct traffic *traffic);    /* sectors / requests */
double traffic_efficiency(const struct traffic *traffic); /* bytes asked for / bytes of sectors */
double traced_intensity(const struct traced_row *row);    /* flops / bytes loaded */
double traced_moved(const struct traced_row *row);        /* bytes of sectors / bytes needed */
double traced_passes(const struct traced_row *row);       /* of an access of shared memory */
unsigned traced_degree(const struct traced_row *row);     /* the worst of loads and stores */

/* --sectors and --transactions: counts and prints, as tables or as one JSON document. Errors as of
 * transactions_count; also STATUS_DEVICE if a row failed (the message names the first; the others
 * are printed too), and STATUS_USAGE for several sizes or an unknown name. */
enum status transactions_print(const struct bench_options *options, FILE *stream,
                               struct error *error);

/* tables.c: tables of either, by what was asked for. json.c: one document. */
void transactions_print_tables(FILE *stream, const struct trace_request *request,
                               const struct traced_rows *rows);
void transactions_print_json(FILE *stream, const struct trace_request *request,
                             const struct traced_rows *rows);

#endif
