/* SPDX-License-Identifier: MIT */
#include "src/app/cli/options/options.h"

#include "src/app/cli/cli.h"
#include "src/app/cli/ui/progress.h"
#include "src/lib/api/study.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const edge_words[] = {"reflect", "clamp", "mirror", "wrap", "zero", NULL};
const char *const norm_words[] = {"sum", "analytic", NULL};
const char *const alpha_words[] = {"weighted", "separate", NULL};
const char *const nan_words[] = {"propagate", "skip", NULL};
static const char *const format_words[] = {"pgm", "png",  "pbm",  "ppm", "pam", "pnm",
                                           "jpg", "jpeg", "tiff", "tif", "npy", NULL};

/* The words of --tiff-compression, in the order of enum tiff_compression. */
static const char *const compression_words[] = {"input", "none", "deflate", NULL};

const char *const operation_words[] = {"smooth",     "transpose", "reverse", "sharpen",
                                       "difference", "gradient",  "laplace", NULL};

#define DEFAULT_MAX_METADATA ((int64_t)64 << 20)
#define DEFAULT_MAX_PIXELS ((int64_t)1 << 34) /* 131072 x 131072 */

#define AT(FIELD) offsetof(struct options, FIELD)
#define WORK(FIELD) AT(batch.stream.work.FIELD)
#define STREAM(FIELD) AT(batch.stream.FIELD)
#define PLAN(FIELD) AT(batch.plan.FIELD)

#define ROW(NAME, LETTER, ARGUMENT, KIND, FIELD, MIN, MAX, WORDS, HELP)                            \
    {                                                                                              \
        NAME, LETTER, ARGUMENT, HELP, OPTION_##KIND, FIELD, MIN, MAX, WORDS                        \
    }
#define FLAG(NAME, LETTER, FIELD, HELP) ROW(NAME, LETTER, NULL, FLAG, FIELD, 0, 0, NULL, HELP)

