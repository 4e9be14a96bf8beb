/* SPDX-License-Identifier: MIT */
#include "src/app/cli/options/synonyms.h"

#include "kernels/common/edge.h"

#include <string.h>

const struct option_synonym synonyms[] = {
    {"blur", "--sigma"},
    {"gaussian", "smooth is the default; give --sigma or --halo"},
    {"gaussian-blur", "--sigma"},
    {"stdev", "--sigma"},
    {"s", "--sigma"},
    {"radius", "--halo"},
    {"size", "--halo (the window has 2 N + 1 pixels)"},
    {"ksize", "--halo (the window has 2 N + 1 pixels)"},
    {"kernel", "--halo (the window has 2 N + 1 pixels)"},
    {"kernel-size", "--halo (the window has 2 N + 1 pixels)"},
    {"gamma", "--linear"},
    {"linear-light", "--linear"},
    {"border", "--edge"},
    {"boundary", "--edge"},
    {"mode", "--edge"},
    {"extend", "--edge"},
    {"transpose", "--op transpose"},
    {"reverse", "--op reverse"},
    {"sharpen", "--op sharpen"},
    {"unsharp", "--op sharpen"},
    {"usm", "--op sharpen"},
    {"rotate", "--op reverse (by 180 degrees)"},
    {"threads", "--jobs"},
    {"gpu", "--variant gpu"},
    {"cuda", "--variant gpu"},
    {"cpu", "--variant cpu"},
    {"memory", "--max-memory"},
    {"quality", "--png-level"},
    {"compression", "--png-level"},
    {"level", "--png-level"},
    {"outdir", "--output-dir"},
    {"output-folder", "--output-dir"},
    {"output-file", "--output"},
    {"force", "an old file is replaced without it"},
    {"overwrite", "an old file is replaced without it"},
    {"f", "for --force: an old file is replaced without it"},
    {"y", "an old file is replaced, and nothing asked"},
    {"R", "-r"},
    {"recurse", "--recursive"},
    {"resume", "--skip-existing"},
    {"archive", "--preserve"},
    {"keep", "--backup"},
    {"update", "--skip-existing"},
    {"pretend", "--dry-run"},
    {"simulate", "--dry-run"},
    {"silent", "--quiet"},
    {"debug", "--verbose"},
    {"help", "--help"},
    {"version", "--version"},
    {"smooth", "smooth is the default; give --sigma or --halo"},
    {"difference", "--op difference"},
    {"threshold", "sharpen has no threshold here: it changes every sample"},
    {"resize", "this program does not change the size of an image"},
    {"thumbnail", "this program does not change the size of an image"},
    {"crop", "this program does not change the size of an image"},
    {"flip", "this program mirrors along diagonals only, by --op transpose"},
    {"flop", "this program mirrors along diagonals only, by --op transpose"},
    {"median", "the only filter here is the Gaussian, and what is made of it"},
    {"i", "the input needs no option"},
    {"input", "the input needs no option"},
    {NULL, NULL},
};

/* The names of other programs that mean one rule only: reflect and mirror are not among them. */
static const struct {
    const char *word;
    enum edge edge;
} edge_synonyms[] = {
    {"nearest", EDGE_CLAMP},      {"edge", EDGE_CLAMP},         {"replicate", EDGE_CLAMP},
    {"copy", EDGE_CLAMP},         {"symmetric", EDGE_REFLECT},  {"grid-mirror", EDGE_REFLECT},
    {"reflect101", EDGE_MIRROR},  {"reflect_101", EDGE_MIRROR}, {"reflect-101", EDGE_MIRROR},
    {"grid-wrap", EDGE_WRAP},     {"repeat", EDGE_WRAP},        {"constant", EDGE_ZERO},
    {"grid-constant", EDGE_ZERO}, {"black", EDGE_ZERO},
};

bool synonyms_find_edge(const char *word, int *edge)
{
    for (size_t i = 0; i < sizeof edge_synonyms / sizeof *edge_synonyms; i++)
        if (strcmp(word, edge_synonyms[i].word) == 0) {
            *edge = (int)edge_synonyms[i].edge;
            return true;
        }
    return false;
}
