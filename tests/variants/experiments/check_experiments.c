/* SPDX-License-Identifier: MIT */
/* Compares the results of the experiments of kernels/memory with their references, at sizes that
 * are no multiples of blocks or tiles. An experiment is one measured kernel; in the code and the
 * options it is a "row" of a table, and belongs to a group.
 *
 *     check_experiments GROUP                        runs all experiments of the group
 *     check_experiments --must-fail GROUP ROW        succeeds only if experiment ROW is found wrong
 *     check_experiments --groups GROUP...            succeeds only if there is no other group
 *
 * Each size runs twice. Before each run the output, and the memory around it, are filled with
 * poison, a different byte each time. Errors are: a result outside of its bound, a write outside of
 * the results, a changed input, a failure, and an experiment that refuses every size. */
#include "kernels/memory/experiments.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 256 /* bytes before and after each array, which run() must leave alone */

/* Width, height, halo, and the side of a square block of threads (0: the experiment chooses). */
static const struct problem_size sizes[] = {
    {1, 1, 1, 0},      {1, 1, 3, 8},    {1, 33, 2, 0},   {33, 1, 1, 0},  {31, 17, 4, 0},
    {32, 32, 1, 0},    {65, 40, 2, 12}, {130, 3, 3, 16}, {3, 257, 1, 0}, {97, 70, 1, 32},
    {40, 65, 4, 12},   {64, 96, 2, 8},  {257, 5, 1, 1},  {100, 9, 2, 5}, {2, 70000, 1, 1},
    {70000, 2, 1, 1}, /* 70000 blocks in x; the size before: in y, where a grid has at most 65535 */
    {3, 140000, 1, 2}, /* 70000 blocks of 2 x 2 threads in y: some of the 65535 compute two tiles */
};

enum verdict { RIGHT, REFUSED, WRONG };

/* An array in the memory that the experiment uses (the GPU's or the host's), and a copy on the
 * host. MARGIN bytes precede and follow both. */
struct place_of_array {
    unsigned char *at, *host;
    size_t bytes; /* including both margins */
};

struct trial {
    struct array_specs shape;
    struct experiment_job job;
    struct place_of_array in[MAX_INPUTS], out, scratch;
};

static void must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "check_experiments: %s\n", cudaGetErrorString(error));
    exit(99);
}

static unsigned char *host_bytes(size_t bytes, int fill)
{
    unsigned char *memory = malloc(bytes);

    if (!memory)
        exit(99);
    memset(memory, fill, bytes);
    return memory;
}

static struct array allocate(const struct array_spec *want, enum backend place, int poison,
                             struct place_of_array *array)
{
    array->bytes = (size_t)want->count * element_bytes(want->type) + 2 * MARGIN;
    array->host = host_bytes(array->bytes, poison);
    if (place == ON_GPU)
        must(cudaMalloc((void **)&array->at, array->bytes));
    else
        array->at = host_bytes(array->bytes, poison);
    return (struct array){array->at + MARGIN, want->count, want->type};
}

static void copy(enum backend place, void *to, const void *from, size_t bytes,
                 enum cudaMemcpyKind kind)
{
    if (place == ON_GPU)
        must(cudaMemcpy(to, from, bytes, kind));
    else
        memcpy(to, from, bytes);
}

static void release(enum backend place, struct place_of_array *array)
{
    free(array->host);
    if (place == ON_GPU)
        must(cudaFree(array->at));
    else
        free(array->at);
}

static void set_up(struct trial *trial, int poison)
{
    struct experiment_job *job = &trial->job;

    job->row->shape(job->row, &job->size, &trial->shape);
    for (int i = 0; i < MAX_INPUTS; i++) {
        struct place_of_array *in = &trial->in[i];
        const struct array_spec *want = &trial->shape.in[i];

        job->in[i] = allocate(want, job->row->place, poison, in);
        array_fill(want, (uint32_t)i, &(struct array){in->host + MARGIN, want->count, want->type});
        copy(job->row->place, in->at, in->host, in->bytes, cudaMemcpyHostToDevice);
    }
    job->scratch = allocate(&trial->shape.scratch, job->row->place, poison, &trial->scratch);
    job->out = allocate(&trial->shape.out, job->row->place, poison, &trial->out);
    copy(job->row->place, trial->out.at, trial->out.host, trial->out.bytes, cudaMemcpyHostToDevice);
}