static const struct option_row rows[] = {
    ROW("op", 0, "OPERATION", OWN, WORK(ops), 0, 0, operation_words,
        "operation; may be repeated, runs in that order"),
    ROW("amount", 0, "A", OWN, WORK(amount), 0, MAX_AMOUNT, NULL,
        "of sharpen, and a factor of gradient and laplace:\n0 to 16, up to three decimals (default "
        "1)"),
    ROW("offset", 0, "N", INTEGER, WORK(offset), 0, MAX_MAXVAL, NULL,
        "of difference and laplace: the sample for 0; default:\nhalf of maxval, rounded up"),
    FLAG("float", 0, WORK(floats), "smooth, gradient, laplace: write 32-bit floats"),
    ROW("halo", 0, "N", OWN, AT(halos), 0, SMOOTHIMG_MAX_RADIUS, NULL,
        "reach of the filter in pixels, 0 to 1024 (default 4);\nN,M: along x and y; N,M,P: through "
        "pages too"),
    ROW("sigma", 0, "S", OWN, AT(sigmas), 0, 0, NULL,
        "standard deviation of the filter in pixels\n(default halo/3); alone: halo = floor(4 S + "
        "1/2);\n2,0.5: along x and y; 2,2,1: through pages too"),
    ROW("truncate", 0, "T", REAL, AT(truncate), 0, 0, NULL,
        "with --sigma alone: halo = floor(T S + 1/2)\n(default 4, as SciPy's)"),
    ROW("edge", 0, "RULE", WORD, WORK(filter.edge), 0, 0, edge_words,
        "samples outside of the image; the manual has the\nnames of other programs"),
    ROW("norm", 0, "NORM", WORD, WORK(filter.norm), 0, 0, norm_words,
        "weights sum to 1, or are the normal density"),
    ROW("alpha", 0, "RULE", WORD, WORK(filter.alpha), 0, 0, alpha_words,
        "alpha weights the colours, or is a channel too"),
    FLAG(
        "linear", 0, STREAM(linear),
        "smooth light, not the stored values: decode sRGB, or\nthe file's gamma, and encode again"),
    ROW("nan", 0, "RULE", WORD, AT(nan), 0, 0, nan_words,
        "floats: a NaN spreads, or is a missing sample"),
    ROW("mask", 0, "FILE", TEXT, AT(batch.mask), 0, 0, NULL,
        "leave out the pixels that are 0 in this grey image of\nthe same size, such as bad pixels"),
    ROW("output", 'o', "FILE", TEXT, PLAN(output_file), 0, 0, NULL,
        "write this file; the only operand is the input"),
    ROW("output-dir", 'O', "DIR", TEXT, PLAN(output_dir), 0, 0, NULL,
        "write into this folder; all operands are inputs"),
    FLAG("recursive", 'r', PLAN(recursive), "process subfolders too, into the same subfolders"),
    ROW("files-from", 0, "FILE", TEXT, PLAN(files_from), 0, 0, NULL,
        "read names of inputs from FILE, or -; needs an output\nfolder or --in-place"),
    ROW("suffix", 0, "TEXT", TEXT, PLAN(suffix), 0, 0, NULL,
        "insert TEXT before the extension of outputs; without\nan output, they go next to their "
        "inputs"),
    ROW("shard", 0, "PART", OWN, PLAN(shard), 0, 1000000, NULL,
        "process one part of the files: I/N, part I of N"),
    ROW("in-place", 0, NULL, FULL, PLAN(in_place), 0, 0, NULL,
        "replace each input by its result; all operands are\ninputs"),
    FLAG("skip-existing", 0, PLAN(skip_existing), "skip files whose output exists"),
    FLAG("no-clobber", 'n', STREAM(output.no_clobber), "never replace a file"),
    FLAG("preserve", 0, STREAM(output.preserve), "give outputs the times of their inputs"),
    FLAG("fail-fast", 0, PLAN(fail_fast), "begin no further file after a failure"),
    ROW("format", 0, "FORMAT", CHOICE, PLAN(format), 0, 0, format_words,
        "write this format, regardless of the name"),
    FLAG("plain", 0, STREAM(output.write.plain), "write PBM, PGM and PPM as text"),
    FLAG("scale", 0, STREAM(output.write.scale), "PNG: scale an odd maxval to the full range"),
    ROW("quality", 0, "N", INTEGER, STREAM(output.write.quality), 1, 100, NULL,
        "JPEG: 1 to 100 (default 95)"),
    ROW("png-level", 0, "N", INTEGER, STREAM(output.write.png_level), 0, 9, NULL,
        "PNG: compression, 0 (none) to 9 (small)"),
    ROW("tiff-compression", 0, "METHOD", WORD, STREAM(output.write.tiff_compression), 0, 0,
        compression_words, "TIFF; input: deflate if the input is compressed"),
    FLAG("strip-metadata", 0, AT(strip_metadata), "drop comments, texts, profiles, resolution"),
    ROW("jobs", 'j', "N", OWN, WORK(threads), 1, MAX_THREADS, NULL,
        "number of threads (default: all processors)"),
    ROW("max-memory", 0, "SIZE", SIZE, AT(batch.max_memory), 1 << 20, INT64_MAX, NULL,
        "memory for all images in work, such as 512M or 1.5G\n(default: three quarters of the "
        "machine's)"),
    ROW("max-pixels", 0, "N", INTEGER, STREAM(max_pixels), 1, INT64_MAX, NULL,
        "refuse larger images (default 2^34)"),
    ROW("max-side", 0, "N", INTEGER, STREAM(max_side), 1, INT_MAX, NULL,
        "refuse wider or higher images (default 2^24)"),
    ROW("max-channels", 0, "N", INTEGER, STREAM(max_channels), 1, INT_MAX, NULL,
        "refuse pixels of more samples (default 4096)"),
    ROW("max-metadata", 0, "SIZE", SIZE, AT(max_metadata), 1 << 10, INT64_MAX, NULL,
        "refuse files with more metadata (default 64M)"),
    ROW("variant", 0, "NAME", TEXT, WORK(variant), 0, 0, NULL,
        "how to compute: auto (default), cpu, gpu, or a name\nof --list-variants"),
    ROW("device", 0, "N", OWN, WORK(device), 0, 1023, NULL,
        "GPU to use: a number of --list-devices, or\nemulated (default 0)"),
    ROW("block", 0, "N", INTEGER, WORK(block), 1, 1024, NULL,
        "edge of the thread block of naive and coalesced"),
    ROW("list-variants", 0, NULL, ACTION, AT(action), ACTION_LIST_VARIANTS, 0, NULL,
        "print the variants of each operation"),
    ROW("list-devices", 0, NULL, ACTION, AT(action), ACTION_LIST_DEVICES, 0, NULL,
        "print the GPUs that can be used"),
    FLAG("verify", 0, STREAM(verify), "also run the reference, and compare every sample"),
    FLAG("dry-run", 0, STREAM(dry_run),
         "read headers, print what would be done, and write\nnothing"),
    FLAG("json", 0, AT(json), "print a line of JSON for each file, one at the end"),
    FLAG("no-progress", 0, AT(no_progress),
         "show no progress (which a terminal gets, of a folder\nand of an image that takes long)"),
    FLAG("quiet", 'q', AT(quiet), "print errors only"),
    FLAG("verbose", 'v', AT(verbose), "print what is done, and how"),
    ROW("help", 'h', NULL, ACTION, AT(action), ACTION_HELP, 0, NULL, "print this"),
    ROW("version", 'V', NULL, ACTION, AT(action), ACTION_VERSION, 0, NULL,
        "print the versions of the program and its libraries"),
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

const struct options default_options = {
    .batch.stream = {.work = {.variant = "auto", .amount = AMOUNT_UNIT, .offset = MIDDLE_OFFSET},
                     .max_pixels = DEFAULT_MAX_PIXELS,
                     .max_side = MAX_SIDE_DEFAULT,
                     .max_channels = MAX_CHANNELS_DEFAULT,
                     .progress = progress_add,
                     .output.write = {.quality = QUALITY_DEFAULT, .png_level = PNG_LEVEL_DEFAULT}},
    .max_metadata = DEFAULT_MAX_METADATA,
};

static enum status take_device(const struct option_row *row, const char *argument,
                               struct options *options, struct error *error)
{
    int64_t *device = &options->batch.stream.work.device;

    *device = DEVICE_EMULATED;
    if (strcmp(argument, "emulated") == 0 ||
        option_take_integer(row, argument, device, error) == STATUS_OK)
        return STATUS_OK;
    return fail_with_remedy(error, ", or emulated");
}

static enum status take_jobs(const struct option_row *row, const char *argument,
                             struct options *options, struct error *error)
{
    int64_t *jobs = &options->batch.stream.work.threads;

    *jobs = 0;
    if (strcmp(argument, "all") == 0 ||
        option_take_integer(row, argument, jobs, error) == STATUS_OK)
        return STATUS_OK;
    return fail_with_remedy(error, ", or all for all processors");
}

/* Stores the argument of --amount in thousandths. A number has at most three decimals if the
 * nearest multiple of 1/1000 is the same double. */
static enum status take_amount(const struct option_row *row, const char *argument,
                               struct options *options, struct error *error)
{
    int64_t *amount = &options->batch.stream.work.amount;
    char *end;
    const double number = strtod(argument, &end);
    const double units = round(number * AMOUNT_UNIT);

    if (end > argument && *end == '\0' && strspn(argument, "0123456789.eE+-") == strlen(argument) &&
        !signbit(number) && number <= (double)row->max && units / AMOUNT_UNIT == number) {
        *amount = (int64_t)units;
        return STATUS_OK;
    }
    return fail(error, STATUS_USAGE,
                "--amount '%s': must be a number from 0 to %lld, with up to three decimals",
                argument, (long long)row->max);
}

static enum status take_op(const struct option_row *row, const char *argument,
                           struct options *options, struct error *error)
{
    struct work_options *work = &options->batch.stream.work;
    enum status status;

    if (work->op_count == MAX_OPS)
        return fail(error, STATUS_USAGE, "--op: at most %d operations can be chained", MAX_OPS);
    status = option_take_word(row, "operation", argument, &work->ops[work->op_count], error);
    if (status != STATUS_OK && strchr(argument, ','))
        return fail_with_remedy(error, "; for several say --op for each");
    options->operations |= 1u << work->ops[work->op_count++];
    return status;
}

static enum status take_shard(const struct option_row *row, const char *argument,
                              struct options *options, struct error *error)
{
    char index[8], count[8]; /* 7 digits, as row->max has, and '\0' */
    struct shard shard = {0};
    int length = 0;

    if (sscanf(argument, "%7[0-9]/%7[0-9]%n", index, count, &length) == 2 && !argument[length])
        shard = (struct shard){atoi(index), atoi(count)};
    options->batch.plan.shard = shard;
    if (shard.index >= 1 && shard.index <= shard.count && shard.count <= row->max)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "--shard '%s': must be I/N, with I from 1 to N and N up to %lld, such as 2/4",
                argument, (long long)row->max);
}

