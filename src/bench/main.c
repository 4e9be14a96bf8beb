/* SPDX-License-Identifier: MIT */
/* smoothimg-bench: measures the variants of smoothimg, each after its whole result was found right.
 * The one file of this program that prints messages and ends it. */
#include "bench_options.h"
#include "codec.h"
#include "entries.h"
#include "gauss.h"
#include "lab_occupancy.h"
#include "lab_choice.h"
#include "lab_suite.h"
#include "output.h"
#include "peers.h"
#include "plot.h"
#include "registry.h"
#include "suite.h"
#include "transactions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: smoothimg-bench [options] [IMAGE]\n"
    "\n"
    "Measures the variants of smoothimg on a made image or a file, each after its\n"
    "whole result was compared with the right one. GPU rows: kernel times.\n"
    "--suite memory measures experiments on a GPU's memory in place of them.\n"
    "\n"
    "  smoothimg-bench --op smooth --halo 1,2,4,8,16 --plot halos.svg\n"
    "  smoothimg-bench --size 512,4096 --jobs 1,all --json > bench.json\n"
    "  smoothimg-bench --place gpu --size 16384 --image chequer --against naive\n"
    "  smoothimg-bench --suite memory --plot memory.svg\n"
    "\n";

static const char epilogue[] =
    "\n"
    "LIST is one, or several with commas between them. Exit status: 0 done; 2 wrong\n"
    "usage; 3 bad input, or no memory; 4 unsupported; 5 output not written; 6 no\n"
    "device, or a row failed; 7 a variant's result is wrong. The manual, man\n"
    "smoothimg-bench, says how all this is measured.\n";

static enum status complain(const struct error *error)
{
    fprintf(stderr, "smoothimg-bench: %s\n", error->text);
    if (error->status == STATUS_USAGE)
        fputs("Try 'smoothimg-bench --help' or 'man smoothimg-bench'.\n", stderr);
    return error->status;
}

/* A full disk is a failure on standard output too. */
static enum status close_stdout(void)
{
    struct error error;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    fail(&error, STATUS_OUTPUT, "standard output: cannot be written: %s", strerror(errno));
    return complain(&error);
}

static void print_help(FILE *stream)
{
    fputs(usage, stream);
    option_table_print(&bench_option_table, stream);
    fputs(epilogue, stream);
}

static void print_version(FILE *stream)
{
    const char *cairo = plot_cairo_version(), *last = "";

    fprintf(stream, "smoothimg-bench %s (libpng %s, MPFR %s", SMOOTHIMG_VERSION,
            codec_png_version(), gauss_mpfr_version());
    if (cairo)
        fprintf(stream, ", cairo %s", cairo);
    for (const struct peer *peer = peers; peer->variant; peer++) {
        if (peer->library != last)
            fprintf(stream, ", %s %s", peer->library, peer->version());
        last = peer->library;
    }
    fputs(")\n", stream);
}

/* What the tables need besides their groups. */
struct tables {
    const struct bench_options *options;
    const struct machine *machine; /* NULL once it was printed */
};

static void print_group(void *context, const struct group *group)
{
    struct tables *tables = context;

    if (tables->options->json)
        return;
    if (tables->machine)
        table_print_machine(stdout, tables->machine);
    tables->machine = NULL;
    table_print_group(stdout, group, tables->options->against);
    fflush(stdout);
}

/* The exit status, of the rows so far and of this one: a wrong result weighs more than one that did
 * not come. Says what went wrong, for those who do not see the table. */
static enum status worse(enum status status, const char *group, const struct row *row)
{
    if (row->outcome != ROW_DIFFERENT && row->outcome != ROW_FAILED)
        return status;
    fprintf(stderr, "smoothimg-bench: %s %s: %s\n", group, row->name, row->why);
    return status == STATUS_DIFFERENT ? status : row->status;
}

static enum status sum_up(const struct results *results)
{
    enum status status = STATUS_OK;

    for (int g = 0; g < results->group_count; g++)
        for (int i = 0; i < results->groups[g].row_count; i++)
            status = worse(status, op_word(results->groups[g].op), &results->groups[g].rows[i]);
    return status;
}

static enum status publish(const struct bench_options *options, const struct results *results)
{
    struct error error;
    enum status status = sum_up(results), written = STATUS_OK;

    if (options->json)
        json_print(stdout, results);
    if (options->plot && plot_write(options->plot, results, &error) != STATUS_OK)
        written = complain(&error);
    if (written == STATUS_OK)
        written = close_stdout();
    return status == STATUS_OK ? written : status;
}

/* *gpu stays NULL where there is none, or none is wanted. */
static enum status open_gpu(const struct bench_options *options, const struct machine *machine,
                            struct gpu **gpu, struct error *error)
{
    const enum status status = machine->has_gpu && options->where != CPU_ONLY
                                   ? gpu_open((int)options->device, gpu, error)
                                   : STATUS_OK;

