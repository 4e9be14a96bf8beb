// SPDX-License-Identifier: MIT
// What the parts of the tracer know of each other.
#ifndef SMOOTHIMG_EMULATED_TRACE_LOG_H
#define SMOOTHIMG_EMULATED_TRACE_LOG_H

#include "machine.h"
#include "trace.h"

namespace emulated
{

enum class event_kind : unsigned char { load, store, basic_block };

// One thing that a thread did. There are billions of them, so it is kept short.
struct event {
    char *address;
    int32_t pc; // from the start of the program: one in its file, which nm and addr2line know
    unsigned short bytes;
    event_kind kind;
    bool shared; // memory; else global
};

// What several lanes of a warp did at once.
struct request {
    unsigned warp;
    unsigned lanes;      // a bit for each that took part
    const event *of[32]; // theirs
};

// trace_log.cpp: appends to the log of the thread that runs, if that is traced, and the memory is
// the device's.
void log_event(uintptr_t pc, void *address, unsigned bytes, event_kind kind);

// trace_replay.cpp: puts the logs of a warp's lanes side by side, and hands on the requests.
void replay(unsigned warp, const std::vector<event> *logs, unsigned lanes);

// trace_counts.cpp
extern counts sums;
void counts_start(load_model model);
void count(const request &request);

// trace_races.cpp
extern std::vector<std::string> &complaints;
void races_start();
void races_begin_block();
void races_block_meets();
void races_lanes_meet(unsigned warp);
void races_check(unsigned thread, const event &event, bool atomic); // of shared memory
void complain_misaligned(unsigned thread, const event &event);

// trace_lines.cpp: "kernels/reverse_shared.cu:42", of an instruction.
const std::string &source_line(int32_t pc);

} // namespace emulated

#endif
