/* SPDX-License-Identifier: MIT */
#include "src/bench/options/options.h"

#include "src/lib/gpu/gpu.h"
#include "kernels/common/parallel.h"
#include "src/lib/filter/registry.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_SIDE 4096
/* Small, since the emulated device needs about a thousand times as long as a GPU. */
#define DEFAULT_SIDE_EMULATED 128
#define DEFAULT_HALO 4
#define MAX_SIDE 1000000
#define MAX_CHANNELS 16
#define PIECE_BYTES 64 /* bytes for one entry of a list on the command line */

static const char *const where_words[] = {"any", "cpu", "gpu", NULL};
static const char *const depth_words[] = {"8", "16", "float", NULL};
static const char *const alpha_words[] = {"separate", "weighted", NULL};
static const char *const suite_words[] = {"variants", "memory", NULL};

#define AT(FIELD) offsetof(struct bench_options, FIELD)
static const struct option_row rows[] = {
    {"suite", 0, "SUITE", "what is measured: smoothimg's variants, or what\na GPU's memory does",
     OPTION_WORD, AT(suite), 0, 0, suite_words},
    {"op", 0, "OPERATION", "smooth, transpose or reverse; may be repeated\n(default: all three)",
     OPTION_OWN, AT(ops), 0, 0, NULL},
    {"variant", 0, "NAME", "rows to measure; may be repeated (default: all that\ncan run; --list)",
     OPTION_OWN, AT(variants), 0, 0, NULL},
    {"place", 0, "PLACE", "where the rows may run", OPTION_WORD, AT(where), 0, 0, where_words},
    {"image", 0, "IMAGE", "noise (default), chequer, photo, or a file", OPTION_TEXT, AT(image), 0,
     0, NULL},
    {"size", 0, "LIST", "N or WIDTHxHEIGHT of the made image (default 4096)", OPTION_OWN, AT(sizes),
     0, 0, NULL},
    {"depth", 0, "DEPTH", "bits of its samples", OPTION_WORD, AT(depth), 0, 0, depth_words},
    {"channels", 0, "N", "of its pixels, 1 to 16 (default 1)", OPTION_INTEGER, AT(channels), 1,
     MAX_CHANNELS, NULL},
    {"halo", 0, "LIST", "of smooth: 0 to 1024 (default 4); sigma is halo/3", OPTION_OWN, AT(halos),
     0, MAX_HALO, NULL},
    {"alpha", 0, "RULE", "of smooth; weighted: the last channel weighs the\nothers", OPTION_WORD,
     AT(weighted), 0, 0, alpha_words},
    {"jobs", 'j', "LIST", "threads of CPU rows: numbers, and all (default all)", OPTION_OWN,
     AT(threads), 1, MAX_THREADS, NULL},
    {"block", 0, "N", "edge of the thread block of naive and coalesced", OPTION_INTEGER, AT(block),
     1, 1024, NULL},
    {"device", 0, "N", "GPU to use (default 0)", OPTION_INTEGER, AT(device), 0, 1023, NULL},
    {"repeat", 0, "N", "timed runs of a row, at least (default 10)", OPTION_INTEGER,
     AT(effort.repeats), 1, MAX_REPEATS, NULL},
    {"min-time", 0, "S", "seconds that a row is timed, at least (default 0.3)", OPTION_REAL,
     AT(effort.min_seconds), 0, 0, NULL},
    {"max-time", 0, "S", "seconds after which a row ends early (default 5)", OPTION_REAL,
     AT(effort.max_seconds), 0, 0, NULL},
    {"experiment", 0, "GROUP", "of the memory suite; may be repeated (default: all;\n--list)",
     OPTION_OWN, AT(experiments), 0, 0, NULL},
    {"occupancy", 0, NULL, "of the memory suite: print how many blocks and warps\nan SM holds",
     OPTION_FLAG, AT(occupancy), 0, 0, NULL},
    {"against", 0, "NAME", "row that gains are over (default cpu)", OPTION_TEXT, AT(against), 0, 0,
     NULL},
    {"sectors", 0, NULL,
     "of the memory suite: measure nothing, and count the\nsectors of memory that kernels move; "
     "needs no GPU",
     OPTION_FLAG, AT(sectors), 0, 0, NULL},
    {"transactions", 0, NULL, "the same by the rules of the GPUs of 2010", OPTION_FLAG,
     AT(transactions), 0, 0, NULL},
    {"json", 0, NULL, "print one JSON document; src/bench/scripts/plot.py\ndraws it", OPTION_FLAG,
     AT(json), 0, 0, NULL},
    {"save-image", 0, "FILE", "write the image to FILE, and measure nothing", OPTION_TEXT,
     AT(save_image), 0, 0, NULL},
    {"list", 0, NULL, "print the rows that this program has", OPTION_FLAG, AT(list), 0, 0, NULL},
    {"help", 'h', NULL, "print this", OPTION_ACTION, AT(action), BENCH_HELP, 0, NULL},
    {"version", 'V', NULL, "print the version, and that of the libraries", OPTION_ACTION,
     AT(action), BENCH_VERSION, 0, NULL},
    {.name = NULL},
};

