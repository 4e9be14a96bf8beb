/* SPDX-License-Identifier: MIT */
#include "src/bench/memory/occupancy.h"

#include "kernels/common/numbers.h"

#define REGISTERS_AT_ONCE 256 /* the registers of a warp are allocated in multiples of this */

const struct gpu_sm sm_a100 = {
    .threads = 2048,
    .blocks = 32,
    .registers = 65536,
    .shared_bytes = 164 * 1024,
    .reserved_bytes = 1024,
};

static int warps_of(int threads)
{
    return (threads + WARP_THREADS - 1) / WARP_THREADS;
}

/* For each resource in enum limiter, sets room[resource] to the number of blocks for which the SM
 * has enough of this resource, or to INT32_MAX if a block needs none. */
static void find_room(const struct gpu_sm *sm, const struct block_needs *needs,
                      int64_t room[LIMIT_SHARED + 1])
{
    const int64_t warps = warps_of(needs->threads);
    const int64_t registers =
        warps * round_up((int64_t)needs->registers * WARP_THREADS, REGISTERS_AT_ONCE);

    room[LIMIT_THREADS] = sm->threads / (warps * WARP_THREADS);
    room[LIMIT_BLOCKS] = sm->blocks;
    room[LIMIT_REGISTERS] = registers > 0 ? sm->registers / registers : INT32_MAX;
    room[LIMIT_SHARED] = needs->shared_bytes > 0
                             ? sm->shared_bytes / (needs->shared_bytes + sm->reserved_bytes)
                             : INT32_MAX;
}

/* occupancy.share is a share of the SM's threads, not of its warps, since the last warp of a block
 * may have fewer than 32 threads. */
struct occupancy occupancy_of(const struct gpu_sm *sm, const struct block_needs *needs, int counted)
{
    int64_t room[LIMIT_SHARED + 1];
    struct occupancy occupancy = {.limiter = LIMIT_THREADS};

    find_room(sm, needs, room);
    for (int i = LIMIT_THREADS; i <= LIMIT_SHARED; i++)
        if (room[i] < room[occupancy.limiter])
            occupancy.limiter = (enum limiter)i;
    occupancy.blocks = counted < 0 ? (int)room[occupancy.limiter] : counted;
    occupancy.warps = occupancy.blocks * warps_of(needs->threads);
    occupancy.share = (double)occupancy.blocks * needs->threads / sm->threads;
    if (occupancy.blocks * needs->threads == sm->threads)
        occupancy.limiter = LIMIT_NONE;
    return occupancy;
}

const char *const limiter_words[] = {"none (full)", "threads", "blocks", "registers",
                                     "shared memory"};
