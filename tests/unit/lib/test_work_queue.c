/* SPDX-License-Identifier: MIT */
/* Pieces of work for some threads: each once, and of several failures the lowest. */
#include "src/lib/base/work_queue.h"
#include "tests/unit/unit.h"

#include <stdatomic.h>
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

/* Piece 0 fails after piece 1 has (or after some seconds, if there is one thread only). */
static enum status fail_late(void *context, int thread, int64_t piece, struct error *error)
{
    const struct timespec millisecond = {0, 1000000};

    (void)context, (void)thread;
    done[piece]++;
    for (int i = 0; piece == 0 && i < 5000 && !second_failed; i++)
        nanosleep(&millisecond, NULL);
    if (piece == 0)
        nanosleep(&(struct timespec){0, 100000000}, NULL); /* the other is noted by now */
    second_failed = second_failed || piece == 1;
    return fail(error, piece == 0 ? STATUS_INPUT : STATUS_OUTPUT, "piece %d", (int)piece);
}

int main(void)
{
    struct error error;

    CHECK(work_queue_run(THREADS, 0, count, NULL, &error) == STATUS_OK, "no pieces");
    CHECK(work_queue_run(THREADS, PIECES, count, NULL, &error) == STATUS_OK, "%s", error.text);
    CHECK(wrong_threads == 0, "%d calls with another number", wrong_threads);
    for (int i = 0; i < PIECES; i++) {
        CHECK(done[i] == 1, "piece %d: %d times", i, done[i]);
        done[i] = 0;
    }
    CHECK(work_queue_run(2, PIECES, fail_late, NULL, &error) == STATUS_INPUT, "%s", error.text);
    for (int i = 2; i < PIECES; i++)
        CHECK(done[i] == 0, "piece %d, after a failure", i);
    return unit_result();
}
