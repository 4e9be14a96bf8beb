// SPDX-License-Identifier: MIT
// Declarations that the files of the tracer share.
#ifndef SMOOTHIMG_EMULATED_TRACE_LOG_H
#define SMOOTHIMG_EMULATED_TRACE_LOG_H

#include "src/emulator/machine.h"
#include "src/emulator/trace/trace.h"

namespace emulated
{

enum class event_kind : unsigned char {
    load,
    store,
    basic_block,
    // An arrival at a barrier in shared memory, and the end of a wait there. `bytes` is then the
    // number of the barrier's phase.
    arrival,
    passage,
    copy_to, // an asynchronous copy to shared memory
    copy_from
};

// One access of a thread, or the start of a basic block. A program records billions of events, so
// the struct is small.
struct event {
    char *address;
    int32_t pc;          // relative to the load address, for addr2line
    unsigned bytes : 24; // bytes of the access; 24 bits, since a bulk copy may be large
    event_kind kind : 7;
    bool shared : 1; // true: in shared memory; false: in global memory

    event(char *address, int32_t pc, unsigned bytes, event_kind kind, bool shared)
        : address(address), pc(pc), bytes(bytes & 0xffffff), kind(kind), shared(shared)
    {
    }
};

// An instruction that one or more lanes of a warp execute together.
struct request {
    unsigned warp;
    unsigned lanes;      // bit i is set if lane i takes part
    const event *of[32]; // of[i]: the event of lane i, if it takes part; else undefined
};

// log.cpp: appends to the running thread's log, unless the address is host memory or no thread
// runs.
void log_event(uintptr_t pc, void *address, unsigned bytes, event_kind kind);

// replay.cpp: merges the logs of a warp's lanes into requests, counts the requests, and checks
// their accesses. The warp has `lanes` lanes, 1..32; logs[i] is the log of lane i.
void replay(unsigned warp, const std::vector<event> *logs, unsigned lanes);

// If not NULL, it is called for every request that loads or stores. Programs that draw pictures of
// the accesses set it. During the call, threadIdx and blockIdx have the values of a thread of the
// warp.
extern void (*request_listener)(const request &);

// counts.cpp: adds the cost of a request to the sums.
extern counts sums;
void count(const request &request);

// races.cpp: finds races and unwritten reads; log.cpp and replay.cpp report what threads do. For
// races_synchronize, events are arrivals and passages. races_check ignores accesses of global
// memory unless trace_start() was asked to find races there.
extern lazy<std::vector<std::string>> complaints;
void races_start(races wanted);
void races_begin_block(unsigned threads);
void races_block_meets();
void races_meet(const std::vector<unsigned> &threads);
void races_synchronize(unsigned thread, const event &event);
void races_check(unsigned thread, const event &event, bool atomic);
void complain_misaligned(unsigned thread, const event &event);

// lines.cpp: returns the source line of an instruction, such as "kernels/reverse/shared.cu:42".
const std::string &source_line(int32_t pc);

} // namespace emulated

#endif
