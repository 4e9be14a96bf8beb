/* SPDX-License-Identifier: MIT */
#include "src/bench/texts.h"

#include "src/bench/baselines/baselines.h"
#include "src/bench/options/options.h"
#include "src/files/codec/codec.h"

static const char usage[] =
    "usage: smoothimg-bench [options] [IMAGE]\n"
    "\n"
    "Measures the variants of smoothimg on a made image or a file, each after its\n"
    "whole result was compared with the right one. GPU rows: kernel times.\n"
    "--suite memory measures experiments on a GPU's memory in place of them.\n"
    "\n"
    "  smoothimg-bench --op smooth --halo 1,2,4,8,16\n"
    "  smoothimg-bench --size 512,4096 --jobs 1,all --json > bench.json\n"
    "  smoothimg-bench --place gpu --size 16384 --image chequer --against naive\n"
    "  smoothimg-bench --suite memory --json > memory.json\n"
    "  smoothimg-bench --sectors --experiment transpose-float\n"
    "\n";

static const char epilogue[] =
    "\n"
    "LIST is one, or several with commas between them. Exit status: 0 done; 2 wrong\n"
    "usage; 3 bad input, or no memory; 4 unsupported; 5 output not written; 6 no\n"
    "device, or a row failed; 7 a variant's result is wrong. The manual, man\n"
    "smoothimg-bench, says how all this is measured.\n";

void bench_print_help(FILE *stream)
{
    fputs(usage, stream);
    option_table_print(&bench_option_table, stream);
    fputs(epilogue, stream);
}

void bench_print_version(FILE *stream)
{
    const char *last = "";

    fprintf(stream, "smoothimg-bench %s (libpng %s", SMOOTHIMG_VERSION, codec_png_version());
    for (const struct baseline *baseline = baselines; baseline->variant; baseline++) {
        if (baseline->library != last)
            fprintf(stream, ", %s %s", baseline->library, baseline->version());
        last = baseline->library;
    }
    fputs(")\n", stream);
}
