/* SPDX-License-Identifier: MIT */
/* smoothimg-bench: measures the variants of smoothimg, or memory experiments. A variant or
 * experiment is a row of the printed table, and is timed only if every sample of its result is
 * right. No other file of this program prints messages or exits. */
#include "src/bench/core/suite.h"
#include "src/bench/memory/experiments.h"
#include "src/bench/memory/occupancy.h"
#include "kernels/common/isa.h"
#include "kernels/common/worker_pool.h"
#include "src/text/exit_status.h"
#include "src/bench/transactions/transactions.h"
#include "src/bench/variants/suite.h"
#include "src/files/output/output.h"
#include "src/lib/smoothimg.h"
#include "src/bench/options/options.h"
#include "src/files/codec/codec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void bench_print_help(FILE *stream)
{
    fputs(usage, stream);
    option_table_print(&bench_option_table, stream);
    fputs(epilogue, stream);
}

static void bench_print_version(FILE *stream)
{
    fprintf(stream, "smoothimg-bench %s (libpng %s, libsmoothimg %s)\n", SMOOTHIMG_VERSION,
            codec_png.version(), smoothimg_version());
}

static enum status complain(const struct error *error)
{
    fprintf(stderr, "smoothimg-bench: %s\n", error->text);
    if (exit_statuses[error->status] == exit_statuses[STATUS_USAGE])
        fputs("Try 'smoothimg-bench --help' or 'man smoothimg-bench'.\n", stderr);
    return error->status;
}

/* Flushes standard output. Reports a failure, such as a full disk. */
static enum status close_stdout(void)
{
    struct error error;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    fail(&error, STATUS_OUTPUT, "standard output: cannot be written: %s", strerror(errno));
    return complain(&error);
}

/* Prints the rows of a group, such as all variants of one operation on one image. Before the first
 * group, also prints the head of the table, which describes the machine. */
static void print_group(const struct results *results, const struct group *group)
{
    if (results->group_count == 1)
        table_print_head(stdout, results);
    table_print_group(stdout, results, group);
    fflush(stdout);
}

/* Prints to standard error the names of the variants and experiments that failed or had a wrong
 * result, so that scripts need not search the table for them. Returns STATUS_DIFFERENT if a result
 * is wrong; else the status of the last failure, or STATUS_OK if there was none. */
static enum status report_faults(const struct results *results)
{
    enum status status = STATUS_OK;

    for (int g = 0; g < results->group_count; g++)
        for (int i = 0; i < results->groups[g].row_count; i++) {
            const struct row *row = &results->groups[g].rows[i];

            if (row->outcome != ROW_DIFFERENT && row->outcome != ROW_FAILED)
                continue;
            fprintf(stderr, "smoothimg-bench: %s %s: %s\n", results->groups[g].name, row->name,
                    row->why);
            status = status == STATUS_DIFFERENT ? status : row->status;
        }
    return status;
}

static enum status measure_and_print(const struct bench_options *options, struct gpu *gpu,
                                     struct results *results)
{
    struct error error;
    enum status status, written;

    signals_catch(NULL);
    if (options->occupancy)
        return occupancy_print(options, gpu, &results->machine.gpu, stdout, &error) == STATUS_OK
                   ? close_stdout()
                   : complain(&error);
    if (results->suite->measure(options, gpu, results, &error) != STATUS_OK)
        return complain(&error);
    status = report_faults(results);
    (options->json ? json_print : table_print_end)(stdout, results);
    written = close_stdout();
    return status == STATUS_OK ? written : status;
}

static enum status run(const struct bench_suite *suite, const struct bench_options *options)
{
    struct results results = {.suite = suite, .done = options->json ? NULL : print_group};
    struct gpu *gpu = NULL; /* stays NULL without a GPU, and for --place cpu */
    struct error error;
    enum status status;

    machine_describe(&results.machine, options->isa, (int)options->device);
    results.untimed = results.machine.emulated && options->where == GPU_ONLY;
    status = suite->check(options, &results.machine, &error);
    if (status == STATUS_OK && results.machine.has_gpu && options->where != CPU_ONLY)
        status = gpu_open((int)options->device, &gpu, &error);
    if (status != STATUS_OK)
        return complain(&error);
    status = measure_and_print(options, gpu, &results);
    gpu_close(gpu);
    free(results.groups);
    return status;
}

static enum status save_image(const struct bench_options *options)
{
    struct image picture = {0};
    struct error error;
    enum status status = variants_picture(options, 0, &picture, &error);

    signals_catch(NULL);
    if (status == STATUS_OK)
        status = picture_save(&picture, options->save_image, &error);
    image_free(&picture);
    return status == STATUS_OK ? status : complain(&error);
}

static enum status print_text(void (*print)(FILE *stream))
{
    print(stdout);
    return close_stdout();
}

static enum status act(const struct bench_suite *suite, const struct bench_options *options)
{
    struct error error;

    switch ((enum bench_action)options->action) {
    case BENCH_LIST:
        return print_text(suite->print_list);
    case BENCH_HELP:
        return print_text(bench_print_help);
    case BENCH_VERSION:
        return print_text(bench_print_version);
    case BENCH_RUN:
        break;
    }
    if (!options->sectors && !options->transactions)
        return options->save_image ? save_image(options) : run(suite, options);
    /* Counting accesses needs no GPU: transactions_run replaces this program by smoothimg-tracer,
     * which runs kernels on the emulated GPU. transactions_run returns only on failure. */
    if (experiments_check_counted(options, &error) == STATUS_OK)
        transactions_run(options, &error);
    return complain(&error);
}

int main(int argc, char **argv)
{
    static const struct bench_suite *const suites[] = {&variants_suite, &memory_suite};
    struct bench_options options;
    enum status status;
    struct error error;

    if (bench_options_parse(argc, argv, &options, &error) != STATUS_OK)
        return exit_statuses[complain(&error)];
    options.isa = isa_find(getenv("SMOOTHIMG_CPU"));
    worker_pool_hold(); /* keeps the threads between calls, as the library does */
    status = act(suites[options.suite], &options);
    worker_pool_release();
    return exit_statuses[status];
}
