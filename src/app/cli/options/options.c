/* SPDX-License-Identifier: MIT */
#include "src/app/cli/options/options.h"
#include "src/app/cli/cli.h"
#include "src/app/cli/ui/progress.h"
#include "src/lib/api/study.h"

#include <limits.h>
#include <string.h>

const char *const edge_words[] = {"reflect", "clamp", "mirror", "wrap", "zero", NULL};
const char *const norm_words[] = {"sum", "analytic", NULL};
const char *const alpha_words[] = {"weighted", "separate", NULL};
const char *const nan_words[] = {"propagate", "skip", NULL};
static const char *const format_words[] = {"pgm", "png",  "pbm",  "ppm", "pam", "pnm",
                                           "jpg", "jpeg", "tiff", "tif", "npy", NULL};

/* In the order of enum tiff_compression. */
static const char *const compression_words[] = {"input", "none", "deflate", NULL};

const char *const operation_words[] = {"smooth",     "transpose", "reverse", "sharpen",
                                       "difference", "gradient",  "laplace", NULL};

#define DEFAULT_MAX_METADATA ((int64_t)64 << 20)
#define DEFAULT_MAX_PIXELS ((int64_t)1 << 34) /* 131072 x 131072 */

#define AT(FIELD) offsetof(struct options, FIELD)
static const struct option_row rows[] = {
    {"op", 0, "OPERATION", "operation; may be repeated, runs in that order", OPTION_OWN,
     AT(batch.stream.work.ops), 0, 0, operation_words},
    {"amount", 0, "A",
     "of sharpen, and a factor of gradient and laplace:\n0 to 16, up to three decimals (default 1)",
     OPTION_OWN, AT(batch.stream.work.amount), 0, MAX_AMOUNT, NULL},
    {"offset", 0, "N",
     "of difference and laplace: the sample for 0; default:\nhalf of maxval, rounded up",
     OPTION_INTEGER, AT(batch.stream.work.offset), 0, MAX_MAXVAL, NULL},
    {"float", 0, NULL, "smooth, gradient, laplace: write 32-bit floats", OPTION_FLAG,
     AT(batch.stream.work.floats), 0, 0, NULL},
    {"halo", 0, "N",
     "reach of the filter in pixels, 0 to 1024 (default 4);\nN,M: along x and y; N,M,P: through "
     "pages too",
     OPTION_OWN, AT(halos), 0, SMOOTHIMG_MAX_RADIUS, NULL},
    {"sigma", 0, "S",
     "standard deviation of the filter in pixels\n(default halo/3); alone: halo = floor(4 S + "
     "1/2);\n2,0.5: along x and y; 2,2,1: through pages too",
     OPTION_OWN, AT(sigmas), 0, 0, NULL},
    {"truncate", 0, "T", "with --sigma alone: halo = floor(T S + 1/2)\n(default 4, as SciPy's)",
     OPTION_OWN, AT(truncate), 0, 0, NULL},
    {"edge", 0, "RULE", "samples outside of the image; the manual has the\nnames of other programs",
     OPTION_OWN, AT(batch.stream.work.filter.edge), 0, 0, edge_words},
    {"norm", 0, "NORM", "weights sum to 1, or are the normal density", OPTION_WORD,
     AT(batch.stream.work.filter.norm), 0, 0, norm_words},
    {"alpha", 0, "RULE", "alpha weights the colours, or is a channel too", OPTION_WORD,
     AT(batch.stream.work.filter.alpha), 0, 0, alpha_words},
    {"linear", 0, NULL,
     "smooth light, not the stored values: decode sRGB, or\nthe file's gamma, and encode again",
     OPTION_FLAG, AT(batch.stream.linear), 0, 0, NULL},
    {"nan", 0, "RULE", "floats: a NaN spreads, or is a missing sample", OPTION_WORD, AT(nan), 0, 0,
     nan_words},
    {"mask", 0, "FILE",
     "leave out the pixels that are 0 in this grey image of\nthe same size, such as bad pixels",
     OPTION_TEXT, AT(batch.mask), 0, 0, NULL},
    {"output", 'o', "FILE", "write this file; the only operand is the input", OPTION_TEXT,
     AT(batch.plan.output_file), 0, 0, NULL},
    {"output-dir", 'O', "DIR", "write into this folder; all operands are inputs", OPTION_TEXT,
     AT(batch.plan.output_dir), 0, 0, NULL},
    {"recursive", 'r', NULL, "process subfolders too, into the same subfolders", OPTION_FLAG,
     AT(batch.plan.recursive), 0, 0, NULL},
    {"files-from", 0, "FILE",
     "read names of inputs from FILE, or -; needs an output\nfolder or --in-place", OPTION_TEXT,
     AT(batch.plan.files_from), 0, 0, NULL},
    {"suffix", 0, "TEXT",
     "insert TEXT before the extension of outputs; without\nan output, they go next to their "
     "inputs",
     OPTION_TEXT, AT(batch.plan.suffix), 0, 0, NULL},
    {"shard", 0, "PART", "process one part of the files: I/N, part I of N", OPTION_OWN,
     AT(batch.plan.shard), 0, 0, NULL},
    {"in-place", 0, NULL, "replace each input by its result; all operands are\ninputs", OPTION_FULL,
     AT(batch.plan.in_place), 0, 0, NULL},
    {"skip-existing", 0, NULL, "skip files whose output exists", OPTION_FLAG,
     AT(batch.plan.skip_existing), 0, 0, NULL},
    {"no-clobber", 'n', NULL, "never replace a file", OPTION_FLAG,
     AT(batch.stream.output.no_clobber), 0, 0, NULL},
    {"preserve", 0, NULL, "give outputs the times of their inputs", OPTION_FLAG,
     AT(batch.stream.output.preserve), 0, 0, NULL},
    {"fail-fast", 0, NULL, "begin no further file after a failure", OPTION_FLAG,
     AT(batch.plan.fail_fast), 0, 0, NULL},
    {"format", 0, "FORMAT", "write this format, regardless of the name", OPTION_CHOICE,
     AT(batch.plan.format), 0, 0, format_words},
    {"plain", 0, NULL, "write PBM, PGM and PPM as text", OPTION_FLAG,
     AT(batch.stream.output.write.plain), 0, 0, NULL},
    {"scale", 0, NULL, "PNG: scale an odd maxval to the full range", OPTION_FLAG,
     AT(batch.stream.output.write.scale), 0, 0, NULL},
    {"quality", 0, "N", "JPEG: 1 to 100 (default 95)", OPTION_INTEGER, AT(quality), 1, 100, NULL},
    {"png-level", 0, "N", "PNG: compression, 0 (none) to 9 (small)", OPTION_INTEGER, AT(png_level),
     0, 9, NULL},
    {"tiff-compression", 0, "METHOD", "TIFF; input: deflate if the input is compressed",
     OPTION_WORD, AT(tiff_compression), 0, 0, compression_words},
    {"strip-metadata", 0, NULL, "drop comments, texts, profiles, resolution", OPTION_FLAG,
     AT(strip_metadata), 0, 0, NULL},
    {"jobs", 'j', "N", "number of threads (default: all processors)", OPTION_OWN,
     AT(batch.stream.work.threads), 0, STUDY_MOST_THREADS, NULL},
    {"max-memory", 0, "SIZE",
     "memory for all images in work, such as 512M or 1.5G\n(default: three quarters of the "
     "machine's)",
     OPTION_SIZE, AT(batch.max_memory), 1 << 20, INT64_MAX, NULL},
    {"max-pixels", 0, "N", "refuse larger images (default 2^34)", OPTION_INTEGER,
     AT(batch.stream.max_pixels), 1, INT64_MAX, NULL},
    {"max-side", 0, "N", "refuse wider or higher images (default 2^24)", OPTION_INTEGER,
     AT(batch.stream.max_side), 1, INT_MAX, NULL},
    {"max-channels", 0, "N", "refuse pixels of more samples (default 4096)", OPTION_INTEGER,
     AT(batch.stream.max_channels), 1, INT_MAX, NULL},
    {"max-metadata", 0, "SIZE", "refuse files with more metadata (default 64M)", OPTION_SIZE,
     AT(max_metadata), 1 << 10, INT64_MAX, NULL},
    {"variant", 0, "NAME",
     "how to compute: auto (default), cpu, gpu, or a name\nof --list-variants", OPTION_TEXT,
     AT(batch.stream.work.variant), 0, 0, NULL},
    {"device", 0, "N", "GPU to use: a number of --list-devices, or\nemulated (default 0)",
     OPTION_OWN, AT(batch.stream.work.device), 0, 1023, NULL},
    {"block", 0, "N", "edge of the thread block of naive and coalesced", OPTION_INTEGER,
     AT(batch.stream.work.block), 1, 1024, NULL},
    {"list-variants", 0, NULL, "print the variants of each operation", OPTION_ACTION, AT(action),
     ACTION_LIST_VARIANTS, 0, NULL},
    {"list-devices", 0, NULL, "print the GPUs that can be used", OPTION_ACTION, AT(action),
     ACTION_LIST_DEVICES, 0, NULL},
    {"verify", 0, NULL, "also run the reference, and compare every sample", OPTION_FLAG,
     AT(batch.stream.verify), 0, 0, NULL},
    {"dry-run", 0, NULL, "print what would be done, and do nothing", OPTION_FLAG, AT(dry_run), 0, 0,
     NULL},
    {"timings", 0, NULL, "print seconds and MB/s of each stage", OPTION_FLAG, AT(timings), 0, 0,
     NULL},
    {"json", 0, NULL, "print a line of JSON for each file, one at the end", OPTION_FLAG, AT(json),
     0, 0, NULL},
    {"no-progress", 0, NULL,
     "show no progress (which a terminal gets, of a folder\nand of an image that takes long)",
     OPTION_FLAG, AT(no_progress), 0, 0, NULL},
    {"quiet", 'q', NULL, "print errors only", OPTION_FLAG, AT(quiet), 0, 0, NULL},
    {"verbose", 'v', NULL, "print what is done, and how", OPTION_FLAG, AT(verbose), 0, 0, NULL},
    {"help", 'h', NULL, "print this; -h: the most used options", OPTION_ACTION, AT(action),
     ACTION_HELP, ACTION_SHORT_HELP, NULL},
    {"version", 'V', NULL, "print the versions of the program and its libraries", OPTION_ACTION,
     AT(action), ACTION_VERSION, 0, NULL},
    {.name = NULL},
};

