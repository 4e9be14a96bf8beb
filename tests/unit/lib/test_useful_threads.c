/* SPDX-License-Identifier: MIT */
/* How many threads a job gets: a small image takes no longer than a thread takes to wake. */
#include "src/lib/run/run.h"
#include "tests/unit/unit.h"

int main(void)
{
    struct job job = {.src = {.width = 128, .height = 64, .channels = 1, .sample_bytes = 1}};

    CHECK(useful_threads(OP_TRANSPOSE, &job, 1, 16) == 1, "128 x 64");
    CHECK(useful_threads(OP_TRANSPOSE, &job, 80, 16) == 10, "80 of them");
    job.src.height = 256;
    CHECK(useful_threads(OP_REVERSE, &job, 1, 16) == 1, "half a thread's work");
    job.src.width = 4096;
    CHECK(useful_threads(OP_REVERSE, &job, 1, 20) == 16, "4096 x 256");
    CHECK(useful_threads(OP_REVERSE, &job, 1, 2) == 2, "4096 x 256, two");
    job.src.sample_bytes = 2;
    CHECK(useful_threads(OP_REVERSE, &job, 1, 40) == 32, "of two bytes");
    job.src.sample_bytes = 1;
    job.src.width = 256;
    job.src.height = 8;
    job.halo_x = 1000;
    job.halo_y = 20;
    CHECK(useful_threads(OP_SMOOTH, &job, 1, 40) == 16, "both halos");
    job.src = (struct view){.width = INT64_MAX, .height = INT64_MAX, .channels = INT32_MAX};
    CHECK(useful_threads(OP_SMOOTH, &job, 1, 40) == 40, "no overflow");
    return unit_result();
}
