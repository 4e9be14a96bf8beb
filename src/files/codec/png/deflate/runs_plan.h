/* SPDX-License-Identifier: MIT */
/* How symbols of struct runs become a deflate block (RFC 1951): coded by a code of its own, by the
 * fixed one, or stored, whichever is the shortest. */
#ifndef SMOOTHIMG_CODEC_PNG_RUNS_PLAN_H
#define SMOOTHIMG_CODEC_PNG_RUNS_PLAN_H

#include "src/files/codec/png/deflate/runs.h"

enum {
    SHORTEST_RUN = 3,
    LONGEST_RUN = 258,
    FIRST_RUN = 256, /* of runs->symbols */
    KINDS = FIRST_RUN + LONGEST_RUN - SHORTEST_RUN + 1,
    END = 256, /* deflate's symbols: 0..255 are bytes, those after END lengths of matches */
    SYMBOLS = 286,
    FIXED_SYMBOLS = 288,
    DISTANCES = 2, /* distance 1 is the first; a complete code has two */
    REPEATS = 16,  /* symbols for code lengths: above are those for repeated ones */
    LENGTH_SYMBOLS = 19,
    MAX_STORED = 0xffff
};

/* A symbol's code and what follows it: a run's length and distance. */
struct runs_code {
    uint32_t bits;
    uint32_t count;
};

/* The description of a block's code. */
struct runs_description {
    uint8_t symbols[SYMBOLS + DISTANCES]; /* code lengths and repeats of them */
    uint8_t extra[SYMBOLS + DISTANCES];   /* how often a repeat repeats, in its extra bits */
    int count;
    int literals; /* code lengths of symbols that are described */
    uint8_t lengths[LENGTH_SYMBOLS];
    int lengths_count; /* those in the block */
    uint64_t bits;
};

enum runs_way { RUNS_STORED, RUNS_FIXED, RUNS_OWN };

/* How some of runs->symbols will be written. */
struct runs_plan {
    size_t first, count; /* symbols */
    size_t raw_bytes;
    uint8_t lengths[FIXED_SYMBOLS]; /* of the block's own code */
    struct runs_description description;
    enum runs_way way; /* the shortest */
    uint64_t bits;
};

/* The order in which a description gives the lengths of the code of code lengths. */
extern const uint8_t runs_length_order[LENGTH_SYMBOLS];

/* How many there are of each kind among `count` symbols. */
void runs_count_kinds(const uint16_t *symbols, size_t count, uint32_t kinds[KINDS]);

/* Plans symbols first..first+count-1, which are of these kinds, as one block. */
void runs_plan_block(const uint32_t kinds[KINDS], size_t first, size_t count,
                     struct runs_plan *plan);

/* The lengths of deflate's fixed code. */
void runs_fixed_lengths(uint8_t lengths[FIXED_SYMBOLS]);

/* The codes of bytes and runs, by their kinds, and of the end; distance_bits: of distance 1, whose
 * code is zeros. */
void runs_make_codes(struct runs_code *kinds, struct runs_code *end, const uint8_t *lengths,
                     uint32_t distance_bits);

/* How many extra bits a symbol of a description has. */
uint32_t runs_extra_bits(int symbol);

#endif