static void clear_up(struct trial *trial)
{
    for (int i = 0; i < MAX_INPUTS; i++)
        release(trial->job.row->place, &trial->in[i]);
    release(trial->job.row->place, &trial->out);
    release(trial->job.row->place, &trial->scratch);
}

/* Resets the device, because after a fault in a kernel all CUDA calls fail. The arrays in its
 * memory are lost, so their pointers are cleared. */
static void lose_device(struct trial *trial)
{
    must(cudaDeviceReset());
    trial->out.at = trial->scratch.at = NULL;
    for (int i = 0; i < MAX_INPUTS; i++)
        trial->in[i].at = NULL;
}

/* Runs the experiment, waits, and copies the output and the inputs to the host. Returns NULL, or
 * what failed. */
static const char *compute(struct trial *trial, unsigned char *inputs_after[MAX_INPUTS])
{
    const enum backend place = trial->job.row->place;
    cudaStream_t stream = NULL;
    const char *failure;
    cudaError_t error = cudaSuccess;

    if (place == ON_GPU)
        must(cudaStreamCreate(&stream));
    trial->job.stream = stream;
    failure = trial->job.row->run(&trial->job);
    if (place == ON_GPU) {
        error = cudaStreamSynchronize(stream);
        if (error != cudaSuccess) {
            lose_device(trial);
            return cudaGetErrorString(error);
        }
        /* Clears a launch error that run() has ignored. The output then still holds poison, and
         * counts as wrong. */
        cudaGetLastError();
        must(cudaStreamDestroy(stream));
    }
    copy(place, trial->out.host, trial->out.at, trial->out.bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < MAX_INPUTS; i++)
        copy(place, inputs_after[i], trial->in[i].at, trial->in[i].bytes, cudaMemcpyDeviceToHost);
    return failure;
}

/* Returns true if all bytes in and around the output that are not results still hold poison. */
static bool untouched(const struct trial *trial, int poison)
{
    const struct array_spec *want = &trial->shape.out;
    const int64_t element = (int64_t)element_bytes(want->type);

    for (int64_t byte = 0; byte < (int64_t)trial->out.bytes; byte++) {
        const int64_t i = byte - MARGIN;
        const bool ours = i >= 0 && i < want->count * element &&
                          array_inside(want, &trial->job.size, i / element);

        if (!ours && trial->out.host[byte] != poison) {
            printf("  byte %lld of the output, which is not the row's, was written\n",
                   (long long)i);
            return false;
        }
    }
    return true;
}

static bool right_results(const struct trial *trial)
{
    struct experiment_job host = trial->job;
    const enum element_type type = experiment_reference_type(host.row, &trial->shape);
    struct array wanted = {NULL, trial->shape.out.count, type};
    struct judgement verdict;

    wanted.memory = host_bytes((size_t)wanted.count * element_bytes(type) + 1, 0x77);
    for (int i = 0; i < MAX_INPUTS; i++)
        host.in[i].memory = trial->in[i].host + MARGIN;
    host.scratch.memory = trial->scratch.host + MARGIN;
    host.out = wanted;
    host.row->reference(&host);
    host.out = (struct array){trial->out.host + MARGIN, wanted.count, trial->shape.out.type};
    verdict = experiment_judge(&host, &wanted);
    if (verdict.wrong > 0)
        printf("  %lld elements are wrong; the first is %lld: wanted %.17g within %g, got %.17g\n",
               (long long)verdict.wrong, (long long)verdict.first, verdict.wanted, verdict.bound,
               verdict.got);
    free(wanted.memory);
    return verdict.wrong == 0;
}

