/* SPDX-License-Identifier: MIT */
/* Compares a variant with the reference of its operation, byte for byte, over all cases. STEM may
 * be several of one operation, `smooth_cpu,smooth_cpu:u8`: the reference then runs once for all.
 *
 *     check_variants STEM [CASE]         all cases, or one, and how it went
 *     check_variants STEM every N        every Nth case, N prime to 26 and 7: sizes and fills; and
 *                                        the standing cases (cases/standing.h)
 *     check_variants STEM standing       the standing cases
 *     check_variants STEM filters        smooth: from the hostile filters on; with `every N` before
 *                                        it, N prime to 18
 *     check_variants STEM others         smooth: the cases before these
 *     check_variants STEM axes           smooth: from the filters for each axis on
 *     check_variants STEM large          smooth: from those of large halos on
 *     check_variants STEM floats         smooth: those of floats, and the standing ones
 *     check_variants --engines STEM STEMS   succeeds if STEMS are STEM's engines, all of them
 *     check_variants --must-fail FAULT STEM [WORDS]   succeeds only if some case finds the variant
 *                                        wrong, first by this fault (case_run.h), or one of
 * several, `samples,failure`
 *
 * SMOOTHIMG_TEST_TURN=T in the environment: `every N` begins with case T modulo N.
 *
 * STEM may name an engine, `smooth_cpu:u8`. Each case runs twice, with everything that the variant
 * must write or may not touch filled first with one poison and then, by one of the engines that
 * serve it, with another; on the CPU a third time, between pages without access, smooth again so of
 * the bare image in quarters, on a device too, and some standing cases with rows 4 GiB apart. Wrong
 * are: a sample that differs, a byte read beside the source or written beside the output, a source
 * that changed, a failure, and a variant that refuses every case. */
#include "tests/variants/case_run.h"

#include "tests/variants/guarded.h"
#include "tests/variants/isa_check.h"
#include "src/lib/filter/registry.h"
#include "src/lib/run/on_device.h"
#include "src/lib/run/run.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SUBJECTS 16

/* NULL if the variants need none. */
static struct gpu *gpu;

/* The faults by which a variant has to be found wrong; NULL: it has to be right. */
static const char *wanted_faults;

static bool is_wanted(const char *fault)
{
    return wanted_faults && strstr(wanted_faults, fault);
}

static enum verdict run_in_way(const struct variant *variant, const struct test_case *test,
                               struct case_run *run, const struct guarded_way *way)
{
    static const char *const besides[] = {"before a row", "behind a row",
                                          "beside rows that are 4 GiB apart"};
    char beside[100];
    char text[500], described[256];

    snprintf(beside, sizeof beside, "%s%s", besides[way->side],
             way->bare ? " of a bare image" : "");
    case_describe(test, described, sizeof described);
    snprintf(text, sizeof text, "%s: WRONG: memory %s was used, or the source was written: %s\n",
             variant->name, beside, described);
    if (guarded_run(variant, &run->request, &run->wanted.view, way,
                    &(struct guarded_fault){text, !is_wanted(WRONG_ACCESS)}))
        return RIGHT;
    printf("  samples differ where the memory %s cannot be read\n", beside);
    return case_run_fault(run, WRONG_SAMPLES);
}

/* On a device without a border only; in every other case in units: elsewhere some engines refuse.
 */
static bool takes_way(const struct variant *variant, const struct test_case *test,
                      const struct guarded_way *way)
{
    if (way->bare && variant->op != OP_SMOOTH)
        return false;
    if (way->gpu)
        return way->bare && way->side != GUARDED_APART && way->in_units == test->number % 2;
    return !way->in_units && (way->side != GUARDED_APART || (test->apart && sizeof(void *) == 8));
}

/* The same again between pages without access, and with rows that are far apart; with a border and
 * without. The side is the parity of the number's bits: the cases of one size, whose numbers are
 * equally far apart, have both sides. */
static enum verdict run_guarded(const struct variant *variant, const struct test_case *test,
                                struct case_run *run)
{
    const enum guarded_side side =
        __builtin_parity((unsigned)test->number) ? GUARDED_BEHIND : GUARDED_BEFORE;
    enum verdict verdict = RIGHT;

    for (int i = 0; i < 8 && verdict == RIGHT; i++) {
        const struct guarded_way way = {.side = i & 4 ? GUARDED_APART : side,
                                        .bare = i & 1,
                                        .in_units = i & 2,
                                        .gpu = variant->backend == ON_GPU ? gpu : NULL};

        if (takes_way(variant, test, &way))
            verdict = run_in_way(variant, test, run, &way);
    }
    return verdict;
}

static enum verdict run_once(const struct variant *variant, const struct test_case *test,
                             struct case_run *run, int poison, bool guarded)
{
    struct error error;
    enum verdict verdict;

