// SPDX-License-Identifier: MIT
// Finds which accesses of a warp's lanes belong together. The emulated device has run the lanes one
// after another. A GPU runs them together, executes the sides of a branch one after the other, and
// joins the lanes after the branch. The compiler flags keep the code in an order in which one rule
// reproduces this: of all lanes with events left, take those whose next instruction has the lowest
// address. (It would be wrong to pair the n-th executions of an instruction in all lanes, since
// some lanes may leave a loop early.)
#include "src/emulator/trace/log.h"

namespace emulated
{

static constexpr int32_t FINISHED = INT32_MAX;
void (*request_listener)(const request &);

static int32_t pc_at(const std::vector<event> &log, std::size_t position)
{
    return position < log.size() ? log[position].pc : FINISHED;
}

static void check_access(unsigned thread, const event &event)
{
    if (event.kind == event_kind::arrival || event.kind == event_kind::passage) {
        races_synchronize(thread, event);
        return;
    }
    const bool simple = event.bytes <= 16 && (event.bytes & (event.bytes - 1)) == 0;

    if (simple && ((uintptr_t)event.address & (event.bytes - 1)) != 0)
        complain_misaligned(thread, event);
    races_check(thread, event, false);
}

static void hand_on(const request &request)
{
    const event &first = *request.of[__builtin_ctz(request.lanes)];

    if (first.kind == event_kind::basic_block)
        return;
    if (first.kind == event_kind::load || first.kind == event_kind::store) {
        count(request);
        if (request_listener != nullptr)
            request_listener(request);
    }
    for (unsigned lane = 0; lane < 32; lane++)
        if ((request.lanes >> lane & 1) != 0)
            check_access(request.warp * 32 + lane, *request.of[lane]);
}

static int32_t lowest_of(const int32_t (&next)[32])
{
    int32_t lowest = FINISHED;

    for (int lane = 0; lane < 32; lane++) // compilers vectorise this loop
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
