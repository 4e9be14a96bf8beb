/* SPDX-License-Identifier: MIT */
#include "tests/bounds/trial.h"

#include "tests/unit/framed.h"
#include "tests/unit/splitmix.h"
#include "tests/variants/isa_check.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "src/files/image/compare.h"
#include "src/bench/run/on_device.h"
#include "src/bench/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POISON 0xA5
#define MARGIN 4 /* pixels on each side of the output that a variant must not write */

static void must(enum status status, const struct error *error)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "%s\n", error->text);
    exit(99);
}

uint64_t trial_hash(uint64_t counter)
{
    /* Splitmix adds this constant in each step: the product is its state after `counter` steps. */
    uint64_t state = counter * 0x9e3779b97f4a7c15u;

    return splitmix(&state);
}

int subject_open(struct subject *subject, const char *stem)
{
    const int status_without_gpu = getenv("SMOOTHIMG_REQUIRE_GPU") ? 1 : 77;
    const char *name = strchr(stem, '_') + 1;
    struct error error;

    *subject = (struct subject){.stem = stem};
    if (!registry_variant(OP_SMOOTH, name, &subject->named)) {
        fprintf(stderr, "%s: not a variant in this build\n", stem);
        return 2;
    }
    if (subject->named.count > 0)
        subject->variant = &subject->named;
    if (subject->variant && subject->variant->backend == ON_CPU)
        return isa_check(getenv("SMOOTHIMG_CPU"));
    if (subject->variant && gpu_open(0, &subject->gpu, &error) == STATUS_OK)
        return 0;
    fprintf(stderr, "%s: %s\n", stem, subject->variant ? error.text : "not in this build");
    return status_without_gpu;
}

void subject_close(struct subject *subject)
{
    gpu_close(subject->gpu);
}

void trial_open(struct trial *trial, const struct shape *shape, const struct plane_filter *filter)
{
    struct error error;

    must(framed_alloc(&trial->src, shape, max(filter->halo_x, filter->halo_y), &error), &error);
    must(framed_alloc(&trial->wanted, shape, MARGIN, &error), &error);
    must(framed_alloc(&trial->got, shape, MARGIN, &error), &error);
    memset(trial->src.memory, 0, trial->src.memory_bytes);
    trial->request = (struct request){.src = trial->src.view,
                                      .maxval = shape->maxval,
                                      .threads = 1,
                                      .isa = isa_find(getenv("SMOOTHIMG_CPU"))};
    request_set_filter(&trial->request, filter);
    trial->request.beside = request_reach(&trial->request);
}

void trial_close(struct trial *trial)
{
    image_free(&trial->src);
    image_free(&trial->wanted);
    image_free(&trial->got);
}

/* Runs the variant. Returns how many samples differ from trial->wanted, or -1 after a failure. A
 * variant with a name such as "cpu:u8" is one engine (implementation) of the variant "cpu". If
 * such a variant refuses the request, returns 0. */
static int64_t run_once(struct trial *trial, const struct variant *variant, struct gpu *gpu)
{
    struct difference difference;
    struct error error;
    enum status status;

    memset(trial->got.memory, POISON, trial->got.memory_bytes);
    trial->request.dst = trial->got.view;
    status = gpu ? on_device_once(variant, &trial->request, gpu, MARGIN, &error)
                 : run_request(variant, &trial->request, NULL, &error);
    if (status == STATUS_UNSUPPORTED && strchr(variant->name, ':'))
        return 0;
    if (status != STATUS_OK) {
        printf("  %s\n", error.text);
        return -1;
    }
    difference = compare_views(&trial->wanted.view, &trial->got.view);
    if (difference.samples > 0) {
        printf(
            "  %lld samples differ; the first is x %lld, y %lld, channel %d: wanted %u, got %u\n",
            (long long)difference.samples, (long long)difference.x, (long long)difference.y,
            (int)difference.channel, (unsigned)difference.wanted, (unsigned)difference.got);
        return difference.samples;
    }
    if (memcmp(trial->wanted.memory, trial->got.memory, trial->got.memory_bytes) == 0)
        return 0;
    printf("  bytes beside the output were written\n");
    return -1;
}

static void compute_wanted(struct trial *trial)
{
    struct request request = trial->request;
    struct variant reference;
    struct error error;

    registry_variant(OP_SMOOTH, "reference", &reference);
    memset(trial->wanted.memory, POISON, trial->wanted.memory_bytes);
    request.dst = trial->wanted.view;
    must(run_request(&reference, &request, NULL, &error), &error);
}

int64_t trial_run(struct trial *trial, const struct subject *subject)
{
    static int turn; /* index of the next engine, modulo the number of engines */
    const int engines = subject->gpu && subject->variant->count > 1 ? subject->variant->count : 0;
    int64_t wrong;

    compute_wanted(trial);
    wrong = run_once(trial, subject->variant, subject->gpu);
    if (wrong == 0 && engines > 0) {
        const struct variant engine =
            variant_of_engine(subject->variant, &subject->variant->engines[turn++ % engines]);

        wrong = run_once(trial, &engine, subject->gpu);
    }
    return wrong;
}
