/* SPDX-License-Identifier: MIT */
/* What the command line of smoothimg asked for, and the table of what may be asked. */
#ifndef SMOOTHIMG_OPTIONS_H
#define SMOOTHIMG_OPTIONS_H

#include "choice.h"
#include "codec.h"
#include "gauss.h"
#include "option_table.h"
#include "shard.h"
#include "variant.h"

#include <stdbool.h>
#include <stddef.h>

enum action { ACTION_RUN, ACTION_LIST_VARIANTS, ACTION_LIST_DEVICES, ACTION_HELP, ACTION_VERSION };

#define DEVICE_ALL (-1)
#define DEVICE_NOT_GIVEN (-2) /* the first, or all, as the work suggests */

/* Checked and complete: nothing behind it looks at argv again. Strings belong to argv. */
struct options {
    int action;    /* enum action; options of a WORD or ACTION row are ints, see option_table.h */
    char **inputs; /* at least one, but with files_from */
    int input_count;
    const char *output; /* a file, or the folder that outputs go to; NULL: in place */
    const char *output_file, *output_dir; /* the same, of -o and -O; NULL: not given */
    int ops[MAX_OPS];                     /* enum op, in the order of work */
    int op_count;
    int64_t halo; /* -1: not given */
    double sigma; /* 0: not given */
    int edge, norm, alpha;
    struct filter filter; /* made from the five above */
    const char *variant;
    const char *format; /* an extension, or NULL: by the output's name */
    int64_t threads;
    int64_t side_by_side; /* not an option: files that share the GPU with this one; at least 1 */
    int64_t block;        /* 0: the variant's own */
    int64_t device;       /* a number of --list-devices, or one of these: */
    int64_t png_level;
    int64_t max_pixels, max_side, max_channels;
    int64_t max_metadata;                          /* bytes, for one file */
    int64_t max_memory;                            /* bytes; 0: by the machine, see budget.h */
    const char *suffix, *files_from, *failed_list; /* NULL: not given */
    struct shard shard;
    bool plain, scale, strip_metadata;
    bool verify, in_place, no_clobber, timings, quiet, verbose;
    bool recursive, skip_existing, fail_fast, dry_run;
    bool json, checksum;
    int progress; /* enum progress_mode */
};

/* Reads into a struct options. */
extern const struct option_table option_table;

/* The words of --edge, --norm and --alpha. */
const char *edge_word(enum edge edge);
const char *norm_word(enum norm norm);
const char *alpha_word(enum alpha alpha);

/* The state before the first option. */
struct options options_default(void);

#endif
