// SPDX-License-Identifier: MIT
// Asynchronous copies to shared memory (cp.async). A GPU makes one at any time between its request
// and its wait. Here the destination is spoilt when the copy is asked for, so that a kernel that
// still uses it goes wrong; and the copy is made when it is waited for, so that a kernel that reads
// it, or overwrites the source, before that goes wrong. What nobody waits for never arrives.
#include "threads.h"

#include <cstring>
#include <cuda_pipeline_primitives.h>
#include <deque>

namespace emulated
{

namespace
{

struct async_copy {
    unsigned char *to;
    const unsigned char *from;
    std::size_t bytes;
    std::size_t group;
};

struct pipeline {                  // of a thread
    std::deque<async_copy> copies; // asked for and not yet made, oldest first
    std::size_t groups;            // committed
};

} // namespace

static pipeline *const pipelines = new pipeline[MAX_THREADS];

static pipeline &own_pipeline()
{
    return pipelines[current_warp() * 32 + (unsigned)current_lane()];
}

void pipelines_begin_block()
{
    for (unsigned i = 0; i < thread_count; i++) {
        pipelines[i].copies.clear();
        pipelines[i].groups = 0;
    }
}

void ask_for_copy(void *to, const void *from, std::size_t bytes)
{
    pipeline &own = own_pipeline();
    const async_copy copy = {(unsigned char *)to, (const unsigned char *)from, bytes, own.groups};

    for (std::size_t i = 0; i < bytes; i++)
        copy.to[i] = (unsigned char)~copy.from[i];
    own.copies.push_back(copy);
}

void commit_copies()
{
    own_pipeline().groups++;
}

void wait_for_copies(std::size_t newest)
{
    pipeline &own = own_pipeline();

    while (!own.copies.empty() && own.copies.front().group + newest < own.groups) {
        const async_copy &copy = own.copies.front();

        memcpy(copy.to, copy.from, copy.bytes);
        own.copies.pop_front();
    }
}

} // namespace emulated