/* Stores one entry of a list in the member of *options that `row` names. */
typedef enum status take_piece(const struct option_row *row, const char *piece,
                               struct bench_options *options, struct error *error);

static enum status take_list(const struct option_row *row, const char *argument, int count,
                             take_piece *take, struct bench_options *options, struct error *error)
{
    enum status status = STATUS_OK;

    while (status == STATUS_OK) {
        const int length = (int)strcspn(argument, ",");
        char piece[PIECE_BYTES];

        if (count++ == MAX_LIST)
            return fail(error, STATUS_USAGE, "--%s: at most %d can be named", row->name, MAX_LIST);
        snprintf(piece, sizeof piece, "%.*s", length, argument);
        status = take(row, piece, options, error);
        argument += length;
        if (*argument++ == '\0')
            break;
    }
    return status;
}

/* Reads a number of pixels. Returns 0 unless `digits` begins with digits, which the character `end`
 * follows. */
static long long side_of(const char *digits, char end)
{
    const size_t length = strspn(digits, "0123456789");

    /* If the number is too large, strtoll returns LLONG_MAX, which take_size refuses. */
    return digits[length] == end && length > 0 ? strtoll(digits, NULL, 10) : 0;
}

static enum status take_size(const struct option_row *row, const char *piece,
                             struct bench_options *options, struct error *error)
{
    const char *cross = strchr(piece, 'x');
    const long long width = side_of(piece, cross ? 'x' : '\0');
    const long long height = cross ? side_of(cross + 1, '\0') : width;

    if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
        return fail(error, STATUS_USAGE,
                    "--%s '%s': must be N or WIDTHxHEIGHT, in pixels from 1 to %d, or several of "
                    "these with commas between them",
                    row->name, piece, MAX_SIDE);
    options->sizes[options->size_count++] = (struct size){width, height};
    return STATUS_OK;
}

static enum status take_halo(const struct option_row *row, const char *piece,
                             struct bench_options *options, struct error *error)
{
    return option_take_integer(row, piece, &options->halos[options->halo_count++], error);
}

static enum status take_threads(const struct option_row *row, const char *piece,
                                struct bench_options *options, struct error *error)
{
    int64_t *threads = &options->threads[options->thread_count++];

    *threads = parallel_processors();
    if (strcmp(piece, "all") == 0 || option_take_integer(row, piece, threads, error) == STATUS_OK)
        return STATUS_OK;
    return fail_with_remedy(error, ", or all for all processors");
}

