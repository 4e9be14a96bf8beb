/* SPDX-License-Identifier: MIT */
/* Requests at random against the oracle.
 *
 *     check [SECONDS [SEED]]     draws and asks for so long; fails at the first wrong result
 *     check 'REQUEST'            asks this one, as a line that was printed
 *     check --shrink 'REQUEST'   looks for the simplest request that is wrong like this one
 *     check --print COUNT        requests, their samples and the oracle's results, for
 * definition.py
 *
 * SEED: SMOOTHIMG_TEST_TURN of the environment, or the day. Draw number i of a seed is the same on
 * every machine, but for the engines, which a build has or not. */
#include "tests/random/ask.h"
#include "tests/random/fill.h"
#include "tests/random/oracle.h"

#include "src/lib/api/study.h"
#include "src/lib/smoothimg.h"

#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef DEVICE
#define ON_A_DEVICE true
#define MOST_SAMPLES 3000
#define MOST_PRODUCTS 100000
#else
#define ON_A_DEVICE false
#define MOST_SAMPLES 12000
#define MOST_PRODUCTS 300000
#endif
#define MOST_ENGINES 64
#define PATIENCE 60 /* seconds for one request */

static const char *engines[MOST_ENGINES + 1] = {"", "arrays"};
static int64_t computed[MOST_ENGINES]; /* by each */
static char line[LINE_LENGTH];
static const char *program;

static void add_engine(const char *name)
{
    int i = 0;

    while (engines[i] && strcmp(engines[i], name) != 0)
        i++;
    if (i < MOST_ENGINES)
        engines[i] = name;
}

/* Those of the backend, and of variants that have several. */
static void find_engines(void)
{
    struct study_variant variant;
    const char *name;

    for (int i = 0; study_variant(i, &variant); i++) {
        if (variant.on_gpu != ON_A_DEVICE || !variant.description)
            continue;
        add_engine(variant.name);
        for (int e = 0; (name = study_engine(&variant, e)); e++)
            add_engine(name);
    }
}

static void count_engine(const char *name)
{
    for (int i = 0; engines[i]; i++)
        computed[i] += strcmp(engines[i], name) == 0;
}

/* --- One request. */

static int replay(const char *text)
{
    static const char *const words[] = {"right", "refused", "WRONG"};
    struct test_request request;
    const char *engine;
    enum verdict verdict;

    if (!request_parse(text, &request))
        return 2;
    alarm(PATIENCE);
    verdict = ask(&request, &engine);
    printf("%s%s%s\n", words[verdict], *engine ? ", by " : "", engine);
    ask_end();
    return verdict == WRONG;
}

