/* SPDX-License-Identifier: MIT */
/* Compares a variant with the reference of its operation, byte for byte, over all cases.
 *
 *     check_variants STEM [CASE]         all cases, or one, and how it went
 *     check_variants STEM every N        every Nth case; N prime to 26 and 7: sizes and fills
 *     check_variants STEM filters        smooth: the cases of hostile filters alone; with `every N`
 *                                        before it, N prime to 18
 *     check_variants STEM others         smooth: all but these
 *     check_variants --must-fail STEM    succeeds only if some case finds the variant wrong
 *
 * SMOOTHIMG_TEST_TURN=T in the environment: `every N` begins with case T modulo N.
 *
 * Each case runs twice, with everything that the variant must write or may not touch filled first
 * with one poison and then with another; on the CPU a third time, between pages without access.
 * Wrong are: a sample that differs, a byte read beside the source or written beside the output, a
 * source that changed, a failure, and a variant that refuses every case. */
#include "tests/variants/cases.h"

#include "kernels/common/isa.h"
#include "src/lib/image/compare.h"
#include "tests/variants/guarded.h"
#include "src/lib/image/halo.h"
#include "tests/variants/isa_check.h"
#include "src/lib/filter/registry.h"
#include "src/lib/filter/run.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Open if the variant needs one. */
static struct gpu *gpu;

/* What it means that the variant is found wrong: the exit status. */
static int status_if_wrong = 1;

enum verdict { RIGHT, REFUSED, WRONG };

/* The images of one case. `answer` is what the reference gives; `wanted` is that within poison. */
struct bench {
    struct image src, src_before, answer, wanted, got;
    uint64_t weights[2 * MAX_HALO + 1];
    struct job job;
};

static void must(enum status status, const struct error *error)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "check_variants: %s\n", error->text);
    exit(99);
}

static struct shape output_shape(const struct test_case *test, enum op op)
{
    struct shape shape = test->shape;

    if (op == OP_TRANSPOSE) {
        shape.width = test->shape.height;
        shape.height = test->shape.width;
    }
    return shape;
}

/* Analytic weights that are refused give way to weights that sum to one. */
static void set_weights(struct test_case *test, struct bench *bench)
{
    struct error error;

    if (gauss_weights(&test->filter, bench->weights, &error) == STATUS_OK)
        return;
    test->filter.norm = NORM_SUM;
    must(gauss_weights(&test->filter, bench->weights, &error), &error);
}

static struct job job_of(const struct test_case *test, enum op op, const struct bench *bench)
{
    return (struct job){.src = bench->src.view,
                        .maxval = test->shape.maxval,
                        .weighted = test->weighted,
                        .halo = test->filter.halo,
                        .weights = op == OP_SMOOTH ? bench->weights : NULL,
                        .threads = test->threads,
                        .block = test->block,
                        .isa = isa_find(getenv("SMOOTHIMG_CPU"))};
}

static void set_up(struct test_case *test, enum op op, struct bench *bench)
{
    const struct shape output = output_shape(test, op);
    struct error error;

    set_weights(test, bench);
    must(image_alloc(&bench->src, &test->shape, test->filter.halo, &error), &error);
    must(image_alloc(&bench->src_before, &test->shape, test->filter.halo, &error), &error);
    must(image_alloc(&bench->answer, &output, 0, &error), &error);
    must(image_alloc(&bench->wanted, &output, test->margin, &error), &error);
    must(image_alloc(&bench->got, &output, test->margin, &error), &error);
    bench->job = job_of(test, op, bench);
}

/* Fills all memory with the poison, and then the source with the picture of the case. */
static void paint(const struct test_case *test, int poison, struct bench *bench)
{
    memset(bench->src.memory, poison, bench->src.memory_bytes);
    memset(bench->wanted.memory, poison, bench->wanted.memory_bytes);
    memset(bench->got.memory, poison, bench->got.memory_bytes);
    case_paint(test, &bench->src);
    halo_fill(&bench->src, test->filter.edge);
    memcpy(bench->src_before.memory, bench->src.memory, bench->src.memory_bytes);
}

