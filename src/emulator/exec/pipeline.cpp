// SPDX-License-Identifier: MIT
// Asynchronous copies to shared memory (cp.async). A GPU may copy at any time between the request
// and the wait. Here the request overwrites the destination with the complement of the data, and
// only the wait copies the data. So a kernel computes wrong results if it uses the destination or
// overwrites the source before the wait. Without a wait, the data are never copied.
#include "src/emulator/exec/threads.h"

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
    std::size_t group; // number of the copy's group among the thread's groups, from 0
};

struct pipeline {                  // the copies of a thread
    std::deque<async_copy> copies; // pending, oldest first
    std::size_t groups;            // number of committed groups
};

} // namespace

static lazy<std::array<pipeline, MAX_THREADS>> pipelines;

static pipeline &own_pipeline()
{
    return pipelines[current_thread()];
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

        if (watcher != nullptr) // only now can other threads see the copy
            watcher->note(note::copies_to, copy.to, (unsigned)copy.bytes,
                          __builtin_return_address(0));
        memcpy(copy.to, copy.from, copy.bytes);
        own.copies.pop_front();
    }
}

} // namespace emulated
