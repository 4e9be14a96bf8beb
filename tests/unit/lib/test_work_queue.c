/* SPDX-License-Identifier: MIT */
/* Tests a queue of numbered pieces of work that threads share. Each piece is done once; after a
 * failure, the queue gives out no further piece. If several pieces fail, the error of the piece
 * with the lowest number is returned. With `apart`, thread i begins with piece i, even if another
 * piece has failed. */
#include "src/lib/base/work_queue.h"
#include "tests/unit/unit.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#define PIECES 1000
#define THREADS 4

static atomic_int done[PIECES], wrong_threads;
static atomic_bool second_failed;

static enum status count(void *context, int thread, int64_t piece, struct error *error)
{
    (void)context, (void)error;
    wrong_threads += thread < 0 || thread >= THREADS;
    done[piece]++;
    return STATUS_OK;
}

/* Piece 1 fails first, then piece 0. If only one thread did the pieces, piece 1 could not fail
 * first; piece 0 would wait 5 seconds for piece 1, and then fail. */
static enum status fail_late(void *context, int thread, int64_t piece, struct error *error)
{
    const struct timespec millisecond = {0, 1000000};

    (void)context, (void)thread;
    done[piece]++;
    for (int i = 0; piece == 0 && i < 5000 && !second_failed; i++)
        nanosleep(&millisecond, NULL);
    /* Piece 0 waits for 0.1 s, so that the queue stores piece 1's error first. */
    if (piece == 0)
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    second_failed = second_failed || piece == 1;
    return fail(error, piece == 0 ? STATUS_INPUT : STATUS_OUTPUT, "piece %d", (int)piece);
}

static void check(bool apart)
{
    const char *name = apart ? "apart" : "in order";
    struct error error;

    CHECK(work_queue_run(THREADS, 0, apart, count, NULL, &error) == STATUS_OK, "%s: no pieces",
          name);
    CHECK(work_queue_run(THREADS, PIECES, apart, count, NULL, &error) == STATUS_OK, "%s: %s", name,
          error.text);
    CHECK(wrong_threads == 0, "%s: %d calls with another number", name, wrong_threads);
    for (int i = 0; i < PIECES; i++) {
        CHECK(done[i] == 1, "%s, piece %d: %d times", name, i, done[i]);
        done[i] = 0;
    }
    second_failed = false;
    CHECK(work_queue_run(2, PIECES, apart, fail_late, NULL, &error) == STATUS_INPUT, "%s: %s", name,
          error.text);
    for (int i = 0; i < PIECES; i++) {
        CHECK(done[i] == (i < 2), "%s, piece %d, after a failure: %d times", name, i, done[i]);
        done[i] = 0;
    }
}

static enum status note_thread(void *context, int thread, int64_t piece, struct error *error)
{
    (void)error;
    ((int *)context)[piece] = thread;
    return STATUS_OK;
}

static void check_own(void)
{
    int thread[THREADS];
    struct error error;

    work_queue_run(THREADS, THREADS, true, note_thread, thread, &error);
    for (int i = 0; i < THREADS; i++)
        CHECK(thread[i] == i, "piece %d is thread %d's", i, thread[i]);
}

int main(void)
{
    check(false);
    check(true);
    check_own();
    return unit_result();
}