    mallopt(M_PERTURB, poison); /* so scratch is poisoned too */
    case_run_poison(test, poison, run);
    switch (gpu ? on_device_once(variant, &run->request, gpu, test->margin, &error)
                : run_request(variant, &run->request, NULL, &error)) {
    case STATUS_OK:
        verdict = case_run_judge(run);
        if (verdict == RIGHT && guarded)
            verdict = run_guarded(variant, test, run);
        return verdict;
    case STATUS_UNSUPPORTED:
        return REFUSED;
    default:
        printf("  %s\n", error.text);
        return case_run_fault(run, WRONG_FAILURE);
    }
}

/* A variant to check, or an engine of one, and how its cases went. */
struct subject {
    const char *stem;              /* NULL: the end of a list */
    const struct variant *variant; /* NULL: it is not in this build */
    struct variant named;          /* it */
    int counts[3];
    const char *fault; /* the last that was found */
};

/* Of the emulated device: kernels loop over blocks that a grid does not hold. 0: as a GPU's. */
static void set_grid(int blocks_down)
{
    char text[16];

    snprintf(text, sizeof text, "%d", blocks_down);
    if (blocks_down > 0)
        setenv("EMULATED_GRID", text, 1);
    else
        unsetenv("EMULATED_GRID");
}

/* Those engines of the variant that do not refuse the request. Returns how many. */
static int willing_engines(const struct variant *variant, const struct request *request,
                           const struct engine *willing[MOST_ENGINES])
{
    int count = 0;

    for (int i = 0; i < variant->count; i++)
        if (!variant->engines[i].refuses || !variant->engines[i].refuses(request))
            willing[count++] = &variant->engines[i];
    return count;
}

static enum verdict run_twice(const struct variant *variant, const struct test_case *test,
                              struct case_run *run)
{
    static const int poisons[] = {0xA5, 0x5A};
    const struct engine *willing[MOST_ENGINES];
    const int count = willing_engines(variant, &run->request, willing);
    struct variant engine;
    enum verdict verdict;

    if (count == 0)
        return REFUSED;
    case_run_answer(test, variant->op, run);
    set_grid(0);
    verdict = run_once(variant, test, run, poisons[0], false);
    if (verdict != RIGHT)
        return verdict;
    set_grid(test->blocks_down);
    /* Each engine in its turn: so what only large images get is tested with small ones. */
    engine = variant_of_engine(variant, willing[test->number % count]);
    verdict = run_once(&engine, test, run, poisons[1], true);
    return verdict == REFUSED ? RIGHT : verdict; /* it was right by the variant's choice */
}

/* Returns how many of the variants are wrong. */
static int run_case(struct subject *subjects, int number, bool verbose)
{
    static const char *const outcomes[] = {"right", "refused", "WRONG"};
    const enum op op = subjects[0].variant->op;
    struct test_case test = case_of(number, op);
    struct case_run run;
    char text[256];
    int wrong = 0;

    case_run_open(&test, op, &run);
    case_describe(&test, text, sizeof text);
    for (struct subject *subject = subjects; subject->stem; subject++) {
        const enum verdict verdict = run_twice(subject->variant, &test, &run);

        subject->counts[verdict]++;
        wrong += verdict == WRONG;
        subject->fault = verdict == WRONG ? run.fault : subject->fault;
        if (verbose || verdict == WRONG)
            printf("%s: %s: %s\n", subject->stem, outcomes[verdict], text);
        if (verdict == WRONG)
            printf("  again: check_variants %s %d\n", subject->stem, number);
    }
    case_run_close(&run);
    return wrong;
}

/* The cases first, first + step.. below `end`, and the standing ones between. */
struct range {
    int first, end, step;
};

/* Runs the cases of the range until `most` are wrong. Returns the number of wrong ones, and of
 * variants that refuse everything. */
static int run_cases(struct subject *subjects, struct range range, int most)
{
    const enum op op = subjects[0].variant->op;
    int wrong = 0;

    for (int number = range.first; number < range.end && wrong < most; number++)
        if ((number - range.first) % range.step == 0 || case_is_standing(op, number))
            wrong += run_case(subjects, number, false);
    for (struct subject *subject = subjects; subject->stem; subject++) {
        const int *counts = subject->counts;
        const bool refuses_all = counts[RIGHT] == 0 && counts[WRONG] == 0;

        printf("%s: %d cases right, %d refused, %d wrong%s\n", subject->stem, counts[RIGHT],
               counts[REFUSED], counts[WRONG], refuses_all ? ": it refuses everything" : "");
        wrong += refuses_all;
        subject->fault = refuses_all ? WRONG_REFUSAL : subject->fault;
    }
    return wrong;
}

/* Opens the GPU if the variant needs one. Returns 0, or the exit status if the variant cannot run
 * here: 77 (skipped), or 1 if SMOOTHIMG_REQUIRE_GPU is set. On the CPU see isa_check. */
