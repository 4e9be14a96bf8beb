/* SPDX-License-Identifier: MIT */
/* One case, run by the reference and by a variant: its images, and what is wrong with the result.
 * All functions exit with 99 if there is no memory or the reference fails. */
#ifndef SMOOTHIMG_CASE_RUN_H
#define SMOOTHIMG_CASE_RUN_H

#include "kernels/variant.h"
#include "tests/variants/cases/cases.h"

enum verdict { RIGHT, REFUSED, WRONG };

/* What is wrong, in a word: of variants that are broken on purpose, a test says which it has to be.
 */
#define WRONG_SAMPLES "samples" /* of the result */
#define WRONG_WRITE "write"     /* beside the output */
#define WRONG_SOURCE "source"   /* it was changed */
#define WRONG_ACCESS "access"   /* to memory beside a row */
#define WRONG_FAILURE "failure" /* instead of a result */
#define WRONG_REFUSAL "refusal" /* of every case */

/* The images and the request of one case. `answer` is the reference's result; `wanted` is the
 * answer within poison, as `got`, the variant's result, has to be. */
struct case_run {
    struct image src, src_before, answer, wanted, got;
    struct plane_filter weights;
    struct request request;
    bool answered;
    const char *fault; /* if it is WRONG: one of these words */
};

/* Allocates the images. Sets the test's norm to NORM_SUM if its analytic weights are refused. */
void case_run_open(struct test_case *test, enum op op, struct case_run *run);
void case_run_close(struct case_run *run);

/* Runs the reference, unless it did: this takes longest. */
void case_run_answer(const struct test_case *test, enum op op, struct case_run *run);

/* After case_run_answer: fills all memory with the poison, and then the source with the picture of
 * the case, and `wanted` with the answer: the variant can run run->request. */
void case_run_poison(const struct test_case *test, int poison, struct case_run *run);

/* After the variant has run: RIGHT, or WRONG after a message that says what is wrong. */
enum verdict case_run_judge(struct case_run *run);

/* WRONG, by this fault. */
enum verdict case_run_fault(struct case_run *run, const char *fault);

#endif