static const struct option_heading headings[] = {
    {"op", "Filter"},
    {"output", "Files"},
    {"format", "Output"},
    {"jobs", "Limits"},
    {"variant", "GPU and variants"},
    {"verify", "Reports"},
    {NULL, NULL},
};

bool options_have(const struct options *options, enum operation operation)
{
    const struct work_options *work = &options->batch.stream.work;

    for (int i = 0; i < work->op_count; i++)
        if (work->ops[i] == (int)operation)
            return true;
    return false;
}

bool variant_is(const struct options *options, const char *variant)
{
    return strcmp(options->batch.stream.work.variant, variant) == 0;
}

struct options options_default(void)
{
    return (struct options){
        .batch.stream = {.work = {.variant = "auto",
                                  .amount = AMOUNT_UNIT,
                                  .offset = MIDDLE_OFFSET,
                                  .threads = study_processors()},
                         .max_pixels = DEFAULT_MAX_PIXELS,
                         .max_side = MAX_SIDE_DEFAULT,
                         .max_channels = MAX_CHANNELS_DEFAULT},
        .quality = QUALITY_DEFAULT,
        .png_level = PNG_LEVEL_DEFAULT,
        .max_metadata = DEFAULT_MAX_METADATA,
    };
}

static enum status take_device(const struct option_row *row, const char *argument, int64_t *device,
                               struct error *error)
{
    if (strcmp(argument, "emulated") == 0) {
        *device = DEVICE_EMULATED;
        return STATUS_OK;
    }
    return option_take_integer(row, argument, device, error) == STATUS_OK
               ? STATUS_OK
               : fail_with_remedy(error, ", or emulated");
}