static int find_device(const struct subject *subject)
{
    const int skip = getenv("SMOOTHIMG_REQUIRE_GPU") ? 1 : 77;
    struct error error;

    if (subject->variant && subject->variant->backend == ON_CPU)
        return isa_check(getenv("SMOOTHIMG_CPU"));
    if (gpu || (subject->variant && gpu_open(0, &gpu, &error) == STATUS_OK)) {
        if (getenv("PAGEABLE_COPIES"))
            gpu_use_pageable_copies(gpu);
        return 0;
    }
    fprintf(stderr, "check_variants: %s: %s\n", subject->stem,
            subject->variant ? error.text : "not in this build");
    return skip;
}

static bool is_number(const char *word)
{
    return *word && word[strspn(word, "0123456789")] == '\0';
}

/* The cases that `every N` takes, for N = step. */
static struct range sample(struct range range, int step)
{
    const char *turn = getenv("SMOOTHIMG_TEST_TURN");

    range.step = step;
    range.first = step > 0 && turn ? atoi(turn) % step : 0;
    return range;
}

/* The exit status of a check of variants of which one has to be found wrong. */
static int check_faults(struct subject *subjects, struct range range)
{
    const int wrong = run_cases(subjects, range, 1);

    for (const struct subject *subject = subjects; subject->stem && wrong > 0; subject++)
        if (subject->fault) {
            if (!is_wanted(subject->fault))
                printf("%s: has to be found wrong by %s, and not by %s\n", subject->stem,
                       wanted_faults, subject->fault);
            return !is_wanted(subject->fault);
        }
    return 1;
}

/* words: what follows the stems, ending with NULL. Returns the exit status. */
static int check(struct subject *subjects, char *const *words)
{
    const struct variant *variant = subjects[0].variant;
    const struct range all = {0, case_count(variant->op), 1};
    struct range range = all;

    for (; *words; words++)
        if (strcmp(*words, "every") == 0 && words[1])
            range = sample(all, atoi(*++words));
        else if (strcmp(*words, "filters") == 0)
            range.first += FIRST_FILTER_CASE;
        else if (strcmp(*words, "axes") == 0)
            range.first += FIRST_AXES_CASE;
        else if (strcmp(*words, "large") == 0)
            range.first += FIRST_LARGE_CASE;
        else if (strcmp(*words, "standing") == 0) {
            while (!case_is_standing(variant->op, range.first))
                range.first++;
        } else if (strcmp(*words, "floats") == 0)
            range.first += FIRST_FLOAT_CASE;
        else if (strcmp(*words, "others") == 0)
            range.end = range.end < FIRST_FILTER_CASE ? range.end : FIRST_FILTER_CASE;
        else if (is_number(*words))
            return run_case(subjects, atoi(*words), true) > 0 ? 1 : 0;
        else {
            fprintf(stderr, "check_variants: '%s' is no word and no case\n", *words);
            return 2;
        }
    if (wanted_faults)
        return check_faults(subjects, range);
    return range.step < 1 || run_cases(subjects, range, 3) > 0 ? 1 : 0;
}

/* Takes "STEM,STEM..." apart. Returns 0, or the exit status if they cannot run here. */
static int find_subjects(char *stems, struct subject *subjects)
{
    int count = 0, status = 0;

    for (char *stem = strtok(stems, ","); stem && status == 0; stem = strtok(NULL, ",")) {
        const struct registered *row = registry_find(stem);
        const struct registered *first = count > 0 ? registry_find(subjects[0].stem) : row;

        subjects[count] = (struct subject){.stem = stem};
        if (registry_of_stem(stem, &subjects[count].named))
            subjects[count].variant = &subjects[count].named;
        if (!row || (row->variant && !subjects[count].variant) || count == MOST_SUBJECTS ||
            registered_op(row) != registered_op(first)) {
            fprintf(stderr, "check_variants: '%s' is no variant to check here\n", stem);
            return 2;
        }
        status = find_device(&subjects[count++]);
    }
    return count > 0 ? status : 2;
}

/* Whether the stems, with commas between them, are those of the variant's engines, in their order.
 */
static int check_engines(const char *stem, const char *stems)
{
    const struct registered *row = registry_find(stem);
    const struct variant *variant = row ? row->variant : NULL;
    char all[1024] = "";
    size_t length = 0;

    for (int i = 0; variant && i < variant->count; i++)
        length += (size_t)snprintf(all + length, sizeof all - length, "%s%s_%s", length ? "," : "",
                                   op_word(variant->op), variant->engines[i].name);
    if (strcmp(all, stems) != 0)
        printf("the engines of %s are\n    %s\nand not\n    %s\n", stem, all, stems);
    return strcmp(all, stems) != 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--engines") == 0)
        return check_engines(argv[2], argv[3]);

    const int stems = argc > 2 && strcmp(argv[1], "--must-fail") == 0 ? 3 : 1;
    struct subject subjects[MOST_SUBJECTS + 1] = {0};
    int result = argc > stems ? find_subjects(argv[stems], subjects) : 2;

    wanted_faults = stems == 3 ? argv[2] : NULL;
    if (result == 0)
        result = check(subjects, argv + stems + 1);
    gpu_close(gpu);
    return result;
}
