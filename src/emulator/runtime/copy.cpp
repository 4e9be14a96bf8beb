// SPDX-License-Identifier: MIT
// Copies and fills memory. Checks source and destination when the host requests the copy: the bytes
// on the device must be within one allocation, and a pointer to host memory must not point to
// device memory.
#include "src/emulator/machine.h"

#include <cstring>

using namespace emulated;

namespace
{

constexpr std::size_t MAX_PITCH = ((std::size_t)1 << 31) - 1; // of every GPU so far

struct plane {
    char *start;
    std::size_t pitch, width, height; // pitch and width in bytes, height in rows

    std::size_t bytes() const
    {
        return (height - 1) * pitch + width;
    }
    bool empty() const
    {
        return width == 0 || height == 0;
    }
};

} // namespace

static cudaError_t check(const plane &plane, bool on_device)
{
    if (plane.width > plane.pitch && plane.height > 1)
        return cudaErrorInvalidPitchValue;
    if (plane.start == nullptr)
        return cudaErrorInvalidValue;
    return on_device == in_device_memory(plane.start) &&
                   (!on_device || is_allocated(current_device, plane.start, plane.bytes()))
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static cudaError_t check_copy(const plane &dst, const plane &src, cudaMemcpyKind kind)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDeviceToDevice)
        return cudaErrorInvalidMemcpyDirection;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const cudaError_t error = check(dst, to_device);

    return error != cudaSuccess ? error : check(src, from_device);
}

static cudaError_t copy(const plane &dst, const plane &src, cudaMemcpyKind kind,
                        cudaStream_t stream)
{
    const guard hold(big_lock);

    if (sticky_error() != cudaSuccess)
        return sticky_error();
    const cudaError_t error = dst.empty() ? cudaSuccess : check_copy(dst, src, kind);

    if (error != cudaSuccess || dst.empty())
        return fail(error);
    return enqueue(stream, [dst, src] {
        memory_open();
        for (std::size_t y = 0; y < dst.height; y++)
            memcpy(dst.start + y * dst.pitch, src.start + y * src.pitch, dst.width);
        memory_close();
    });
}

static cudaError_t fill(const plane &plane, int value, cudaStream_t stream)
{
    const guard hold(big_lock);

    if (sticky_error() != cudaSuccess)
        return sticky_error();
    const cudaError_t error = plane.empty() ? cudaSuccess : check(plane, true);

    if (error != cudaSuccess || plane.empty())
        return fail(error);
    return enqueue(stream, [plane, value] {
        memory_open();
        for (std::size_t y = 0; y < plane.height; y++)
            memset(plane.start + y * plane.pitch, value, plane.width);
        memory_close();
    });
}

static plane row(const void *start, std::size_t bytes)
{
    return {(char *)const_cast<void *>(start), bytes, bytes, 1};
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy(row(dst, bytes), row(src, bytes), kind, stream);
}

cudaError_t cudaMemcpy2DAsync(void *dst, std::size_t dst_pitch, const void *src,
                              std::size_t src_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream)
{
    if (dst_pitch > MAX_PITCH || src_pitch > MAX_PITCH) {
        const guard hold(big_lock);

        return fail(cudaErrorInvalidPitchValue);
    }
    return copy({(char *)dst, dst_pitch, width, height},
                {(char *)const_cast<void *>(src), src_pitch, width, height}, kind, stream);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, std::size_t bytes, cudaStream_t stream)
{
    return fill(row(pointer, bytes), value, stream);
}

// Ends a synchronous call: waits for the default stream, to which the call's work was appended.
static cudaError_t finished(cudaError_t error)
{
    return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
}

cudaError_t cudaMemcpy(void *dst, const void *src, std::size_t bytes, cudaMemcpyKind kind)
{
    return finished(cudaMemcpyAsync(dst, src, bytes, kind, nullptr));
}

cudaError_t cudaMemset(void *pointer, int value, std::size_t bytes)
{
    return finished(cudaMemsetAsync(pointer, value, bytes, nullptr));
}