/* --- Parses --halo and --sigma, whose argument has a number for each axis: "6,2" for x and y, or
 * "6,2,1" for x, y and z. A single number, "6", is for both x and y. */

#define DEFAULT_HALO 4

/* Bytes for one number of --halo or --sigma as text. Any number that makes sense is far shorter. */
#define NUMBER_BYTES 64
#define MOST_PIECES 3 /* --halo and --sigma have at most this many numbers: for x, y and z */
#define Z 2           /* index of the z axis, for which --halo and --sigma may have no number */
struct pieces {
    char text[MOST_PIECES][NUMBER_BYTES];
    int count;
};

/* Splits "6,2" into two pieces and "6,2,1" into three. A single number becomes two equal pieces. */
static enum status cut(const struct option_row *row, const char *argument, struct pieces *pieces,
                       struct error *error)
{
    const char *rest = argument;

    *pieces = (struct pieces){.count = 0};
    while (rest) {
        const size_t length = strcspn(rest, ",");

        if (length == 0 || length >= NUMBER_BYTES || pieces->count == MOST_PIECES)
            return fail(error, STATUS_USAGE,
                        "--%s '%s': write one number, two: x,y, or three: x,y,z", row->name,
                        argument);
        memcpy(pieces->text[pieces->count], rest, length);
        pieces->text[pieces->count++][length] = '\0';
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    if (pieces->count == 1)
        strcpy(pieces->text[pieces->count++], pieces->text[0]);
    return STATUS_OK;
}

static enum status take_halo(const struct option_row *row, const char *argument,
                             struct options *options, struct error *error)
{
    struct pieces pieces;
    enum status status = cut(row, argument, &pieces, error);

