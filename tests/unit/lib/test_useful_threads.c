/* SPDX-License-Identifier: MIT */
/* Tests how many threads compute a request. One thread computes a small image, because waking
 * another would take longer than the work. */
#include "src/lib/filter/plan.h"
#include "tests/unit/unit.h"

int main(void)
{
    struct request request = {
        .src = {.width = 128, .height = 128, .channels = 1, .sample_bytes = 1}};

    CHECK(useful_threads(OP_TRANSPOSE, &request, 1, 16, false) == 1, "128 x 128");
    CHECK(useful_threads(OP_TRANSPOSE, &request, 80, 16, false) == 10, "80 of them");
    request.src.height = 512;
    CHECK(useful_threads(OP_REVERSE, &request, 1, 16, false) == 1, "half a thread's work");
    CHECK(useful_threads(OP_REVERSE, &request, 1, 16, true) == 2, "the same, awake");
    request.src.width = 4096;
    CHECK(useful_threads(OP_REVERSE, &request, 1, 20, false) == 16, "4096 x 512");
    CHECK(useful_threads(OP_REVERSE, &request, 1, 2, false) == 2, "4096 x 512, two");
    request.src.sample_bytes = 2;
    CHECK(useful_threads(OP_REVERSE, &request, 1, 40, false) == 32, "of two bytes");
    request.src.sample_bytes = 1;
    request.src.width = 256;
    request.src.height = 16;
    request.halo_x = 1000;
    request.halo_y = 20;
    CHECK(useful_threads(OP_SMOOTH, &request, 1, 40, false) == 16, "both halos");
    request.src = (struct view){.width = INT64_MAX, .height = INT64_MAX, .channels = INT32_MAX};
    CHECK(useful_threads(OP_SMOOTH, &request, 1, 40, false) == 40, "no overflow");
    return unit_result();
}
