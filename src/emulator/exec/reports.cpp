// SPDX-License-Identifier: MIT
// Makes the texts by which messages name threads and their waits.
#include "src/emulator/exec/bulk/barriers.h"
#include "src/emulator/exec/threads.h"

namespace emulated
{

static std::string triple(const char *before, const uint3 &index)
{
    char text[100];

    snprintf(text, sizeof text, "%s (%u,%u,%u)", before, index.x, index.y, index.z);
    return text;
}

std::string where_running()
{
    return site->name + triple(", block", blockIdx);
}

std::string thread_name(unsigned thread)
{
    return triple("thread", threads[thread].index);
}

std::string waiting(unsigned thread)
{
    const struct thread &t = threads[thread];
    const char *what = t.state == status::exited       ? " has ended"
                       : t.state == status::at_block   ? " waits for its block at "
                       : t.state == status::at_barrier ? " waits at a barrier in shared memory at "
                       : t.op == warp_op::sync         ? " waits for lanes in __syncwarp at "
                       : t.op == warp_op::product      ? " waits for lanes in a product at "
                                                  : " waits for lanes in a shuffle or vote at ";

    if (t.state == status::exited)
        return thread_name(thread) + what;
    return thread_name(thread) + what + t.where.file + ":" + std::to_string(t.where.line) +
           (t.state == status::at_barrier ? " where " + missing_at(t.barrier) : "");
}

void fault_between(unsigned a, unsigned b, const char *why)
{
    fault(cudaErrorLaunchFailure, "%s: %s, %s: %s", where_running().c_str(), waiting(a).c_str(),
          waiting(b).c_str(), why);
}

} // namespace emulated