static enum status take_op(const struct option_row *row, const char *argument,
                           struct bench_options *options, struct error *error)
{
    const struct option_row words = {.name = row->name, .words = op_words};
    int op;
    const enum status status = option_take_word(&words, "operation", argument, &op, error);

    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < options->op_count; i++)
        if (options->ops[i] == op)
            return STATUS_OK;
    options->ops[options->op_count++] = op;
    return STATUS_OK;
}

static enum status take_name(const struct option_row *row, const char *argument, const char **names,
                             int *count, struct error *error)
{
    if (*count == MAX_LIST)
        return fail(error, STATUS_USAGE, "--%s: at most %d can be named", row->name, MAX_LIST);
    names[(*count)++] = argument;
    return STATUS_OK;
}

static enum status take_own(const struct option_row *row, const char *argument, void *context,
                            struct error *error)
{
    struct bench_options *options = context;

    if (row->offset == AT(sizes))
        return take_list(row, argument, options->size_count, take_size, options, error);
    if (row->offset == AT(halos))
        return take_list(row, argument, options->halo_count, take_halo, options, error);
    if (row->offset == AT(threads))
        return take_list(row, argument, options->thread_count, take_threads, options, error);
    if (row->offset == AT(ops))
        return take_op(row, argument, options, error);
    if (row->offset == AT(experiments))
        return take_name(row, argument, options->experiments, &options->experiment_count, error);
    return take_name(row, argument, options->variants, &options->variant_count, error);
}

const struct option_table bench_option_table = {
    .rows = rows, .take_own = take_own, .given = AT(given)};

bool place_is_wanted(const struct bench_options *options, enum backend place)
{
    return options->where == ANYWHERE || (options->where == GPU_ONLY) == (place == ON_GPU);
}

static struct bench_options start(void)
{
    return (struct bench_options){
        .suite = -1,
        .channels = 1,
        .effort = {.repeats = 10, .min_seconds = 0.3, .max_seconds = 5},
        .against = "cpu",
    };
}

/* If --suite is not given, an option that only the memory suite has selects that suite. */
static void choose_suite(struct bench_options *options)
{
    const bool memory = options->experiment_count > 0 || options->occupancy || options->sectors ||
                        options->transactions;

    if (options->suite < 0)
        options->suite = memory ? SUITE_MEMORY : SUITE_VARIANTS;
}

static void fill_in(struct bench_options *options)
{
    const int64_t side = gpu_is_emulated() ? DEFAULT_SIDE_EMULATED : DEFAULT_SIDE;

    if (!options->image && options->suite == SUITE_VARIANTS)
        options->image = "noise";
    if (options->op_count == 0)
        for (int op = 0; op < OP_COUNT; op++)
            options->ops[options->op_count++] = op;
    if (options->size_count == 0 && options->suite == SUITE_VARIANTS &&
        picture_is_made(options->image))
        options->sizes[options->size_count++] = (struct size){side, side};
    if (options->halo_count == 0)
        options->halos[options->halo_count++] = DEFAULT_HALO;
    if (options->thread_count == 0)
        options->threads[options->thread_count++] = parallel_processors();
}

enum status bench_options_parse(int argc, char **argv, struct bench_options *options,
                                struct error *error)
{
    int operands = argc;
    enum status status;

    *options = start();
    status = option_table_parse(&bench_option_table, argc, argv, options, &operands, error);
    choose_suite(options);
    /* --list takes effect after all options have been read, since an option after --list may choose
     * the suite. */
    if (options->list && options->action == BENCH_RUN)
        options->action = BENCH_LIST;
    if (status != STATUS_OK || options->action != BENCH_RUN)
        return status;
    if (argc - operands > 1)
        return fail(error, STATUS_USAGE,
                    "%s: one image is all it takes; usage: smoothimg-bench [options] [IMAGE]",
                    argv[operands + 1]);
    if (argc > operands)
        options->image = argv[operands];
    status = bench_options_check(options, error);
    fill_in(options);
    return status;
}