    for (int axis = 0; axis < pieces.count && status == STATUS_OK; axis++)
        status = option_take_integer(row, pieces.text[axis], &options->halos[axis], error);
    options->halo_count = pieces.count;
    return status;
}

static bool is_zero(const char *text)
{
    const size_t whole = strspn(text, "0");
    const bool point = text[whole] == '.';
    const size_t decimals = strspn(text + whole + point, "0");

    return whole + decimals > 0 && text[whole + point + decimals] == '\0';
}

static enum status take_sigma(const struct option_row *row, const char *argument,
                              struct options *options, struct error *error)
{
    struct pieces pieces;
    enum status status = cut(row, argument, &pieces, error);
    bool all_zero = true;

    for (int axis = 0; axis < pieces.count && status == STATUS_OK; axis++) {
        options->sigmas[axis] = 0;
        if (!is_zero(pieces.text[axis])) {
            all_zero = false;
            status = option_take_real(row, pieces.text[axis], &options->sigmas[axis], error);
        }
    }
    if (status == STATUS_OK && all_zero)
        return fail(error, STATUS_USAGE,
                    "--%s '%s': %smust be above 0; --halo 0 leaves the image as it is", row->name,
                    argument, strchr(argument, ',') ? "one of them " : "");
    options->sigma_text = argument;
    options->sigma_count = pieces.count;
    return status;
}

/* --sigma without --halo implies a halo, by --truncate or SciPy's rule. --halo without --sigma
 * leaves the sigma 0, which means halo/3. An axis whose --sigma is 0 gets a halo of 0, so that it
 * is not filtered. If neither option has a third number, the halo of the z axis is 0. */
enum status axes_complete(struct options *options, struct error *error)
{
    struct smooth_options *filter = &options->batch.stream.work.filter;
    struct filter_axis *const axes[] = {&filter->x, &filter->y, &filter->z};

    for (int axis = 0; axis < MOST_PIECES; axis++) {
        const bool has_halo = axis < options->halo_count, has_sigma = axis < options->sigma_count;
        const double sigma = has_sigma ? options->sigmas[axis] : 0;
        double halo = has_halo ? (double)options->halos[axis] : axis == Z ? 0 : DEFAULT_HALO;

        if (has_sigma && sigma == 0)
            halo = 0;
        else if (has_sigma && !has_halo)
            halo = options->truncate > 0 ? floor(options->truncate * sigma + 0.5)
                                         : gauss_halo_of(sigma);
        if (halo > SMOOTHIMG_MAX_RADIUS)
            return fail(error, STATUS_USAGE,
                        "--sigma %g needs a halo of %g, and the largest is %d; name a smaller "
                        "--halo or --truncate to cut the filter off earlier",
                        sigma, halo, SMOOTHIMG_MAX_RADIUS);
        *axes[axis] = (struct filter_axis){(int64_t)halo, sigma};
    }
    options->batch.stream.stack =
        options->halo_count == MOST_PIECES || options->sigma_count == MOST_PIECES;
    return STATUS_OK;
}

bool axes_look_like_one(const struct options *options)
{
    const char *text = options->sigma_text;
    int fraction = 0, end = 0; /* where the digits after the comma begin and end */

    return sscanf(text, "%*[0-9],%n%*[0-9]%n", &fraction, &end) == 0 && end > 0 &&
           text[end] == '\0' && strcmp(text + fraction, "0") != 0;
}

/* --- The table of options, and the choice of a parser for options that the table marks OWN. */

/* Calls the parser of an option that is marked OWN in the table: each of these options has a parser
 * of its own, which stores the argument. `context` is the struct options. */
static enum status take_own(const struct option_row *row, const char *argument, void *context,
                            struct error *error)
{
    static const struct {
        size_t offset;
        enum status (*take)(const struct option_row *row, const char *argument,
                            struct options *options, struct error *error);
    } own[] = {{WORK(ops), take_op},     {WORK(amount), take_amount}, {AT(halos), take_halo},
               {AT(sigmas), take_sigma}, {WORK(threads), take_jobs},  {WORK(device), take_device},
               {PLAN(shard), take_shard}};
    int i = 0;

    while (own[i].offset != row->offset)
        i++;
    return own[i].take(row, argument, context, error);
}

const struct option_table option_table = {
    .rows = rows,
    .take_own = take_own,
    .headings = headings,
    .given = AT(given),
};