/* 0 and all: one for each processor. */
static enum status take_jobs(const struct option_row *row, const char *argument, int64_t *jobs,
                             struct error *error)
{
    if (strcmp(argument, "all") == 0)
        *jobs = 0;
    else if (option_take_integer(row, argument, jobs, error) != STATUS_OK)
        return fail(error, STATUS_USAGE,
                    "--jobs %s: must be a whole number from 1 to %lld, or all (or 0) for all "
                    "processors",
                    argument, (long long)row->max);
    if (*jobs == 0)
        *jobs = study_processors();
    return STATUS_OK;
}

/* In thousandths, exactly. */
static enum status take_amount(const struct option_row *row, const char *argument, int64_t *amount,
                               struct error *error)
{
    struct decimal number;

    if (decimal_parse(argument, &number) && decimal_in_units(&number, 3, amount) &&
        *amount <= row->max * AMOUNT_UNIT)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "--amount %s: must be a number from 0 to %lld, with up to three decimals", argument,
                (long long)row->max);
}

/* The words of SciPy, OpenCV, NumPy and vips that mean one rule only: reflect and mirror are not
 * among them. */
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

static enum status take_edge(const struct option_row *row, const char *argument, enum edge *edge,
                             struct error *error)
{
    for (size_t i = 0; i < sizeof edge_synonyms / sizeof *edge_synonyms; i++)
        if (strcmp(argument, edge_synonyms[i].word) == 0) {
            *edge = edge_synonyms[i].edge;
            return STATUS_OK;
        }
    return option_take_word(row, "edge", argument, (int *)edge, error);
}

