// SPDX-License-Identifier: MIT
// Decides which threads continue when all threads of a block wait or have ended. Reports a fault if
// no thread can continue.
#include "src/emulator/exec/bulk/barriers.h"
#include "src/emulator/exec/threads.h"

#include <algorithm>
#include <cstring>

namespace emulated
{

unsigned block_meetings;

static bool same_place(const place &a, const place &b)
{
    return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

static bool all_at_block()
{
    return std::all_of(threads, threads + thread_count, [](const thread &t) {
        return t.state == status::at_block || t.state == status::exited;
    });
}

// Ends a wait of the whole block (__syncthreads). All threads must wait at the same source line.
static bool release_block()
{
    const thread *waits = std::find_if(threads, threads + thread_count,
                                       [](const thread &t) { return t.state == status::at_block; });
    const thread *other = std::find_if(threads, threads + thread_count, [&](const thread &t) {
        return t.state == status::exited || !same_place(t.where, waits->where);
    });

    if (other != threads + thread_count) {
        fault_between((unsigned)(waits - threads), (unsigned)(other - threads),
                      "all threads of a block must reach the same __syncthreads");
        return false;
    }
    const bool any =
        std::any_of(threads, threads + thread_count, [](const thread &t) { return t.bits != 0; });

    for (unsigned i = 0; i < thread_count; i++) {
        threads[i].state = status::ready;
        threads[i].bits = any;
    }
    block_meetings++;
    if (watcher != nullptr)
        watcher->block_meets();
    return true;
}

// Returns `mask` without the bits of lanes that do not exist or have ended.
static unsigned live_lanes(unsigned warp, unsigned mask)
{
    unsigned live_mask = 0;

    for (unsigned i = warp * 32; i < thread_count && i < warp * 32 + 32; i++)
        if (threads[i].state != status::exited)
            live_mask |= 1u << i % 32;
    return mask & live_mask;
}

static bool have_met(unsigned warp, unsigned lanes, const thread &leader)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        const thread &t = threads[warp * 32 + lane];

        if ((lanes >> lane & 1) != 0 &&
            (t.state != status::at_lanes || t.mask != leader.mask || t.op != leader.op))
            return false;
    }
    return true;
}

static std::vector<unsigned> threads_of(unsigned warp, unsigned lanes)
{
    std::vector<unsigned> numbers;

    for (; lanes != 0; lanes &= lanes - 1)
        numbers.push_back(warp * 32 + (unsigned)__builtin_ctz(lanes));
    return numbers;
}

// Gives each lane whose bit in `lanes` is set the result of the operation for which the lanes have
// met. Returns false after a fault.
static bool exchange(unsigned warp, unsigned lanes)
{
    thread *lane = &threads[warp * 32];
    uint64_t bits[32];
    unsigned ballot = 0;

    for (unsigned i = 0; i < 32; i++)
        if ((lanes >> i & 1) != 0) {
            bits[i] = lane[i].bits;
            ballot |= (unsigned)(bits[i] != 0) << i;
        }
    for (unsigned i = 0; i < 32; i++) {
        if ((lanes >> i & 1) == 0)
            continue;
        lane[i].state = status::ready;
        if (lane[i].op == warp_op::ballot)
            lane[i].bits = ballot;
        else if (lane[i].op == warp_op::shuffle && (lanes >> lane[i].source & 1) != 0)
            lane[i].bits = bits[lane[i].source];
        else if (lane[i].op == warp_op::shuffle) {
            fault(cudaErrorLaunchFailure,
                  "%s: %s in %s:%d reads from lane %d, which does not take part",
                  where_running().c_str(), thread_name(warp * 32 + i).c_str(), lane[i].where.file,
                  lane[i].where.line, lane[i].source);
            return false;
        }
    }
    if (watcher != nullptr)
        watcher->resume(threads_of(warp, lanes), lane[__builtin_ctz(lanes)].op == warp_op::sync);
    return true;
}

// Finds each group of lanes of which all have arrived at their common wait, and makes their threads
// ready. Returns false if there is no such group, or after a fault.
static bool release_lanes()
{
    bool any = false;

    for (unsigned i = 0; i < thread_count; i++) {
        if (threads[i].state != status::at_lanes)
            continue;
        const unsigned lanes = live_lanes(i / 32, threads[i].mask);

        if (have_met(i / 32, lanes, threads[i])) {
            if (!exchange(i / 32, lanes))
                return false;
            any = true;
        }
    }
    return any;
}

// Reports a deadlock. The message names two threads that wait in different ways, if there are any.
static void report_deadlock()
{
    const auto end = threads + thread_count;
    const auto at_lanes =
        std::find_if(threads, end, [](const thread &t) { return t.state == status::at_lanes; });
    const auto waits = [](const thread &t) { return t.state != status::exited; };
    const auto first = at_lanes != end ? at_lanes : std::find_if(threads, end, waits);
    const auto differs = [&](const thread &t) {
        return &t != first && (t.state != first->state || t.mask != first->mask ||
                               t.op != first->op || !same_place(t.where, first->where));
    };
    auto other =
        std::find_if(threads, end, [&](const thread &t) { return waits(t) && differs(t); });

    if (other == end)
        other = std::find_if(threads, end, differs);
    fault_between((unsigned)(first - threads), (unsigned)((other == end ? first : other) - threads),
                  "deadlock");
}

bool release_waiting()
{
    if (all_at_block())
        return release_block();
    bool any = release_lanes();

    if (faulted())
        return false;
    any |= barriers_release();
    // bulk_arrive() completes the copies that threads wait for. The next call of this function then
    // makes those threads ready, or finds that they still wait, for example for another copy.
    if (!any && bulk_arrive())
        any = true;
    if (!any)
        report_deadlock();
    return any;
}

} // namespace emulated