/* The reference takes longest: once a case. */
static void answer(const struct test_case *test, enum op op, struct bench *bench)
{
    struct error error;

    paint(test, 0, bench);
    bench->job.dst = bench->answer.view;
    must(run_job(registry_reference(op), &bench->job, NULL, &error), &error);
    bench->job.dst = bench->got.view;
}

static void clear_up(struct bench *bench)
{
    image_free(&bench->src);
    image_free(&bench->src_before);
    image_free(&bench->answer);
    image_free(&bench->wanted);
    image_free(&bench->got);
}

static void print_difference(const struct difference *difference)
{
    printf("  %lld samples differ; the first is x %lld, y %lld, channel %d: wanted %u, got %u\n"
           "  from x %lld, y %lld ('x': differs):\n%s",
           (long long)difference->samples, (long long)difference->x, (long long)difference->y,
           (int)difference->channel, (unsigned)difference->wanted, (unsigned)difference->got,
           (long long)difference->map_x, (long long)difference->map_y, difference->map);
}

/* After both have run: what is wrong with bench->got? */
static enum verdict judge(const struct bench *bench)
{
    const struct difference difference = compare_views(&bench->wanted.view, &bench->got.view);

    if (difference.samples > 0) {
        print_difference(&difference);
        return WRONG;
    }
    if (memcmp(bench->wanted.memory, bench->got.memory, bench->got.memory_bytes) != 0) {
        printf("  bytes beside the output were written\n");
        return WRONG;
    }
    if (memcmp(bench->src_before.memory, bench->src.memory, bench->src.memory_bytes) != 0) {
        printf("  the source was changed\n");
        return WRONG;
    }
    return RIGHT;
}

/* The same again between pages without access. The side is the parity of the number's bits: the
 * cases of one size, whose numbers are equally far apart, have both sides. */
static enum verdict run_guarded(const struct variant *variant, const struct test_case *test,
                                const struct bench *bench)
{
    const enum guarded_side side =
        __builtin_parity((unsigned)test->number) ? GUARDED_BEHIND : GUARDED_BEFORE;
    const char *beside = side == GUARDED_BEHIND ? "behind a row" : "before a row";
    char text[400], described[256];

    case_describe(test, described, sizeof described);
    snprintf(text, sizeof text, "%s: WRONG: memory %s was used, or the source was written: %s\n",
             variant->name, beside, described);
    if (guarded_run(variant, &bench->job, &bench->wanted.view, side,
                    &(struct guarded_fault){text, status_if_wrong}))
        return RIGHT;
    printf("  samples differ where the memory %s cannot be read\n", beside);
    return WRONG;
}

static enum verdict run_once(const struct variant *variant, const struct test_case *test,
                             struct bench *bench, int poison, bool guarded)
{
    struct error error;
    enum verdict verdict;

    mallopt(M_PERTURB, poison); /* so scratch is poisoned too */
    paint(test, poison, bench);
    for (int64_t y = 0; y < bench->answer.view.height; y++)
        memcpy(image_row(&bench->wanted, y), image_row(&bench->answer, y),
               image_row_bytes(&bench->answer));
    if (gpu)
        gpu_watch_border(gpu, test->margin);
    switch (run_job(variant, &bench->job, gpu, &error)) {
    case STATUS_OK:
        verdict = judge(bench);
        if (verdict == RIGHT && guarded && variant->backend == ON_CPU)
            verdict = run_guarded(variant, test, bench);
        return verdict;
    case STATUS_UNSUPPORTED:
        return REFUSED;
    default:
        printf("  %s\n", error.text);
        return WRONG;
    }
}

static enum verdict run_case(const struct registered *row, int number, bool verbose)
{
    static const int poisons[] = {0xA5, 0x5A};
    static const char *const outcomes[] = {"right", "refused", "WRONG"};
    struct test_case test = case_of(number, row->variant->op);
    enum verdict verdict = RIGHT;
    struct bench bench;
    char text[256];

