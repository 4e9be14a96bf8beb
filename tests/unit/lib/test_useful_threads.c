/* SPDX-License-Identifier: MIT */
/* How many threads a job gets: a small image takes no longer than a thread takes to wake. */
#include "kernels/common/parallel.h"
#include "src/lib/run/run.h"
#include "tests/unit/unit.h"

static void nothing(const void *context, int band, int64_t first, int64_t last)
{
    (void)context, (void)band, (void)first, (void)last;
}

/* While workers are awake, less work is worth one. A busy machine may take longer than they are. */
static void check_awake(void)
{
    const struct job job = {.src = {.width = 128, .height = 256, .channels = 1, .sample_bytes = 2}};
    int threads = useful_threads(OP_REVERSE, &job, 1, 16);

    CHECK(threads == 1, "asleep: %d", threads);
    for (int i = 0; i < 10000 && threads != 2; i++) {
        parallel_rows(1, 1, nothing, NULL);
        threads = useful_threads(OP_REVERSE, &job, 1, 16);
    }
    CHECK(threads == 2, "awake: %d", threads);
}

int main(void)
{
    struct job job = {.src = {.width = 128, .height = 128, .channels = 1, .sample_bytes = 1}};

    CHECK(useful_threads(OP_TRANSPOSE, &job, 1, 16) == 1, "128 x 128");
    CHECK(useful_threads(OP_TRANSPOSE, &job, 80, 16) == 10, "80 of them");
    job.src.height = 512;
    CHECK(useful_threads(OP_REVERSE, &job, 1, 16) == 1, "half a thread's work");
    job.src.width = 4096;
    CHECK(useful_threads(OP_REVERSE, &job, 1, 20) == 16, "4096 x 512");
    CHECK(useful_threads(OP_REVERSE, &job, 1, 2) == 2, "4096 x 512, two");
    job.src.sample_bytes = 2;
    CHECK(useful_threads(OP_REVERSE, &job, 1, 40) == 32, "of two bytes");
    job.src.sample_bytes = 1;
    job.src.width = 256;
    job.src.height = 16;
    job.halo_x = 1000;
    job.halo_y = 20;
    CHECK(useful_threads(OP_SMOOTH, &job, 1, 40) == 16, "both halos");
    job.src = (struct view){.width = INT64_MAX, .height = INT64_MAX, .channels = INT32_MAX};
    CHECK(useful_threads(OP_SMOOTH, &job, 1, 40) == 40, "no overflow");
    check_awake();
    return unit_result();
}
