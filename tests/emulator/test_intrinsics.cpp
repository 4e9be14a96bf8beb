// SPDX-License-Identifier: MIT
// Compares device functions with values that were computed by hand from the CUDA and PTX manuals.
#include "src/emulator/emulated.h"
#include "kernels/common/launch.cuh"

#include "tests/unit/unit.h"

#define CHECK_WORD(EXPRESSION, WANTED)                                                             \
    CHECK((unsigned)(EXPRESSION) == (WANTED), "%x", (unsigned)(EXPRESSION))

static void test_words()
{
    CHECK_WORD(__byte_perm(0x33221100, 0x77665544, 0x7520), 0x77552200u);
    CHECK_WORD(__byte_perm(0x80007f01, 0, 0xb9a8), 0xff000000u);
    CHECK_WORD(__vminu2(0x00020005, 0x00030004), 0x00020004u);
    CHECK_WORD(__vminu2(0xffff0000, 0x0000ffff), 0u);
    CHECK_WORD(__funnelshift_r(0x33221100, 0x77665544, 8), 0x44332211u);
    CHECK_WORD(__funnelshift_r(0x33221100, 0x77665544, 40), 0x44332211u);
    CHECK(__popc(0xf0f0) == 8 && __clz(1) == 31 && __clz(0) == 32, "bits");
    CHECK(__clzll(1) == 63 && __clzll(0) == 64 && __clzll(-1) == 0, "bits of 64");
    CHECK(__ffs(0) == 0 && __ffs(0x10) == 5, "bits from below");
    CHECK(__double2hiint(1.5) == 0x3ff80000 && __double2loint(1.5) == 0, "halves of a double");
    CHECK(__dadd_rd(1, 0x1p-60) == 1 && __dadd_rd(1, -0x1p-60) == 1 - 0x1p-53 &&
              __dadd_rd(-1, -0x1p-60) == -1 - 0x1p-52 && __dadd_rd(0x1p-60, -1) == -1 &&
              __dadd_rd(1.5, 2) == 3.5,
          "sums rounded down");
    CHECK(__hiloint2double(0x43300000, 7) == 4503599627370503.0, "2^52 + 7");
}

enum { UP, DOWN, XOR, ANY, BALLOT, FORMS };

// Shuffles within sections of eight lanes, and votes. In the votes, lane 3 of each warp passes 4,
// and the other lanes pass 0.
static __global__ void warp_functions(int *out)
{
    const int lane = (int)threadIdx.x % 32, three = lane == 3 ? 4 : 0;
    int *mine = out + threadIdx.x * FORMS;

    mine[UP] = __shfl_up_sync(0xffffffff, lane, 2, 8);
    mine[DOWN] = __shfl_down_sync(0xffffffff, lane, 2, 8);
    mine[XOR] = __shfl_xor_sync(0xffffffff, lane, 9, 8);
    mine[ANY] = __any_sync(0xffffffff, three);
    mine[BALLOT] = (int)__ballot_sync(0xffffffff, three);
}

static void test_warps()
{
    static int host[64 * FORMS];
    int *device;

    NEED(cudaMalloc((void **)&device, sizeof host) == cudaSuccess);
    LAUNCH(warp_functions, 1, 64, 0, nullptr, device);
    NEED(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 0; i < 64; i++) {
        const int *found = host + i * FORMS, lane = i % 32;

        CHECK(found[UP] == (lane % 8 < 2 ? lane : lane - 2), "lane %d: %d", lane, found[UP]);
        CHECK(found[DOWN] == (lane % 8 > 5 ? lane : lane + 2), "lane %d: %d", lane, found[DOWN]);
        CHECK(found[XOR] == (lane / 8 % 2 == 0 ? lane : lane ^ 9), "lane %d: %d", lane, found[XOR]);
        CHECK(found[ANY] == 1 && found[BALLOT] == 8, "votes, lane %d", lane);
    }
}

int main()
{
    test_words();
    test_warps();
    return unit_result();
}
