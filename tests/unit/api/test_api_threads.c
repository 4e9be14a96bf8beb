/* SPDX-License-Identifier: MIT */
/* Tests the threads that contexts share: they stay between calls, and end with the last context.
 * (test_worker_pool.c tests them while they are idle, and after a fork.) */
#include "tests/unit/api/samples.h"
#include "tests/unit/threads.h"

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

int main(void)
{
    threads_begin();
    alarm(25); /* ends the test if a thread is never woken */
    open_all();
    check_use();
    smoothimg_close(contexts[0]);
    CHECK(threads_are(THREADS), "%d threads, and a context", threads_count());
    smoothimg_close(contexts[1]);
    CHECK(threads_are(1), "%d threads, and no context", threads_count());
    smoothimg_filter_free(filter);
    return unit_result();
}
