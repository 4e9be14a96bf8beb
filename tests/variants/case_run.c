/* SPDX-License-Identifier: MIT */
#include "tests/variants/case_run.h"

#include "kernels/common/isa.h"
#include "src/lib/filter/registry.h"
#include "src/lib/run/run.h"
#include "src/lib/image/compare.h"
#include "src/lib/image/halo.h"
#include "tests/variants/cases/fills.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(enum status status, const struct error *error)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "check_variants: %s\n", error->text);
    exit(99);
}

/* Analytic weights that are refused give way to weights that sum to one. */
static void set_weights(struct test_case *test, struct case_run *run)
{
    struct error error;

    if (plane_filter_make(&test->filter, &run->weights, &error) == STATUS_OK)
        return;
    test->filter.norm = NORM_SUM;
    must(plane_filter_make(&test->filter, &run->weights, &error), &error);
}

static struct request job_of(const struct test_case *test, enum op op, const struct case_run *run)
{
    struct request request =
        request_of(op, &run->weights, test->shape.maxval, run->src.view, run->got.view);

    request.weighted = op == OP_SMOOTH && test->weighted;
    request.threads = test->threads;
    request.block = test->block;
    request.isa = isa_find(getenv("SMOOTHIMG_CPU"));
    request.skip_nan = test->skip_nan;
    return request;
}

static void allocate(struct test_case *test, enum op op, struct case_run *run)
{
    const struct shape output = run_result_shape(op, &test->shape);
    struct error error;

    set_weights(test, run);
    must(image_alloc(&run->src, &test->shape, filter_halo(&test->filter), &error), &error);
    must(image_alloc(&run->src_before, &test->shape, filter_halo(&test->filter), &error), &error);
    must(image_alloc(&run->answer, &output, 0, &error), &error);
    must(image_alloc(&run->wanted, &output, test->margin, &error), &error);
    must(image_alloc(&run->got, &output, test->margin, &error), &error);
    run->request = job_of(test, op, run);
}

/* Fills all memory with the poison, and then the source with the picture of the case, its border as
 * far as the filter reaches. */
static void paint(const struct test_case *test, int poison, struct case_run *run)
{
    memset(run->src.memory, poison, run->src.memory_bytes);
    memset(run->wanted.memory, poison, run->wanted.memory_bytes);
    memset(run->got.memory, poison, run->got.memory_bytes);
    case_paint(test, &run->src);
    halo_fill(&run->src, test->filter.edge, test->filter.x.halo, test->filter.y.halo);
    memcpy(run->src_before.memory, run->src.memory, run->src.memory_bytes);
}

void case_run_open(struct test_case *test, enum op op, struct case_run *run)
{
    allocate(test, op, run);
    run->answered = false;
}

void case_run_answer(const struct test_case *test, enum op op, struct case_run *run)
{
    struct request request = run->request;
    struct error error;

    if (run->answered)
        return;
    paint(test, 0, run);
    request.dst = run->answer.view;
    must(run_request(registry_reference(op), &request, NULL, &error), &error);
    run->answered = true;
}

void case_run_poison(const struct test_case *test, int poison, struct case_run *run)
{
    paint(test, poison, run);
    for (int64_t y = 0; y < run->answer.view.height; y++)
        memcpy(image_row(&run->wanted, y), image_row(&run->answer, y),
               image_row_bytes(&run->answer));
}

void case_run_close(struct case_run *run)
{
    image_free(&run->src);
    image_free(&run->src_before);
    image_free(&run->answer);
    image_free(&run->wanted);
    image_free(&run->got);
}

static void print_difference(const struct difference *difference, int32_t bytes)
{
    printf("  %lld samples differ; the first is x %lld, y %lld, channel %d: wanted %s, got %s\n"
           "  from x %lld, y %lld ('x': differs):\n%s",
           (long long)difference->samples, (long long)difference->x, (long long)difference->y,
           (int)difference->channel, sample_text(difference->wanted, bytes).text,
           sample_text(difference->got, bytes).text, (long long)difference->map_x,
           (long long)difference->map_y, difference->map);
}

enum verdict case_run_fault(struct case_run *run, const char *fault)
{
    run->fault = fault;
    return WRONG;
}

enum verdict case_run_judge(struct case_run *run)
{
    const struct difference difference = compare_views(&run->wanted.view, &run->got.view);

    if (difference.samples > 0) {
        print_difference(&difference, run->got.view.sample_bytes);
        return case_run_fault(run, WRONG_SAMPLES);
    }
    if (memcmp(run->wanted.memory, run->got.memory, run->got.memory_bytes) != 0) {
        printf("  bytes beside the output were written\n");
        return case_run_fault(run, WRONG_WRITE);
    }
    if (memcmp(run->src_before.memory, run->src.memory, run->src.memory_bytes) != 0) {
        printf("  the source was changed\n");
        return case_run_fault(run, WRONG_SOURCE);
    }
    return RIGHT;
}
