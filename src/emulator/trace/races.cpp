// SPDX-License-Identifier: MIT
// Two threads of a block race if both access a byte of shared or global memory, at least one writes
// it, and no barrier in which both take part lies between the two accesses. Two atomic operations
// do not race. For each byte the tracer keeps the last writer and two of the last readers, from two
// warps if possible.
//
// Barriers of the whole block are counted. Other barriers order only some threads. For these
// barriers the tracer keeps vector clocks. Each thread has a clock, which advances when the thread
// arrives at a barrier. For each other thread, a thread keeps a time of that other thread's clock:
// all accesses that the other thread made before this time precede the accesses that the thread
// makes now. A thread that passes a barrier takes over the times that the threads kept when they
// arrived there. Among the operations of a warp's lanes, only __syncwarp is a barrier: CUDA's guide
// says of shuffles and votes that they "do not imply a memory barrier" and "do not guarantee any
// memory ordering", and the PTX manual promises no ordering for products of matrices.
#include "src/emulator/trace/log.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>

namespace emulated
{

lazy<std::vector<std::string>> complaints;

namespace
{

struct use {
    // The value of the variable block_epoch when the thread used the byte. 0: no thread has used
    // the byte.
    unsigned block_epoch;
    unsigned thread;
    int32_t pc;
    unsigned clock; // the thread's clock when it used the byte
};

typedef std::array<unsigned, MAX_THREADS> clocks; // one for each thread

struct cell { // the uses of one byte
    use writer, reader;
    // A read by another thread than `reader` in the same epoch, if possible of another warp.
    use other_reader;
    bool atomic; // the write was an atomic operation
};

} // namespace

static std::map<uintptr_t, std::unique_ptr<cell[]>> &pages =
    *new std::map<uintptr_t, std::unique_ptr<cell[]>>; // the cells of 4096 bytes each; the key is
                                                       // the bytes' address divided by 4096
static std::set<std::pair<int32_t, int32_t>> &complained =
    *new std::set<std::pair<int32_t, int32_t>>;
// block_epoch: the number of blocks that have begun, plus the number of times that all threads of a
// block have met at a barrier. first_epoch: block_epoch at the start of the current block.
static unsigned block_epoch, first_epoch;
static unsigned thread_total;
static bool with_global; // find races in global memory, too
// known[t][u]: all accesses that thread u made while its clock was below this value precede the
// accesses that thread t makes now. known[t][t] is the clock of thread t. The clocks are not reset
// for the next block: uses in different blocks are never compared.
static clocks known[MAX_THREADS];
// For each barrier's address and phase: the times that the threads kept when they arrived there.
static std::map<std::pair<const char *, unsigned>, clocks> &arrived =
    *new std::map<std::pair<const char *, unsigned>, clocks>;

static cell &cell_of(const char *address)
{
    static uintptr_t last_number;
    static cell *last_page;
    const uintptr_t number = (uintptr_t)address / 4096;

    if (last_page == nullptr || number != last_number) {
        std::unique_ptr<cell[]> &page = pages[number];

        if (page == nullptr)
            page = std::make_unique<cell[]>(4096);
        last_number = number;
        last_page = page.get();
    }
    return last_page[(uintptr_t)address % 4096];
}

// True if the thread itself made the earlier use, or if the use was in an earlier block, or if a
// barrier separates it from the current access.
static bool is_ordered(const use &earlier, unsigned thread)
{
    return earlier.block_epoch != block_epoch || earlier.thread == thread ||
           known[thread][earlier.thread] > earlier.clock;
}

static const char unwritten_read[] = "reads shared memory that no thread of its block has written";

bool is_unwritten_read(const std::string &complaint)
{
    return complaint.find(unwritten_read) != std::string::npos;
}

// Reports each pair of instructions once, not again for every thread.
static void complain(const char *what, unsigned thread, const event &event, const use *other)
{
    char text[400];

    if (!complained.insert({event.pc, other != nullptr ? other->pc : 0}).second)
        return;
    const std::string here = source_line(event.pc);

    if (other == nullptr)
        snprintf(text, sizeof text, "%s: %s at %s %s", where_running().c_str(),
                 thread_name(thread).c_str(), here.c_str(), what);
    else
        snprintf(text, sizeof text, "%s: %s at %s %s %s at %s, with no barrier between",
                 where_running().c_str(), thread_name(thread).c_str(), here.c_str(), what,
                 thread_name(other->thread).c_str(), source_line(other->pc).c_str());
    complaints->push_back(text);
}

static void check_load(unsigned thread, const event &event, cell &cell, const use &now)
{
    if (event.shared && cell.writer.block_epoch < first_epoch)
        complain(unwritten_read, thread, event, nullptr);
    else if (!is_ordered(cell.writer, thread))
        complain("reads what is written by", thread, event, &cell.writer);
    if (!is_ordered(cell.reader, thread) &&
        (is_ordered(cell.other_reader, thread) || cell.reader.thread / 32 != thread / 32))
        cell.other_reader = cell.reader;
    cell.reader = now;
}

static void check_store(unsigned thread, const event &event, cell &cell, const use &now,
                        bool atomic)
{
    if (!is_ordered(cell.writer, thread) && !(atomic && cell.atomic))
        complain("writes what is written by", thread, event, &cell.writer);
    else if (!is_ordered(cell.reader, thread))
        complain("writes what is read by", thread, event, &cell.reader);
    else if (!is_ordered(cell.other_reader, thread))
        complain("writes what is read by", thread, event, &cell.other_reader);
    cell.writer = now;
    cell.atomic = atomic;
}

void races_check(unsigned thread, const event &event, bool atomic)
{
    const use now = {block_epoch, thread, event.pc, known[thread][thread]};
    const std::size_t before = complaints->size();

    if (!event.shared && !with_global)
        return;
    // Complains at most once for each access.
    for (unsigned i = 0; i < event.bytes && complaints->size() == before; i++) {
        cell &cell = cell_of(event.address + i);

        if (event.kind == event_kind::load || event.kind == event_kind::copy_from)
            check_load(thread, event, cell, now);
        else
            check_store(thread, event, cell, now, atomic);
    }
}

void complain_misaligned(unsigned thread, const event &event)
{
    complain("uses an address that is not aligned", thread, event, nullptr);
}

void races_start(races wanted)
{
    with_global = wanted == races::of_all_memory;
    complaints->clear();
    complained.clear();
}

void races_begin_block(unsigned threads)
{
    first_epoch = ++block_epoch;
    thread_total = threads;
    arrived.clear();
}

static void learn(clocks &of, const clocks &more)
{
    for (unsigned i = 0; i < thread_total; i++)
        of[i] = std::max(of[i], more[i]);
}

// Records that all accesses that these threads have made so far precede all that they make from now
// on.
void races_meet(const std::vector<unsigned> &threads)
{
    clocks all = {};

    for (const unsigned thread : threads) {
        known[thread][thread]++;
        learn(all, known[thread]);
    }
    for (const unsigned thread : threads)
        std::copy_n(all.begin(), thread_total, known[thread].begin());
}

void races_synchronize(unsigned thread, const event &event)
{
    const auto [here, is_new] = arrived.insert({{event.address, event.bytes}, {}});

    // A thread that passes this phase has passed the earlier phases too. So it also takes over the
    // times of the threads that arrived in the earlier phases.
    if (is_new && event.bytes > 0)
        here->second = arrived[{event.address, event.bytes - 1u}];
    if (event.kind == event_kind::arrival) {
        known[thread][thread]++;
        learn(here->second, known[thread]);
    } else {
        learn(known[thread], here->second);
    }
}

void races_block_meets()
{
    block_epoch++;
}

const std::vector<std::string> &trace_complaints()
{
    return *complaints;
}

} // namespace emulated
