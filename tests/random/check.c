/* SPDX-License-Identifier: MIT */
/* Draws random requests, makes the calls of the library that they describe ("asks" them), and
 * compares the results with the results of the oracle (oracle.h), which computes the definition
 * exactly. An engine is an implementation in the library.
 *
 * - check [SECONDS [SEED]]: asks requests for SECONDS; ends at the first WRONG one (ask.h)
 * - check --engine NAME [SECONDS [SEED]]: asks only this engine
 * - check --engines [SECONDS [SEED]]: asks each engine, for an equal share of SECONDS
 * - check 'REQUEST': asks this request, a line that the program has printed
 * - check --known FILE: asks the requests of the file, one on each line;
 *   a line may end with " : " and the expected answer
 * - check --shrink 'REQUEST': looks for the simplest request that is still wrong
 * - check --must-fail FAULTS VARIANT: succeeds if the variant, such as smooth_lazy, shows one of
 *   FAULTS within PATIENCE seconds: samples (wrong results), write (outside of the result), source
 *   (written to), access (outside of the arrays), environment (a changed floating-point
 *   environment), failure (a call fails), refusal (the variant refuses every request), crash
 * - check --print COUNT: prints requests, their samples and the oracle's results, for
 *   check_oracle.py
 *
 * SECONDS are processor time of all threads, so that a busy machine asks as many requests as an
 * idle one. The default SEED is SMOOTHIMG_TEST_TURN of the environment, or the number of the day.
 * If SMOOTHIMG_TEST_AS_IT_IS is set, wrong requests are not simplified. A seed gives the same
 * requests on two machines if their builds have the same engines. */
#include "tests/random/ask.h"
#include "tests/random/fill.h"
#include "tests/random/oracle.h"
#include "tests/random/room.h"
#include "tests/unit/unit.h"

#include "src/lib/api/study.h"
#include "src/lib/smoothimg.h"

#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
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
/* Seconds of processor time that a request may take. By the clock it may take 20 times as long. */
#define PATIENCE 60

static const char *engines[MOST_ENGINES + 1] = {"", "arrays"}; /* engines that requests may name */
static int64_t computed[MOST_ENGINES]; /* number of requests that each engine computed */
static char line[LINE_LENGTH];         /* the request whose call is running, or ran last */
static const char *wanted_faults;      /* the faults of --must-fail, or NULL */
/* The variant, wrong on purpose, that --must-fail names, or "". Its name begins with an operation;
 * only requests of that operation are made. */
static const char *wanted_op = "";
static const char *program;

static bool is_wanted(const char *fault)
{
    return strstr(wanted_faults, fault);
}

static void add_engine(const char *name)
{
    int i = 0;

    while (engines[i] && strcmp(engines[i], name) != 0)
        i++;
    if (i < MOST_ENGINES)
        engines[i] = name;
}

/* Finds the variants (implementations of an operation) for the host, or, if DEVICE is defined, for
 * the device. Adds them, and the engines among which each variant chooses, to engines[]. */
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

/* Counts a request that the engine `name`, such as "cpu:u8", has computed: for this engine, and for
 * its variant, here "cpu". */
static void count_engine(const char *name)
{
    for (int i = 0; engines[i]; i++) {
        const size_t length = strlen(engines[i]);

        computed[i] += length > 0 && strncmp(engines[i], name, length) == 0 &&
                       (name[length] == 0 || name[length] == ':');
    }
}

/* --- One request. */

/* The signals of a request that crashes or does not end. */
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGALRM, SIGPROF};

/* Lets these signals end the program. */
static void leave_crashes(void)
{
    for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
        signal(crash_signals[i], SIG_DFL);
}

/* Raises SIGPROF after so many seconds of processor time, and SIGALRM after 20 times as many by the
 * clock. 0 removes both limits. */
static void set_patience(int seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};

    setitimer(ITIMER_PROF, &timer, NULL);
    alarm(20 * (unsigned)seconds);
}

static int replay(const char *text)
{
    static const char *const words[] = {"right", "refused", "WRONG"};
    struct test_request request;
    const char *engine;
    enum verdict verdict;

    if (!request_parse(text, &request))
        return 2;
    set_patience(PATIENCE);
    verdict = ask(&request, &engine);
    printf("%s%s%s\n", words[verdict],
           *engine              ? ", by "
           : verdict == REFUSED ? ": "
                                : "",
           verdict == REFUSED ? ask_fault() : engine);
    ask_end();
    return verdict == WRONG;
}