/* By itself, since it may crash: is it wrong? */
static bool is_wrong(const struct test_request *request)
{
    char text[LINE_LENGTH];
    int status = 0;
    pid_t child;

    if (!request_is_valid(request))
        return false;
    request_print(request, text);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(0);
        execl(program, program, text, (char *)NULL);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static int shrink(const char *text)
{
    const time_t begin = time(NULL);
    struct test_request request, simpler;
    int idle = 0; /* tries since one was wrong */

    signal(SIGSEGV, SIG_DFL);
    if (!request_parse(text, &request))
        return 2;
    if (!is_wrong(&request)) {
        printf("it is right when it is asked by itself\n");
        return 1;
    }
    for (int i = 0; time(NULL) - begin < PATIENCE; i++) {
        if (!request_simpler(&request, i, &simpler)) {
            if (idle >= i)
                break; /* none of all */
            i = -1;
            continue;
        }
        idle++;
        if (memcmp(&simpler, &request, sizeof request) != 0 && is_wrong(&simpler)) {
            request = simpler;
            idle = 0;
        }
    }
    request_print(&request, line);
    printf("the simplest that is wrong:\n    %s '%s'\n", program, line);
    fflush(stdout);
    replay(line);
    return 1;
}

/* A crash, or a request that does not end: goes on to make it simpler. */
static void report_crash(int number)
{
    const char *what = number == SIGALRM ? "does not end:\n    " : "crashes:\n    ";
    sigset_t none;

    if (write(STDOUT_FILENO, what, strlen(what)) < 0 ||
        write(STDOUT_FILENO, line, strlen(line)) < 0 || write(STDOUT_FILENO, "\n", 1) < 0)
        _exit(1);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execl(program, program, "--shrink", line, (char *)NULL);
    _exit(1);
}

/* --- Many. */

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t seed_of_the_day(void)
{
    const char *turn = getenv("SMOOTHIMG_TEST_TURN");

    return turn ? strtoull(turn, NULL, 10) : (uint64_t)(time(NULL) / 86400);
}

static void draw(uint64_t seed, uint64_t number, int64_t samples, int64_t products,
                 struct test_request *request)
{
    const struct domain domain = {engines, ON_A_DEVICE, samples, products};

    struct source source = {.state = (seed * UINT64_C(0x100000001b3) + number) << 20};

    while (!request_draw(&source, &domain, request))
        continue;
}

/* Nothing is checked of an engine that refuses all it is asked. */
static int find_idle(void)
{
    int idle = 0;

    for (int i = 1; engines[i]; i++) {
        printf("%s%s %" PRId64, i > 1 ? ", " : "", engines[i], computed[i]);
        idle += computed[i] == 0 && strchr(engines[i], ':');
    }
    printf("\n");
    return idle;
}

static int check(double seconds, uint64_t seed)
{
    const double end = now() + seconds;
    int64_t counts[3] = {0};
    struct test_request request;
    const char *engine;

    printf("seed %" PRIu64 "\n", seed);
    for (uint64_t i = 0; now() < end && counts[WRONG] == 0; i++) {
        enum verdict verdict;

        draw(seed, i, MOST_SAMPLES, MOST_PRODUCTS, &request);
        request_print(&request, line);
        alarm(PATIENCE);
        verdict = ask(&request, &engine);
        alarm(0);
        counts[verdict]++;
        count_engine(engine);
    }
    printf("%" PRId64 " requests right, %" PRId64 " refused\n", counts[RIGHT], counts[REFUSED]);
    find_idle();
    ask_end();
    if (counts[WRONG] > 0) {
        printf("wrong:\n    %s '%s'\n", program, line);
        fflush(stdout);
        execl(program, program, "--shrink", line, (char *)NULL);
    }
    return counts[WRONG] > 0 || counts[RIGHT] < counts[REFUSED] / 4;
}

static void print_samples(const uint64_t *samples, int64_t count)
{
    printf(" |");
    for (int64_t i = 0; i < count; i++)
        printf(" %" PRIx64, samples[i]);
}

/* Small ones, which fractions can do. */
static int print(int count)
{
    struct test_request request;

    for (uint64_t i = 0; count > 0; i++) {
        uint64_t *samples, *results;
        int64_t results_count;

        draw(seed_of_the_day(), i, 60, 1500, &request);
        if (request.op == OP_MOVE || request_samples(&request) == 0)
            continue;
        results_count = request_samples(&request) *
                        (request.combination == SMOOTHIMG_APART ? request_terms(&request) : 1);
        request_print(&request, line);
        samples = fill_make(&request);
        results = oracle_filter(&request, samples);
        printf("%s", line);
        print_samples(samples, request_samples(&request));
        print_samples(results, results_count);
        printf("\n");
        free(samples);
        free(results);
        count--;
    }
    return 0;
}

int main(int argc, char **argv)
{
    program = argv[0];
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0x5a); /* so that working memory is poisoned */
#endif
    find_engines();
    signal(SIGSEGV, report_crash);
    signal(SIGBUS, report_crash);
    signal(SIGFPE, report_crash);
    signal(SIGALRM, report_crash);
    if (argc == 3 && strcmp(argv[1], "--print") == 0)
        return print(atoi(argv[2]));
    if (argc == 3 && strcmp(argv[1], "--shrink") == 0)
        return shrink(argv[2]);
    if (argc == 2 && strchr(argv[1], '=')) {
        snprintf(line, sizeof line, "%s", argv[1]);
        signal(SIGSEGV, SIG_DFL);
        signal(SIGALRM, SIG_DFL);
        return replay(argv[1]);
    }
    if (argc > 3 || (argc > 1 && strspn(argv[1], "0123456789.") < strlen(argv[1]))) {
        fprintf(stderr, "usage: check [SECONDS [SEED]], check 'REQUEST'\n");
        return 2;
    }
    return check(argc > 1 ? atof(argv[1]) : 20,
                 argc > 2 ? strtoull(argv[2], NULL, 10) : seed_of_the_day());
}
