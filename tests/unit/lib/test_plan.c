/* SPDX-License-Identifier: MIT */
/* An engine is one implementation of a variant. plan_make() asks each engine once whether it
 * refuses the request and how long it would take, and selects the fastest. If that engine cannot
 * make its state (its tables for the request), plan_make() selects the fastest of the others,
 * unless the reason is a lack of memory: then it fails. plan_run() computes a piece, which is a
 * thread's part of the work, and asks no engine again. */
#include "src/lib/filter/plan.h"
#include "tests/unit/unit.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define ENGINES 4

/* How often each function of each engine was called. */
static struct {
    int refuses[ENGINES], seconds[ENGINES], make[ENGINES], scratch[ENGINES], run[ENGINES];
} asked;

static int64_t willing;       /* bit i: engine i does not refuse */
static int64_t able;          /* bit i: engine i can make its state */
static const char *cause;     /* why an engine cannot make its state; NULL: "unable N" */
static double price[ENGINES]; /* the seconds that each engine says it would take */

#define ENGINE(N)                                                                                  \
    static const char *refuses##N(const struct request *request)                                   \
    {                                                                                              \
        asked.refuses[N]++;                                                                        \
        return willing >> N & 1 ? NULL : "unwilling " #N;                                          \
    }                                                                                              \
    static double seconds##N(const struct request *request)                                        \
    {                                                                                              \
        asked.seconds[N]++;                                                                        \
        return price[N];                                                                           \
    }                                                                                              \
    static const char *make##N(const struct request *request, void *state)                         \
    {                                                                                              \
        asked.make[N]++;                                                                           \
        memset(state, N, 100 * (N + 1));                                                           \
        return able >> N & 1 ? NULL : cause ? cause : "unable " #N;                                \
    }                                                                                              \
    static size_t scratch##N(const struct request *request, const void *state)                     \
    {                                                                                              \
        asked.scratch[N]++;                                                                        \
        return 10 + *(const unsigned char *)state;                                                 \
    }                                                                                              \
    static const char *run##N(const struct piece *piece)                                           \
    {                                                                                              \
        asked.run[N]++;                                                                            \
        return *(const unsigned char *)piece->state == N ? NULL : "another one's state";           \
    }
ENGINE(0)
ENGINE(1)
ENGINE(2)
ENGINE(3)

#define ROW(N)                                                                                     \
    {                                                                                              \
        .name = "engine " #N, .refuses = refuses##N, .seconds = seconds##N, .make = make##N,       \
        .state_bytes = 100 * (N + 1), .scratch_bytes = scratch##N, .run = run##N                   \
    }
static const struct engine engines[ENGINES] = {ROW(0), ROW(1), ROW(2), ROW(3)};
static const struct variant variant = {
    .op = OP_SMOOTH, .name = "any", .backend = ON_CPU, .engines = engines, .count = ENGINES};

/* Makes a plan and runs three pieces. `chosen` is the number of the engine that the plan must take,
 * or -1 if plan_make() must fail with the message `refusal`. */
static void check(int chosen, const char *refusal)
{
    const struct request request = {.threads = 1};
    const enum status failed = cause ? STATUS_NO_MEMORY : STATUS_UNSUPPORTED;
    struct plan plan = {.state = NULL};
    struct error error;
    enum status status;

    memset(&asked, 0, sizeof asked);
    status = plan_make(&variant, &request, &plan, &error);
    CHECK(status == (chosen >= 0 ? STATUS_OK : failed), "status %d", (int)status);
    for (int i = 0; i < ENGINES; i++) {
        CHECK(asked.refuses[i] == 1, "engine %d: refuses was asked %d times", i, asked.refuses[i]);
        CHECK(asked.seconds[i] == (int)(willing >> i & 1), "engine %d: seconds, %d times", i,
              asked.seconds[i]);
        CHECK(asked.make[i] <= 1, "engine %d was made %d times", i, asked.make[i]);
        CHECK(asked.scratch[i] == (i == chosen), "engine %d: scratch", i);
    }
    if (chosen < 0)
        CHECK(strstr(error.text, refusal), "%s", error.text);
    else
        CHECK(plan.engine == &engines[chosen] && plan.scratch_bytes == 10 + (size_t)chosen,
              "%s was taken", plan.engine->name);
    for (int i = 0; i < 3 && status == STATUS_OK; i++) {
        const struct piece piece = plan_piece(&plan);

        CHECK(plan_run(&plan, &piece) == NULL, "engine %d", chosen);
        CHECK(asked.run[chosen] == i + 1 && asked.refuses[chosen] == 1, "pieces ask nobody");
    }
    plan_free(&plan);
}

/* A stack is many images in one request. One run of an engine computes at most engine.stack images
 * (0: one image), so plan_run() runs the engine as often as a stack needs. */
static void check_stack(void)
{
    struct engine alone = engines[0];
    struct plan plan = {.request = {.images = 5, .src_apart = 3, .dst_apart = 7}, .engine = &alone};
    unsigned char state = 0;
    struct piece piece;

    plan.state = &state;
    memset(&asked, 0, sizeof asked);
    piece = plan_piece(&plan);
    CHECK(plan_run(&plan, &piece) == NULL && asked.run[0] == 5, "%d runs", asked.run[0]);
    alone.stack = 2;
    CHECK(plan_run(&plan, &piece) == NULL && asked.run[0] == 5 + 3, "%d runs", asked.run[0]);
    alone.stack = 5;
    CHECK(plan_run(&plan, &piece) == NULL && asked.run[0] == 5 + 3 + 1, "%d runs", asked.run[0]);
}

int main(void)
{
    const double prices[ENGINES] = {3, 1, 2, 1};

    memcpy(price, prices, sizeof price);
    willing = able = 15;
    check(1, NULL); /* equal predicted times: the first engine is taken */
    willing = 13;
    check(3, NULL);
    willing = 5;
    check(2, NULL);
    willing = 15, able = 5;
    check(2, NULL); /* engines 1 and 3 cannot make their state */
    able = 1;
    check(0, NULL);
    able = 0;
    check(-1, "unable 0");
    willing = 0;
    check(-1, "unwilling 3");
    willing = 15, able = 13, cause = NO_MEMORY_TO_MAKE;
    check(-1, cause); /* no other engine replaces engine 1 */
    check_stack();
    return unit_result();
}