/* Makes the request's call in a child process, since it may crash. Returns true if the result is
 * wrong, or if the child crashed. */
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
    int idle = 0; /* number of changes tried since the last simpler request that was still wrong */

    leave_crashes();
    if (!request_parse(text, &request))
        return 2;
    if (!is_wrong(&request)) {
        printf("it is right when it is asked by itself\n");
        return 1;
    }
    for (int i = 0; time(NULL) - begin < PATIENCE; i++) {
        if (!request_simpler(&request, i, &simpler)) {
            if (idle >= i)
                break; /* no simpler request is wrong */
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

/* Reports a request that crashes or does not end, and then simplifies it. */
static void report_crash(int number, siginfo_t *info, void *context)
{
    const char *what =
        number == SIGALRM || number == SIGPROF ? "does not end:\n    " : "crashes:\n    ";
    const char *fault = number != SIGSEGV               ? "crash"
                        : room_is_sealed(info->si_addr) ? "source"
                                                        : "access";
    sigset_t none;

    (void)context;
    if (wanted_faults)
        _exit(!is_wanted(fault));
    if (write(STDOUT_FILENO, what, strlen(what)) < 0 ||
        write(STDOUT_FILENO, line, strlen(line)) < 0 || write(STDOUT_FILENO, "\n", 1) < 0)
        _exit(1);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (!getenv("SMOOTHIMG_TEST_AS_IT_IS"))
        execl(program, program, "--shrink", line, (char *)NULL);
    _exit(1);
}

static void catch_crashes(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};

    action.sa_sigaction = report_crash;
    for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
        sigaction(crash_signals[i], &action, NULL);
}

/* --- Many requests. */

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Returns the operation that computes the request: "smooth", "transpose" or "reverse". With
 * --must-fail VARIANT, draw() drops a request unless VARIANT begins with the returned word. If a
 * request needs both transpose and reverse, the call might not use VARIANT, so the function returns
 * "any", with which no name of a variant begins. Without --must-fail it returns "", so that draw()
 * drops no request. A move of arrays whose axes have different orders in memory may need a
 * transpose. */
static const char *op_of(const struct test_request *request)
{
    bool turns = false, flips = false;

    if (!*wanted_op)
        return "";
    if (request->op != OP_MOVE)
        return "smooth";
    for (int a = 0; a < request->axes; a++) {
        turns = turns || request->turn[a] != a || request->src.order[a] || request->dst.order[a];
        flips = flips || request->flip[a];
    }
    return turns && flips ? "any" : flips ? "reverse" : "transpose";
}

static void draw(uint64_t seed, uint64_t number, int64_t samples, int64_t products,
                 struct test_request *request)
{
    const struct domain domain = {engines, ON_A_DEVICE, samples, products};

    struct source source = {.state = (seed * UINT64_C(0x100000001b3) + number) << 20};

    while (!request_draw(&source, &domain, request) ||
           strncmp(wanted_op, op_of(request), strlen(op_of(request))) != 0)
        continue;
}

static void print_engines(void)
{
    for (int i = !*engines[0]; engines[i]; i++)
        printf("%s%s %" PRId64, i > !*engines[0] ? ", " : "", engines[i], computed[i]);
    printf("\n");
}

/* Draws requests and makes their calls until one is WRONG (with --must-fail, by a fault that is
 * wanted), or the time is over. Counts the verdicts. */
static void ask_many(double seconds, uint64_t seed, int64_t counts[3])
{
    const double end = now() + seconds;
    bool found = false;

    for (uint64_t i = 0; now() < end && !found; i++) {
        struct test_request request;
        const char *engine;
        enum verdict verdict;

        draw(seed, i, MOST_SAMPLES, MOST_PRODUCTS, &request);
        request_print(&request, line);
        set_patience(PATIENCE);
        verdict = ask(&request, &engine);
        set_patience(0);
        counts[verdict]++;
        count_engine(engine);
        found = verdict == WRONG && (!wanted_faults || is_wanted(ask_fault()));
    }
    printf("seed %" PRIu64 ": %" PRId64 " requests right, %" PRId64 " refused\n", seed,
           counts[RIGHT], counts[REFUSED]);
    ask_end();
}

/* Asks random requests, which all name `engine`, unless `engine` is NULL. Returns the exit status:
 * 1 if a request is wrong, if at least four in five requests were refused, or if `engine` computed
 * none.
 */
static int check(double seconds, uint64_t seed, const char *engine)
{
    int64_t counts[3] = {0};

    if (engine) {
        engines[0] = engine;
        engines[1] = NULL;
    }
    ask_many(seconds, seed, counts);
    print_engines();
    if (counts[WRONG] > 0) {
        printf("wrong:\n    %s '%s'\n", program, line);
        fflush(stdout);
        if (!getenv("SMOOTHIMG_TEST_AS_IT_IS"))
            execl(program, program, "--shrink", line, (char *)NULL);
    }
    return counts[WRONG] > 0 || counts[RIGHT] <= counts[REFUSED] / 4 ||
           (engine && computed[0] == 0);
}

/* Checks one engine after the other until one fails. Returns the exit status. */
static int check_each(double seconds, uint64_t seed)
{
    const char *all[MOST_ENGINES + 1];
    int count = 0, status = 0;

    for (int i = 0; engines[i]; i++)
        if (*engines[i])
            all[count++] = engines[i];
    for (int i = 0; i < count && status == 0; i++) {
        computed[0] = 0;
        status = check(seconds / count, seed, all[i]);
    }
    return status;
}

/* Asks random requests of the variant `stem`, which is wrong on purpose. Returns the exit status: 0
 * if the variant shows one of the faults. */
static int must_fail(const char *faults, const char *stem)
{
    int64_t counts[3] = {0};
    bool found;

    wanted_faults = faults;
    wanted_op = stem;
    engines[0] = strchr(stem, '_') ? strchr(stem, '_') + 1 : stem;
    engines[1] = NULL;
    ask_many(is_wanted("refusal") ? 3 : PATIENCE, unit_turn(), counts);
    found = is_wanted("refusal") ? computed[0] == 0 : counts[WRONG] > 0 && is_wanted(ask_fault());
    printf("%s: %s\n    %s '%s'\n", stem, found ? "found" : "not found", program, line);
    return !found;
}

/* Asks a request. Returns true if the result is right and computed by `answer` ("arrays" or
 * "images"), or if the call is refused with the message `answer`. If `answer` is NULL, returns true
 * if the result is right. */
static bool is_answered(const struct test_request *request, const char *answer)
{
    const char *engine, *got;
    const enum verdict verdict = ask(request, &engine);

    if (!answer || verdict == WRONG)
        return verdict == RIGHT;
    got = verdict == REFUSED ? ask_fault() : strcmp(engine, "arrays") == 0 ? "arrays" : "images";
    if (strcmp(got, answer) != 0)
        printf("  answered: %s\n", got);
    return strcmp(got, answer) == 0;
}

/* Asks the requests in a file, one on each line. Returns the exit status. */
static int ask_known(const char *path)
{
    FILE *file = fopen(path, "r");
    struct test_request request;
    int wrong = 0, count = 0;

    if (!file) {
        perror(path);
        return 2;
    }
    for (; fgets(line, sizeof line, file); count++) {
        char *answer = strstr(line, " : ");

        line[strcspn(line, "\n")] = 0;
        if (answer)
            *answer = 0, answer += 3;
        if (!request_parse(line, &request))
            return 2;
        if (answer && ON_A_DEVICE)
            request.device = ON_DEVICE;
        if (!is_answered(&request, answer))
            printf("%d: wrong: %s '%s'\n", ++wrong, program, line);
    }
    fclose(file);
    ask_end();
    printf("%d requests, %d wrong\n", count, wrong);
    return wrong > 0 || count == 0;
}

static void print_samples(const uint64_t *samples, int64_t count)
{
    printf(" |");
    for (int64_t i = 0; i < count; i++)
        printf(" %" PRIx64, samples[i]);
}

/* Prints small requests, which check_oracle.py can compute in fractions. */
static int print(int count)
{
    struct test_request request;

    for (uint64_t i = 0; count > 0; i++) {
        uint64_t *samples, *results;
        int64_t results_count;

        draw(unit_turn(), i, 60, 1500, &request);
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

static bool is_number(const char *word)
{
    return strspn(word, "0123456789.") == strlen(word);
}

/* Parses [--engine NAME | --engines] [SECONDS [SEED]], in any order, and asks random requests.
 * Returns the exit status. */
static int obey_numbers(char *const *words)
{
    const char *engine = NULL, *numbers[2] = {NULL, NULL};
    bool each = false;
    int count = 0;
    uint64_t seed;

    for (; *words; words++)
        if (strcmp(*words, "--engine") == 0 && words[1])
            engine = *++words;
        else if (strcmp(*words, "--engines") == 0)
            each = true;
        else if (is_number(*words) && count < 2)
            numbers[count++] = *words;
        else {
            fprintf(stderr,
                    "'%s': usage: check [--engine NAME] [SECONDS [SEED]], check 'REQUEST'\n",
                    *words);
            return 2;
        }
    seed = count > 1 ? strtoull(numbers[1], NULL, 10) : unit_turn();
    return each ? check_each(count > 0 ? atof(numbers[0]) : 60, seed)
                : check(count > 0 ? atof(numbers[0]) : 20, seed, engine);
}

/* Does what the program's arguments say. `words` are the arguments, then NULL. Returns the exit
 * status. */
static int obey(char *const *words)
{
    int count = 0;

    while (words[count])
        count++;
    if (count == 3 && strcmp(words[0], "--must-fail") == 0)
        return must_fail(words[1], words[2]);
    if (count == 2 && strcmp(words[0], "--known") == 0)
        return ask_known(words[1]);
    if (count == 2 && strcmp(words[0], "--print") == 0)
        return print(atoi(words[1]));
    if (count == 2 && strcmp(words[0], "--shrink") == 0)
        return shrink(words[1]);
    if (count == 1 && strchr(words[0], '=')) {
        snprintf(line, sizeof line, "%s", words[0]);
        leave_crashes();
        return replay(words[0]);
    }
    return obey_numbers(words);
}

int main(int argc, char **argv)
{
    (void)argc;
    program = argv[0];
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0x5a); /* malloc fills new memory with poison */
#endif
    find_engines();
    catch_crashes();
    return obey(argv + 1);
}
