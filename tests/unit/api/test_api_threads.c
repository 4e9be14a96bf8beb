/* SPDX-License-Identifier: MIT */
/* Tests the threads that contexts share. The threads stay between calls, without using processor
 * time, and end with the last context. A forked process has none of these threads, but can use a
 * context. */
#include "tests/unit/api/samples.h"
#include "tests/unit/threads.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 2000
#define HEIGHT 1000
#define THREADS 3

static uint8_t samples[HEIGHT][WIDTH], right[HEIGHT][WIDTH], found[HEIGHT][WIDTH];
static struct smoothimg_context *contexts[2];
static struct smoothimg_filter *filter;

static bool smooths(struct smoothimg_context *context)
{
    const struct stack src = {.data = samples, .width = WIDTH, .height = HEIGHT, .channels = 1};
    struct stack dst = src;

    memset(found, 0, sizeof found);
    dst.data = found;
    return call(context, SMOOTHIMG_SMOOTH, filter, &src, &dst) == SMOOTHIMG_OK &&
           memcmp(found, right, sizeof found) == 0;
}

static void open_all(void)
{
    struct smoothimg_context *one;

    for (size_t i = 0; i < sizeof samples; i++)
        ((uint8_t *)samples)[i] = (uint8_t)(i * i / 7);
    NEED(smoothimg_open(1, &one) == SMOOTHIMG_OK);
    filter = filter_make(one, smooth_of(4, 4, SMOOTHIMG_NEAREST));
    smooths(one);
    memcpy(right, found, sizeof right);
    CHECK(threads_are(1), "one thread is %d", threads_count());
    smoothimg_close(one);
    for (int i = 0; i < 2; i++)
        NEED(smoothimg_open(THREADS, &contexts[i]) == SMOOTHIMG_OK);
}

static void check_use(void)
{
    for (int i = 0; i < 4; i++) {
        CHECK(smooths(contexts[i % 2]), "call %d", i);
        CHECK(threads_are(THREADS), "%d threads after call %d", threads_count(), i);
    }
}

/* Idle contexts take no processor time. (Elapsed time would depend on other programs.) */
static void check_idle(void)
{
    const struct timespec moment = {0, 100000000}, span = {0, 500000000};
    clock_t before;

    nanosleep(&moment, NULL);
    before = clock();
    nanosleep(&span, NULL);
    CHECK(clock() - before < CLOCKS_PER_SEC / 100, "idle contexts took %ld us of a processor",
          (long)(clock() - before));
}

/* A forked child can use its parent's contexts, and starts threads of its own. Not tested with the
 * thread sanitizer, which does not let such a child start threads. */
static void check_fork(void)
{
#ifndef __SANITIZE_THREAD__
    int status = -1;
    const pid_t child = fork();

    if (child == 0)
        _exit(!smooths(contexts[0]) || !threads_are(THREADS));
    NEED(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(status == 0, "the child ended with %x", (unsigned)status);
    check_use();
#endif
}

int main(void)
{
    threads_begin();
    alarm(25); /* ends the test if a thread is never woken */
    open_all();
    check_use();
    check_idle();
    check_fork();
    smoothimg_close(contexts[0]);
    CHECK(threads_are(THREADS), "%d threads, and a context", threads_count());
    smoothimg_close(contexts[1]);
    CHECK(threads_are(1), "%d threads, and no context", threads_count());
    smoothimg_filter_free(filter);
    return unit_result();
}
