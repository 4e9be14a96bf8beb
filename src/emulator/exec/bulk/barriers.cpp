// SPDX-License-Identifier: MIT
// Barriers in shared memory (mbarrier), which count threads and bytes. A phase of a barrier ends
// when the number of threads given to barrier_init() have arrived, and so have all bytes that
// barrier_expect() announced. A wait names the parity of a phase, and returns when the barrier is
// in a phase of the other parity. The emulated device keeps the state of a barrier in host memory.
// The barrier's 8 bytes in shared memory only hold a mark, by which this file notices if a kernel
// overwrites them.
#include "src/emulator/exec/bulk/barriers.h"
#include "src/emulator/exec/shared.h"
#include "src/emulator/exec/threads.h"

#include <cstring>
#include <map>

namespace emulated
{

namespace
{

struct barrier {
    uint64_t mark;     // what the barrier's 8 bytes in shared memory must hold
    unsigned arrivals; // arrivals that complete a phase
    unsigned missing;  // arrivals that the current phase still waits for
    int64_t bytes;     // bytes that the current phase still waits for
    unsigned phase;    // number of the current phase, from 0
    // maker: the thread that called barrier_init(). made: the value at that time of block_meetings,
    // which counts how often the block's threads have met at a __syncthreads.
    unsigned maker, made;
    // The maker has called barriers_ready() since barrier_init(), so copies may arrive here.
    bool ready;
};

} // namespace

static lazy<std::map<uint32_t, barrier>> barriers;
static constexpr uint64_t MARK = 0x7265697272616200;
static constexpr unsigned MOST_ARRIVALS = (1 << 20) - 1;

static void note_use(note what, uint32_t address, unsigned phase, const void *code)
{
    if (watcher != nullptr)
        watcher->note(what, shared_pointer(address, sizeof(uint64_t), {}), phase, code);
}

#define CALLER __builtin_return_address(0)

void barriers_begin_block()
{
    barriers->clear();
}

static barrier &barrier_at(uint32_t address, place where)
{
    const auto found = barriers->find(address);
    uint64_t mark;

    if (found == barriers->end())
        fault_here(cudaErrorLaunchFailure, where, "no barrier at %#x of shared memory", address);
    barrier &of = found->second;
    memcpy(&mark, shared_pointer(address, sizeof mark, where), sizeof mark);
    if (mark != of.mark)
        fault_here(cudaErrorLaunchFailure, where, "a barrier was overwritten");
    if (of.maker != current_thread() && of.made == block_meetings)
        fault_here(cudaErrorLaunchFailure, where,
                   "a barrier that %s has made, without a __syncthreads since",
                   thread_name(of.maker).c_str());
    return of;
}

static void end_phase_if_complete(barrier &of)
{
    if (of.missing > 0 || of.bytes != 0)
        return;
    of.phase++;
    of.missing = of.arrivals;
}

void barrier_init(uint32_t address, uint32_t arrivals, place where)
{
    need_capability(8, "a barrier in shared memory", where);
    const barrier made = {MARK + address,   arrivals,       arrivals, 0, 0,
                          current_thread(), block_meetings, false};

    if (address % 8 != 0 || arrivals < 1 || arrivals > MOST_ARRIVALS)
        fault_here(cudaErrorLaunchFailure, where, "a barrier at %#x, for %u arrivals", address,
                   arrivals);
    memcpy(shared_pointer(address, sizeof made.mark, where), &made.mark, sizeof made.mark);
    if (!barriers->insert({address, made}).second)
        fault_here(cudaErrorLaunchFailure, where, "a barrier is made again");
}

void barriers_ready(place where)
{
    need_capability(9, "the fence of barriers", where);
    for (auto &[address, of] : *barriers)
        of.ready |= of.maker == current_thread();
}

static void arrive(barrier &of, uint32_t address, place where, const void *code)
{
    note_use(note::arrives, address, of.phase, code);
    if (of.missing == 0)
        fault_here(cudaErrorLaunchFailure, where, "more arrivals at a barrier than its %u",
                   of.arrivals);
    of.missing--;
    end_phase_if_complete(of);
}

void barrier_arrive(uint32_t address, place where)
{
    arrive(barrier_at(address, where), address, where, CALLER);
}

void barrier_expect(uint32_t address, uint32_t bytes, place where)
{
    barrier &of = barrier_at(address, where);

    need_capability(9, "a barrier that counts bytes", where);
    of.bytes += bytes;
    arrive(of, address, where, CALLER);
}

static bool has_passed(const barrier &of, unsigned parity)
{
    return of.phase % 2 != parity;
}

void barrier_wait(uint32_t address, uint32_t parity, place where)
{
    const barrier &of = barrier_at(address, where);

    if (!has_passed(of, parity))
        wait_at_barrier(address, parity, where);
    if (of.phase > 0)
        note_use(note::passes, address, of.phase - 1, CALLER);
}

bool barriers_release()
{
    std::vector<unsigned> passing;

    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i].state == status::at_barrier &&
            has_passed(barriers->at(threads[i].barrier), threads[i].parity)) {
            threads[i].state = status::ready;
            passing.push_back(i);
        }
    if (watcher != nullptr)
        watcher->resume(passing, false);
    return !passing.empty();
}

void barrier_check_for_copy(uint32_t address, place where, const void *code)
{
    const barrier &of = barrier_at(address, where);

    note_use(note::arrives, address, of.phase, code);
    if (!of.ready)
        fault_here(cudaErrorLaunchFailure, where,
                   "a copy's barrier, which no fence has made visible to copies");
}

void barrier_take(uint32_t address, uint32_t bytes)
{
    barrier &of = barriers->at(address);

    of.bytes -= bytes;
    end_phase_if_complete(of);
}

void barrier_check_for_arrival(uint32_t address, place where, const void *code)
{
    note_use(note::arrives, address, barrier_at(address, where).phase, code);
}

void barrier_take_arrival(uint32_t address)
{
    barrier &of = barriers->at(address);

    of.missing--;
    end_phase_if_complete(of);
}

bool is_waited_for(uint32_t address)
{
    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i].state == status::at_barrier && threads[i].barrier == address)
            return true;
    return false;
}

std::string missing_at(uint32_t address)
{
    const barrier &of = barriers->at(address);

    return std::to_string(of.missing) + " arrivals and " + std::to_string(of.bytes) +
           " bytes are missing";
}

bool barriers_end_block()
{
    for (const auto &[address, of] : *barriers)
        if (of.missing != of.arrivals || of.bytes != 0) {
            fault(cudaErrorLaunchFailure,
                  "%s: has ended in a phase of a barrier that has begun: %s",
                  where_running().c_str(), missing_at(address).c_str());
            return false;
        }
    return true;
}

} // namespace emulated
