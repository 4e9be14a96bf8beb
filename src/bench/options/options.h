/* SPDX-License-Identifier: MIT */
/* The settings from smoothimg-bench's command line. */
#ifndef SMOOTHIMG_BENCH_OPTIONS_H
#define SMOOTHIMG_BENCH_OPTIONS_H

#include "src/text/option_table.h"
#include "src/bench/options/picture.h"
#include "kernels/variant.h"
#include "src/lib/filter/gauss.h"

#define MAX_LIST 32 /* maximum number of entries in a list of values or names */

enum bench_action { BENCH_RUN, BENCH_LIST, BENCH_HELP, BENCH_VERSION };
enum where { ANYWHERE, CPU_ONLY, GPU_ONLY };
enum suite { SUITE_VARIANTS, SUITE_MEMORY };

#define MAX_REPEATS 1000

/* How long a variant or experiment is measured: until there are `repeats` samples (measured times)
 * and min_seconds have passed, until max_seconds have passed, or until there are MAX_REPEATS
 * samples. */
struct effort {
    int64_t repeats; /* 1..MAX_REPEATS */
    double min_seconds, max_seconds;
};

struct size {
    int64_t width, height; /* pixels */
};

/* The settings, complete and checked after bench_options_parse. The strings point into argv. Only
 * the lists variants, experiments and sizes may be empty. */
struct bench_options {
    int action;        /* enum bench_action */
    bool list;         /* --list was given, before or after other options */
    int suite;         /* enum suite */
    int ops[OP_COUNT]; /* the operations (enum op), each once */
    int op_count;
    const char *variants[MAX_LIST]; /* empty: all variants that can run */
    int variant_count;
    const struct isa *isa; /* for CPU variants; NULL until main() chooses it by SMOOTHIMG_CPU */
    int where;             /* enum where */
    /* the name of a generated picture (picture.h), or of a file; NULL in the memory suite */
    const char *image;
    struct size sizes[MAX_LIST];
    /* 0: for a file, the file's size; in the memory suite, each group's default */
    int size_count;
    int depth;               /* samples of generated pictures: 0 is 8 bits, 1 is 16, 2 is floats */
    int64_t channels;        /* channels of generated pictures */
    int weighted;            /* smooth: 1 if the last of several channels weights the others */
    int64_t halos[MAX_LIST]; /* pixels */
    int halo_count;
    int64_t threads[MAX_LIST];
    int thread_count;
    int64_t block;  /* width and height of the thread block; 0: each variant's default */
    int64_t device; /* number of the GPU */
    struct effort effort;
    /* In the suite of variants, a row's gain is its rate divided by the rate of this variant. */
    const char *against;
    bool json;
    bool sectors;           /* count the kernels' memory accesses, and measure nothing */
    bool transactions;      /* like sectors, but counts by the rules of the GPUs of 2010 */
    const char *save_image; /* a file to write the picture to; NULL: measure */
    /* For the memory suite: */
    const char *experiments[MAX_LIST]; /* GROUP or GROUP/EXPERIMENT; empty: all */
    int experiment_count;
    bool occupancy; /* print the table of occupancy, and measure nothing */
    uint64_t given; /* bit i: the option in row i of the table was given */
};

/* The table of all options. option_table_parse fills a struct bench_options from it. */
extern const struct option_table bench_option_table;

/* Returns true if --place allows variants and experiments that run at `place`, on the CPU or the
 * GPU. */
bool place_is_wanted(const struct bench_options *options, enum backend place);

/* Returns STATUS_USAGE if the given options cannot be combined. */
enum status bench_options_check(const struct bench_options *options, struct error *error);

/* Parses argv, and reorders it. After STATUS_USAGE the message names the wrong argument and the
 * remedy. */
enum status bench_options_parse(int argc, char **argv, struct bench_options *options,
                                struct error *error);

#endif
