// SPDX-License-Identifier: MIT
// The words for threads and their waits in messages.
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
    const char *what = t.state == status::exited     ? " has ended"
                       : t.state == status::at_block ? " waits for its block at "
                       : t.op == warp_op::sync       ? " waits for lanes in __syncwarp at "
                                                     : " waits for lanes in a shuffle or vote at ";

    return t.state == status::exited
               ? thread_name(thread) + what
               : thread_name(thread) + what + t.where.file + ":" + std::to_string(t.where.line);
}

void fault_between(unsigned a, unsigned b, const char *why)
{
    fault(cudaErrorLaunchFailure, "%s: %s, %s: %s", where_running().c_str(), waiting(a).c_str(),
          waiting(b).c_str(), why);
}

} // namespace emulated