static enum status take_op(const struct option_row *row, const char *argument, int *op,
                           struct error *error)
{
    const enum status status = option_take_word(row, "operation", argument, op, error);

    return status != STATUS_OK && strchr(argument, ',')
               ? fail_with_remedy(error, "; for several say --op for each")
               : status;
}

/* Reads --halo, --sigma, --truncate, --amount, --edge, --jobs, --device, --shard or --op into the
 * struct options that context points to. */
static enum status take_own(const struct option_row *row, const char *argument, void *context,
                            struct error *error)
{
    struct options *options = context;
    struct work_options *work = &options->batch.stream.work;

    if (row->offset == AT(halos))
        return axes_take_halo(row, argument, options, error);
    if (row->offset == AT(sigmas))
        return axes_take_sigma(row, argument, options, error);
    if (row->offset == AT(truncate))
        return axes_take_truncate(row, argument, options, error);
    if (row->offset == AT(batch.stream.work.amount))
        return take_amount(row, argument, &work->amount, error);
    if (row->offset == AT(batch.stream.work.filter.edge))
        return take_edge(row, argument, &work->filter.edge, error);
    if (row->offset == AT(batch.stream.work.threads))
        return take_jobs(row, argument, &work->threads, error);
    if (row->offset == AT(batch.stream.work.device))
        return take_device(row, argument, &work->device, error);
    if (row->offset == AT(batch.plan.shard))
        return shard_parse(argument, &options->batch.plan.shard, error);
    if (work->op_count == MAX_OPS)
        return fail(error, STATUS_USAGE, "--op: at most %d operations can be chained", MAX_OPS);
    return take_op(row, argument, &work->ops[work->op_count++], error);
}

const struct option_table option_table = {
    .rows = rows,
    .take_own = take_own,
    .headings = headings,
    .given = AT(given),
};

/* --- What the rooms below get. */

/* May a NaN spread without the user having said so? */
static bool nan_may_surprise(const struct options *options)
{
    return options_have(options, OPERATION_SMOOTH) &&
           filter_halo(&options->batch.stream.work.filter) > 0 && !options->quiet &&
           !options->batch.mask && !option_is_given(&option_table, options, "nan");
}

void options_complete(struct options *options)
{
    const struct plan_options *plan = &options->batch.plan;
    struct stream_options *stream = &options->batch.stream;
    struct output_options *output = &stream->output;

    output->write.threads = (int)stream->work.threads;
    output->format = plan->format;
    output->write.quality = (int)options->quality;
    output->write.png_level = (int)options->png_level;
    output->write.tiff_compression = (enum tiff_compression)options->tiff_compression;
    output->write.count_nan = nan_may_surprise(options);
    stream->max_metadata = options->strip_metadata ? 0 : options->max_metadata;
    stream->in_place = plan->in_place;
    stream->progress = progress_add;
}