    if (*gpu && options->json && machine->emulated)
        fputs("smoothimg-bench: the GPU is emulated, on the processor: the times of GPU rows mean "
              "nothing\n",
              stderr);
    return status;
}

static enum status run(const struct bench_options *options)
{
    struct results results = {.against = options->against};
    struct tables tables = {options, &results.machine};
    struct gpu *gpu = NULL;
    struct error error;
    enum status status;

    machine_describe(&results.machine, (int)options->device);
    status = entries_check(options, &results.machine, &error);
    if (status == STATUS_OK)
        status = open_gpu(options, &results.machine, &gpu, &error);
    if (status != STATUS_OK)
        return complain(&error);
    if (gpu)
        gpu_watch_border(gpu, 0); /* the poison goes up too */
    output_guard_signals();
    status = suite_measure(options, gpu, &results, print_group, &tables, &error);
    if (status == STATUS_OK)
        status = publish(options, &results);
    else
        complain(&error);
    gpu_close(gpu);
    free(results.groups);
    return status;
}

/* The memory suite. */

/* What its tables need besides their groups. */
struct lab_tables {
    const struct bench_options *options;
    const struct lab_results *results;
    bool begun;
};

static void print_lab_group(void *context, const struct lab_group *group)
{
    struct lab_tables *tables = context;

    if (tables->options->json)
        return;
    if (!tables->begun)
        lab_table_print_machine(stdout, tables->results);
    tables->begun = true;
    lab_table_print_group(stdout, tables->results, group);
    fflush(stdout);
}

static enum status publish_lab(const struct bench_options *options,
                               const struct lab_results *results)
{
    struct error error;
    enum status status = STATUS_OK, written = STATUS_OK;

    for (int g = 0; g < results->group_count; g++)
        for (int i = 0; i < results->groups[g].row_count; i++)
            status = worse(status, results->groups[g].name, &results->groups[g].rows[i].row);
    if (options->json)
        lab_json_print(stdout, results);
    else
        lab_table_print_peaks(stdout, results);
    if (options->plot && plot_write_lab(options->plot, results, &error) != STATUS_OK)
        written = complain(&error);
    if (options->profiles &&
        profiles_write(&results->profiles, options->profiles, &error) != STATUS_OK)
        written = complain(&error);
    if (written == STATUS_OK)
        written = close_stdout();
    return status == STATUS_OK ? written : status;
}

static enum status run_lab(const struct bench_options *options)
{
    struct lab_results results = {.group_count = 0};
    struct lab_tables tables = {options, &results, false};
    struct gpu *gpu = NULL;
    struct error error;
    enum status status;

    machine_describe(&results.machine, (int)options->device);
    status = lab_choice_check(options, &results.machine, &error);
    if (status == STATUS_OK)
        status = open_gpu(options, &results.machine, &gpu, &error);
    if (status != STATUS_OK)
        return complain(&error);
    output_guard_signals();
    if (options->occupancy)
        status = lab_occupancy_print(options, gpu, results.machine.gpu.name, stdout, &error);
    else
        status = lab_suite_measure(options, gpu, &results, print_lab_group, &tables, &error);
    if (status != STATUS_OK)
        complain(&error);
    else
        status = options->occupancy ? close_stdout() : publish_lab(options, &results);
    gpu_close(gpu);
    lab_results_free(&results);
    return status;
}

static enum status save_image(const struct bench_options *options)
{
    struct image picture = {0};
    struct error error;
    enum status status = suite_picture(options, 0, 0, &picture, &error);

    output_guard_signals();
    if (status == STATUS_OK)
        status = picture_save(&picture, options->save_image, &error);
    image_free(&picture);
    return status == STATUS_OK ? status : complain(&error);
}

/* No device is needed: the emulated one counts, in a program of its own. */
static enum status count(const struct bench_options *options)
{
    struct error error;
    const enum status status = transactions_print(options, stdout, &error);
    const enum status written = close_stdout();

    if (status != STATUS_OK)
        return complain(&error);
    return written;
}

static enum status print_text(void (*print)(FILE *stream))
{
    print(stdout);
    return close_stdout();
}

int main(int argc, char **argv)
{
    struct bench_options options;
    struct error error;

    if (bench_options_parse(argc, argv, &options, &error) != STATUS_OK)
        return (int)complain(&error);
    switch ((enum bench_action)options.action) {
    case BENCH_LIST:
        return (int)print_text(options.suite == SUITE_MEMORY ? lab_choice_print : entries_print);
    case BENCH_HELP:
        return (int)print_text(print_help);
    case BENCH_VERSION:
        return (int)print_text(print_version);
    case BENCH_RUN:
        break;
    }
    if (options.transactions)
        return (int)count(&options);
    if (options.suite == SUITE_MEMORY)
        return (int)run_lab(&options);
    return (int)(options.save_image ? save_image(&options) : run(&options));
}
