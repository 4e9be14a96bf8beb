/* SPDX-License-Identifier: MIT */
/* What kernels ask of memory, counted on the emulated device: transactions of the global memory,
 * conflicts of the shared one. smoothimg-tracer counts, a separate program for the reasons in its
 * main.cpp; these functions find it, run it and read what it prints. */
#ifndef SMOOTHIMG_TRANSACTIONS_H
#define SMOOTHIMG_TRANSACTIONS_H

#include "src/bench/options/options.h"
#include "src/lib/base/error.h"

#include <stdio.h>

/* Loads or stores of global memory. A request is what the lanes of a warp ask for at once. */
struct traffic {
    unsigned long long requests;
    unsigned long long transactions; /* loads: 4 for each line of 128 bytes; stores: sectors */
    unsigned long long sectors;      /* of 32 bytes, that the requests touch */
    unsigned long long bytes;        /* that the lanes ask for, each for itself */
};

/* Loads or stores of shared memory. */
struct conflicts {
    unsigned long long requests;
    unsigned long long extra_passes; /* that nothing but a better layout would save */
    unsigned worst_degree; /* passes of the worst request; 1: no conflict; 0: no request */
};

/* One kernel. */
struct traced_row {
    char group[64], name[64];
    long long width, height; /* at which it was counted */
    double flops;            /* 0: not counted */
    struct traffic loads, stores;
    struct conflicts shared_loads, shared_stores;
    char outcome[16]; /* "counted"; "failed", and the counts are not to be trusted; "left out" */
    char why[512];    /* it was not counted, or "-" */
};

/* What to count. */
struct trace_request {
    struct size size;
    int64_t halo, block;
    const char *const *groups;
    int group_count; /* 0: all */
};

struct traced_rows {
    struct traced_row *list; /* owned: free() */
    int count;
};

/* Counts, and appends every row to *rows in the order of the lists. STATUS_UNSUPPORTED if there is
 * no smoothimg-tracer, with how to get it; STATUS_DEVICE if it fails, which it has explained on
 * standard error if it could. Rows from before a failure stay. */
enum status transactions_count(const struct trace_request *request, struct traced_rows *rows,
                               struct error *error);

/* Ratios; 0 where nothing was asked for. */
double traffic_ratio(const struct traffic *traffic);      /* transactions of a request */
double traffic_sectors(const struct traffic *traffic);    /* sectors of a request */
double traffic_efficiency(const struct traffic *traffic); /* bytes asked for by bytes moved */
double traced_intensity(const struct traced_row *row);    /* flops by bytes loaded */

/* Counts and prints what the options ask for, as tables or as one JSON document. STATUS_DEVICE if a
 * row failed, naming the first that did; the others are printed all the same. */
enum status transactions_print(const struct bench_options *options, FILE *stream,
                               struct error *error);

/* table.c, json.c: the two ways to print. */
void transactions_print_table(FILE *stream, const struct trace_request *request,
                              const struct traced_rows *rows);
void transactions_print_json(FILE *stream, const struct trace_request *request,
                             const struct traced_rows *rows);

#endif
