/* SPDX-License-Identifier: MIT */
/* A fuzz target for the command line. The input holds the command line's words, each on a line of
 * its own. */
#include "src/app/cli/cli.h"
#include "tests/fuzz/ground.h"

#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#define MOST_WORDS 64
#define MOST_HALO 8 /* a filter's radius; weights of larger filters take long to compute */

static void demand_axis(const struct filter_axis *axis)
{
    DEMAND(axis->halo >= 0 && axis->halo <= SMOOTHIMG_MAX_RADIUS, "a halo of %d", (int)axis->halo);
    DEMAND(axis->sigma >= 0, "a sigma of %g", axis->sigma);
}

/* Demands what must be true of every accepted command line. */
static void demand_complete(const struct options *options)
{
    const struct work_options *work = &options->batch.stream.work;
    const struct write_options *write = &options->batch.stream.output.write;

    DEMAND(options->batch.plan.output ? !options->batch.plan.in_place
                                      : options->batch.plan.in_place || options->batch.plan.suffix,
           "an output and --in-place, or nothing that names an output");
    DEMAND(options->batch.plan.input_count >= 1 || options->batch.plan.files_from, "no input");
    DEMAND(work->op_count >= 1 && work->op_count <= MAX_OPS, "%d operations", work->op_count);
    for (int i = 0; i < work->op_count; i++)
        DEMAND(work->ops[i] >= 0 && work->ops[i] <= OPERATION_LAPLACE, "operation %d",
               work->ops[i]);
    DEMAND(work->amount >= 0 && work->amount <= MAX_AMOUNT * AMOUNT_UNIT, "an amount of %d",
           (int)work->amount);
    demand_axis(&work->filter.x);
    demand_axis(&work->filter.y);
    DEMAND(write->png_level >= 0 && write->png_level <= 9, "a level beyond zlib's");
    DEMAND(work->threads >= 1 && options->batch.stream.max_pixels >= 1 &&
               options->batch.max_memory >= 0,
           "a limit that nothing keeps");
}

/* Does what the program does next after it has parsed its options: finds the variant, and computes
 * the weights. Does nothing for filters with a halo above MOST_HALO. */
static void ask_on(const struct options *options)
{
    const struct work_options *work = &options->batch.stream.work;
    struct computer computer = {0};
    struct error error;
    const enum status status = filter_halo(&work->filter) <= MOST_HALO
                                   ? computer_open(&computer, work, &error)
                                   : STATUS_OK;

    computer_close(&computer);
    DEMAND(status == STATUS_OK || error.text[0], "a failure without a word");
}

/* Copies each word into its own block of memory, so that a read beyond it is detected. */
static int split(const uint8_t *data, size_t size, char **words)
{
    size_t from = 0;
    int count = 0;

    words[count++] = strdup("smoothimg");
    while (from < size && count < MOST_WORDS) {
        const uint8_t *end = memchr(data + from, '\n', size - from);
        const size_t length = end ? (size_t)(end - data) - from : size - from;

        words[count++] = strndup((const char *)data + from, length);
        from += length + 1;
    }
    words[count] = NULL;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words[MOST_WORDS + 1], *given[MOST_WORDS + 1];
    const int count = split(data, size, words);
    struct options options;
    struct error error = {STATUS_OK, ""};
    enum status status;

    memcpy(given, words, sizeof given);
    optind = 0; /* resets glibc's getopt */
    status = cli_parse(count, given, &options, &error);
    /* A well-formed command line may also fail by STATUS_INPUT (the input's name is too long for a
     * file) or by STATUS_OUTPUT (the output's folder is missing). */
    DEMAND(status == STATUS_OK || status == STATUS_USAGE || status == STATUS_INPUT ||
               status == STATUS_OUTPUT,
           "status %d", status);
    DEMAND(status == STATUS_OK || error.text[0], "a failure without a word");
    if (status == STATUS_OK && options.action == ACTION_RUN) {
        demand_complete(&options);
        ask_on(&options);
    }
    for (int i = 0; i < count; i++)
        free(words[i]);
    return 0;
}
