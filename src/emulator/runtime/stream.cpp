// SPDX-License-Identifier: MIT
// Streams and events. The work in a stream runs only when the host waits for it, makes a call for
// which CUDA waits, such as cudaFree, or appends work that must follow it: a device's default
// stream and its blocking streams wait for each other. So on the emulated device a program that
// reads results without waiting gets wrong ones.
#include "src/emulator/machine.h"

#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>

using namespace emulated;
using timestamp = std::chrono::steady_clock::time_point;

struct CUstream_st {
    int device;
    bool blocking; // synchronises with its device's default stream
    std::deque<std::function<void()>> work;
};

namespace
{

struct record { // one cudaEventRecord
    int device; // of the stream, which may be destroyed before the record
    CUstream_st *stream;
    bool done;      // all work before the record in the stream has run
    timestamp time; // when that work ended
};

} // namespace

struct CUevent_st {
    std::shared_ptr<record> last;
};

static lazy<std::map<int, CUstream_st>> default_streams; // one for each device
static lazy<std::set<CUstream_st *>> streams;

static CUstream_st &default_stream()
{
    return default_streams->try_emplace(current_device, CUstream_st{current_device, true, {}})
        .first->second;
}

// Runs the stream's next work. Sets the default floating-point environment meanwhile, since a GPU
// does not depend on the environment (such as the rounding mode) of a host thread.
static void step(CUstream_st &stream)
{
    const std::function<void()> work = std::move(stream.work.front());
    const int before = running_device;
    std::fenv_t waiting;

    stream.work.pop_front();
    running_device = stream.device;
    std::fegetenv(&waiting);
    std::fesetenv(FE_DFL_ENV);
    if (!faulted())
        work();
    std::fesetenv(&waiting);
    running_device = before;
}

static void finish(CUstream_st &stream)
{
    while (!stream.work.empty())
        step(stream);
}

static void finish_blocking()
{
    for (CUstream_st *stream : *streams)
        if (stream->blocking && stream->device == current_device)
            finish(*stream);
}

static CUstream_st &meant(cudaStream_t stream)
{
    return stream == nullptr ? default_stream() : *stream;
}

static bool known(cudaStream_t stream)
{
    return stream == nullptr || streams->contains(stream);
}

// A fault of the device leaves a record undone, also when its stream is destroyed.
static void finish(const record &record)
{
    const bool exists = record.stream == &default_stream() || streams->contains(record.stream);

    while (exists && !record.done && !record.stream->work.empty())
        step(*record.stream);
}

void emulated::finish_all()
{
    finish(default_stream());
    for (CUstream_st *stream : *streams)
        if (stream->device == current_device)
            finish(*stream);
}

void emulated::reset_streams()
{
    default_stream().work.clear();
    for (CUstream_st *stream : *streams)
        if (stream->device == current_device)
            stream->work.clear();
}

cudaError_t emulated::enqueue(cudaStream_t stream, std::function<void()> work)
{
    if (!known(stream) || meant(stream).device != current_device)
        return fail(cudaErrorInvalidResourceHandle);
    if (count_request(current_device) != cudaSuccess)
        return sticky_error();
    if (stream == nullptr)
        finish_blocking();
    else if (stream->blocking)
        finish(default_stream());
    meant(stream).work.push_back(std::move(work));
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    const guard hold(big_lock);

    if (count_request(current_device) != cudaSuccess)
        return sticky_error();
    *stream = new CUstream_st{current_device, (flags & cudaStreamNonBlocking) == 0, {}};
    streams->insert(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    const guard hold(big_lock);

    if (!known(stream))
        return fail(cudaErrorInvalidResourceHandle);
    if (stream == nullptr)
        finish_blocking();
    finish(meant(stream));
    return sticky[meant(stream).device];
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const guard hold(big_lock);

    if (stream == nullptr || !known(stream))
        return fail(cudaErrorInvalidResourceHandle);
    const int device = stream->device;

    finish(*stream);
    streams->erase(stream);
    delete stream;
    return sticky[device];
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    const guard hold(big_lock);

    *status = cudaStreamCaptureStatusNone;
    return known(stream) ? cudaSuccess : fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaDeviceSynchronize(void)
{
    const guard hold(big_lock);

    finish_all();
    return sticky_error();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = new CUevent_st{};
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const guard hold(big_lock);

    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    const guard hold(big_lock);
    const auto made = std::make_shared<record>();

    made->stream = &meant(stream);
    made->device = current_device;
    const cudaError_t error = enqueue(stream, [made] {
        made->done = true;
        made->time = std::chrono::steady_clock::now();
    });

    if (error == cudaSuccess)
        event->last = made;
    return error;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    const guard hold(big_lock);
    const auto awaited = event->last;

    return awaited == nullptr ? cudaSuccess : enqueue(stream, [awaited] { finish(*awaited); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const guard hold(big_lock);

    if (event->last == nullptr)
        return sticky_error();
    finish(*event->last);
    return sticky[event->last->device];
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    const guard hold(big_lock);

    if (start->last == nullptr || end->last == nullptr)
        return fail(cudaErrorInvalidResourceHandle);
    if (!start->last->done || !end->last->done)
        return fail(cudaErrorNotReady);
    *milliseconds =
        std::chrono::duration<float, std::milli>(end->last->time - start->last->time).count();
    return cudaSuccess;
}