static bool same_inputs(const struct trial *trial, unsigned char *after[MAX_INPUTS])
{
    for (int i = 0; i < MAX_INPUTS; i++)
        if (memcmp(after[i], trial->in[i].host, trial->in[i].bytes) != 0) {
            printf("  input %d was changed\n", i);
            return false;
        }
    return true;
}

/* Returns true if the experiment would take minutes at this size on the emulated device. */
static bool too_much(const struct experiment *row, const struct problem_size *size)
{
    struct experiment_work work = {0};

    if (row->work)
        row->work(row, size, &work);
    return work.flops > 2e8;
}

static enum verdict run_once(const struct experiment *row, const struct problem_size *size,
                             int poison)
{
    struct trial trial = {.job = {.row = row, .size = *size}};
    unsigned char *after[MAX_INPUTS];
    enum verdict verdict = RIGHT;
    const char *failure;

    if ((row->refuses && row->refuses(row, size)) || too_much(row, size))
        return REFUSED;
    set_up(&trial, poison);
    for (int i = 0; i < MAX_INPUTS; i++)
        after[i] = host_bytes(trial.in[i].bytes, 0);
    failure = compute(&trial, after);
    if (failure)
        printf("  it failed: %s\n", failure);
    if (failure || !right_results(&trial) || !untouched(&trial, poison) ||
        !same_inputs(&trial, after))
        verdict = WRONG;
    for (int i = 0; i < MAX_INPUTS; i++)
        free(after[i]);
    clear_up(&trial);
    return verdict;
}

/* Returns true if the experiment is right at all sizes that it accepts, and accepts at least
 * one. */
static bool check_row(const struct experiment *row)
{
    static const int poisons[] = {0xFF, 0x5A}; /* as floats: NaN, and large numbers */
    int counts[3] = {0};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int j = 0; j < 2; j++) {
            const enum verdict verdict = run_once(row, &sizes[i], poisons[j]);

            counts[verdict]++;
            if (verdict == WRONG) {
                printf("%s, %s: WRONG at %lld x %lld, halo %lld, block %d\n", row->group, row->row,
                       (long long)sizes[i].width, (long long)sizes[i].height,
                       (long long)sizes[i].halo, sizes[i].block);
                return false;
            }
        }
    printf("%s, %s: %d right, %d refused or too much\n", row->group, row->row, counts[RIGHT],
           counts[REFUSED]);
    return counts[RIGHT] > 0;
}

/* Returns 1 if an experiment is in a group that is not among `words`, the groups that have a
 * test. */
static int check_groups(char *const *words)
{
    int strangers = 0;

    for (int i = 0; experiment_at(i); i++) {
        char *const *word = words;

        while (*word && strcmp(*word, experiment_at(i)->group) != 0)
            word++;
        if (!*word)
            printf("%s, %s: no test runs this group\n", experiment_at(i)->group,
                   experiment_at(i)->row);
        strangers += !*word;
    }
    return strangers > 0;
}

int main(int argc, char **argv)
{
    const bool must_fail = argc > 3 && strcmp(argv[1], "--must-fail") == 0;
    const char *group = argc > 1 + must_fail ? argv[1 + must_fail] : "";
    int rows = 0, wrong = 0, devices = 0;

    if (strcmp(group, "--groups") == 0)
        return check_groups(argv + 2);
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "check_experiments: there is no GPU\n");
        return getenv("SMOOTHIMG_REQUIRE_GPU") ? 1 : 77;
    }
    for (int i = 0; experiment_at(i); i++)
        if (strcmp(experiment_at(i)->group, group) == 0 &&
            (!must_fail || strcmp(experiment_at(i)->row, argv[3]) == 0)) {
            rows++;
            wrong += !check_row(experiment_at(i));
        }
    if (rows == 0)
        fprintf(stderr, "check_experiments: '%s' is no group, or has no such row\n", group);
    return rows == 0 || (wrong > 0) != must_fail;
}
