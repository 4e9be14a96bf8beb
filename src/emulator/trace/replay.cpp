// SPDX-License-Identifier: MIT
// Which accesses of a warp's lanes belong together. The lanes have run one after another; on a GPU
// they would have run side by side, and where their ways part, one side after the other, to meet
// again where the ways do. Code is laid out so that this comes out by one rule: of all lanes that
// have something left, those go on whose next instruction is at the lowest address. (Counting how
// often each lane has come to an instruction would pair the wrong turns of a loop that some lanes
// leave sooner than others.)
#include "trace_log.h"

namespace emulated
{

static constexpr int32_t FINISHED = INT32_MAX;

static int32_t pc_at(const std::vector<event> &log, std::size_t position)
{
    return position < log.size() ? log[position].pc : FINISHED;
}

static void check_access(unsigned thread, const event &event)
{
    const bool simple = event.bytes <= 16 && (event.bytes & (event.bytes - 1)) == 0;

    if (simple && ((uintptr_t)event.address & (event.bytes - 1)) != 0)
        complain_misaligned(thread, event);
    if (event.shared)
        races_check(thread, event, false);
}

static void hand_on(const request &request)
{
    const event &first = *request.of[__builtin_ctz(request.lanes)];

    if (first.kind == event_kind::basic_block)
        return;
    count(request);
    for (unsigned lane = 0; lane < 32; lane++)
        if ((request.lanes >> lane & 1) != 0)
            check_access(request.warp * 32 + lane, *request.of[lane]);
}

static int32_t lowest_of(const int32_t (&next)[32])
{
    int32_t lowest = FINISHED;

    for (int lane = 0; lane < 32; lane++) // a loop that the compiler turns into a few vector minima
        lowest = next[lane] < lowest ? next[lane] : lowest;
    return lowest;
}

void replay(unsigned warp, const std::vector<event> *logs, unsigned lanes)
{
    std::size_t position[32] = {};
    int32_t next[32];
    request request;

    request.warp = warp;
    for (unsigned lane = 0; lane < 32; lane++)
        next[lane] = lane < lanes ? pc_at(logs[lane], 0) : FINISHED;
    for (;;) {
        const int32_t lowest = lowest_of(next);

        if (lowest == FINISHED)
            return;
        request.lanes = 0;
        for (unsigned lane = 0; lane < lanes; lane++)
            if (next[lane] == lowest) {
                request.lanes |= 1u << lane;
                request.of[lane] = &logs[lane][position[lane]++];
                next[lane] = pc_at(logs[lane], position[lane]);
            }
        hand_on(request);
    }
}

} // namespace emulated