    set_up(&test, row->variant->op, &bench);
    answer(&test, row->variant->op, &bench);
    for (int i = 0; i < 2 && verdict == RIGHT; i++)
        verdict = run_once(row->variant, &test, &bench, poisons[i], i == 1);
    clear_up(&bench);
    case_describe(&test, text, sizeof text);
    if (verbose || verdict == WRONG)
        printf("%s: %s: %s\n", row->stem, outcomes[verdict], text);
    if (verdict == WRONG)
        printf("  again: check_variants %s %d\n", row->stem, number);
    return verdict;
}

struct range {
    int first, end, step;
};

/* The number of wrong cases in the range, up to `most`: more say the same. */
static int run_cases(const struct registered *row, struct range range, int most)
{
    int counts[3] = {0};

    for (int number = range.first; number < range.end && counts[WRONG] < most; number += range.step)
        counts[run_case(row, number, false)]++;
    printf("%s: %d cases right, %d refused, %d wrong\n", row->stem, counts[RIGHT], counts[REFUSED],
           counts[WRONG]);
    if (counts[RIGHT] == 0 && counts[WRONG] == 0) {
        printf("  it refuses everything\n");
        return 1;
    }
    return counts[WRONG];
}

/* A variant that cannot run here is not right: it is skipped, or wrong if SMOOTHIMG_REQUIRE_GPU is
 * set. So is one at a level that the processor lacks; a level that is there has to be in use.
 * Returns the exit status, or 0: go on. */
static int find_device(const struct registered *row)
{
    const int skip = getenv("SMOOTHIMG_REQUIRE_GPU") ? 1 : 77;
    struct error error;

    if (row->variant && row->variant->backend == ON_CPU)
        return isa_check(getenv("SMOOTHIMG_CPU"));
    if (row->variant && gpu_open(0, &gpu, &error) == STATUS_OK) {
        if (getenv("PAGEABLE_COPIES"))
            gpu_use_pageable_copies(gpu);
        return 0;
    }
    fprintf(stderr, "check_variants: %s: %s\n", row->stem,
            row->variant ? error.text : "not in this build");
    return skip;
}

/* The cases that `every N` takes, for N = step. */
static struct range sample(struct range range, int step)
{
    const char *turn = getenv("SMOOTHIMG_TEST_TURN");

    range.step = step;
    range.first = step > 0 && turn ? atoi(turn) % step : 0;
    return range;
}

/* words: what follows the stem, ending with NULL. Returns the exit status. */
static int check(const struct registered *row, bool must_fail, char *const *words)
{
    const struct range all = {0, case_count(row->variant->op), 1};
    struct range range = all;

    if (must_fail) {
        status_if_wrong = 0;
        return run_cases(row, all, 1) > 0 ? 0 : 1;
    }
    for (; *words; words++)
        if (strcmp(*words, "every") == 0 && words[1])
            range = sample(all, atoi(*++words));
        else if (strcmp(*words, "filters") == 0)
            range.first += FIRST_FILTER_CASE;
        else if (strcmp(*words, "others") == 0)
            range.end = range.end < FIRST_FILTER_CASE ? range.end : FIRST_FILTER_CASE;
        else
            return run_case(row, atoi(*words), true) == WRONG ? 1 : 0;
    return range.step < 1 || run_cases(row, range, 3) > 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
    const bool must_fail = argc > 1 && strcmp(argv[1], "--must-fail") == 0;
    const char *stem = argc > 1 + must_fail ? argv[1 + must_fail] : "";
    const struct registered *row = registry_find(stem);
    int result;

    if (!row) {
        fprintf(stderr, "check_variants: '%s' is no variant of the list\n", stem);
        return 2;
    }
    result = find_device(row);
    if (result == 0)
        result = check(row, must_fail, argv + 2 + must_fail);
    gpu_close(gpu);
    return result;
}
