// SPDX-License-Identifier: MIT
// Two threads of a block race if both access a byte of shared memory, at least one writes it, and
// no block barrier lies between; within a warp, no barrier of its lanes either. For each byte it is
// enough to store the last writer and the last readers.
//
// Barriers in shared memory order some threads only: each thread has a clock, which goes on when it
// arrives somewhere, and knows for each other thread up to which time its accesses are before its
// own (a vector clock). A thread that passes a barrier knows what those knew that had arrived.
#include "src/emulator/trace/log.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace emulated
{

std::vector<std::string> &complaints = *new std::vector<std::string>;

namespace
{

struct use {
    unsigned block_epoch; // barriers passed, of all blocks so far; 0: never used
    unsigned warp_epoch;
    unsigned thread;
    int32_t pc;
    unsigned clock; // the thread's
};

typedef std::vector<unsigned> clocks; // of each thread

struct cell { // a byte
    use writer, reader;
    use other_reader; // in the same epochs by another thread, of another warp if there was one
    bool atomic;      // the write was an atomic operation
};

} // namespace

static std::map<uintptr_t, std::unique_ptr<cell[]>> &pages =
    *new std::map<uintptr_t, std::unique_ptr<cell[]>>; // of 4096 bytes
static std::set<std::pair<int32_t, int32_t>> &complained =
    *new std::set<std::pair<int32_t, int32_t>>;
static unsigned block_epoch, first_epoch; // now, and when the block began
static unsigned warp_epochs[MAX_THREADS / 32];
static bool has_barriers;
static clocks &now_of = *new clocks;
static std::vector<clocks> &known = *new std::vector<clocks>; // by each thread
static std::map<std::pair<const char *, unsigned>, clocks> &arrived =
    *new std::map<std::pair<const char *, unsigned>, clocks>; // at a barrier, in a phase

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

// Does a barrier separate the earlier use from the thread's current access?
static bool is_ordered(const use &earlier, unsigned thread)
{
    return earlier.block_epoch != block_epoch || earlier.thread == thread ||
           (earlier.thread / 32 == thread / 32 && earlier.warp_epoch != warp_epochs[thread / 32]) ||
           (has_barriers && known[thread][earlier.thread] > earlier.clock);
}

static const char unwritten_read[] = "reads shared memory that no thread of its block has written";

bool is_unwritten_read(const std::string &complaint)
{
    return complaint.find(unwritten_read) != std::string::npos;
}

// Reports each pair of instructions once, not for every thread.
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
    complaints.push_back(text);
}

static void check_load(unsigned thread, const event &event, cell &cell, const use &now)
{
    if (cell.writer.block_epoch < first_epoch)
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
    const use now = {block_epoch, warp_epochs[thread / 32], thread, event.pc,
                     has_barriers ? now_of[thread] : 0};
    const std::size_t before = complaints.size();

    // At most one complaint for an access.
    for (unsigned i = 0; i < event.bytes && complaints.size() == before; i++) {
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

void races_start()
{
    complaints.clear();
    complained.clear();
}

void races_begin_block(unsigned threads)
{
    first_epoch = ++block_epoch;
    has_barriers = false;
    now_of.assign(threads, 0);
    arrived.clear();
}

void races_use_barriers()
{
    if (!has_barriers)
        known.assign(now_of.size(), clocks(now_of.size(), 0));
    has_barriers = true;
}

static void learn(clocks &of, const clocks &more)
{
    of.resize(more.size());
    for (std::size_t i = 0; i < more.size(); i++)
        of[i] = std::max(of[i], more[i]);
}

// All accesses of the threads so far are before those to come.
void races_meet(const std::vector<unsigned> &threads)
{
    clocks all(now_of.size());

    if (!has_barriers)
        return;
    for (const unsigned thread : threads) {
        known[thread][thread] = ++now_of[thread];
        learn(all, known[thread]);
    }
    for (const unsigned thread : threads)
        known[thread] = all;
}

void races_synchronize(unsigned thread, const event &event)
{
    const auto [here, is_new] = arrived.insert({{event.address, event.bytes}, {}});

    if (is_new && event.bytes > 0) // who has passed this phase, has passed those before
        here->second = arrived[{event.address, event.bytes - 1u}];
    if (event.kind == event_kind::arrival) {
        known[thread][thread] = ++now_of[thread];
        learn(here->second, known[thread]);
    } else {
        learn(known[thread], here->second);
    }
}

void races_block_meets()
{
    block_epoch++;
}

void races_lanes_meet(unsigned warp, unsigned lanes)
{
    std::vector<unsigned> threads;

    warp_epochs[warp]++;
    for (unsigned lane = 0; has_barriers && lane < 32; lane++)
        if ((lanes >> lane & 1) != 0)
            threads.push_back(warp * 32 + lane);
    races_meet(threads);
}

const std::vector<std::string> &trace_complaints()
{
    return complaints;
}

} // namespace emulated
