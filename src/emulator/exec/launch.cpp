// SPDX-License-Identifier: MIT
// Checks a launch when the host submits it. The kernel runs later.
#include "src/emulator/machine.h"

#include <map>
#include <utility>

namespace emulated
{

// For each device and kernel: how many bytes of dynamic shared memory cudaFuncSetAttribute has
// allowed.
static lazy<std::array<std::map<const void *, std::size_t>, MAX_DEVICES>> allowed;

// How many launches are kept for take_launches().
static constexpr std::size_t MOST_LAUNCHES = 1 << 16;
static lazy<std::vector<launched>> launches;

std::vector<launched> take_launches()
{
    const guard hold(big_lock);

    return std::exchange(*launches, {});
}

static std::size_t static_shared_bytes(const void *kernel)
{
    std::size_t sum = 0;

    for (const range &array : shared_arrays(kernel))
        sum += array.bytes;
    return sum;
}

static bool is_within(const dim3 &size, unsigned x, unsigned y, unsigned z)
{
    return size.x > 0 && size.y > 0 && size.z > 0 && size.x <= x && size.y <= y && size.z <= z;
}

static cudaError_t check(const launch_site &site)
{
    const std::size_t statics = static_shared_bytes(site.kernel);
    const std::size_t whole = statics + site.shared_bytes;
    const auto found = allowed[current_device].find(site.kernel);

    if (!is_within(site.grid, 0x7fffffff, 65535, 65535) || !is_within(site.block, 1024, 1024, 64) ||
        (std::size_t)site.block.x * site.block.y * site.block.z > MAX_THREADS)
        return cudaErrorInvalidConfiguration;
    if (whole > SHARED_BYTES &&
        (statics > SHARED_BYTES || whole > shared_bytes_optin() ||
         found == allowed[current_device].end() || site.shared_bytes > found->second))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

void submit(const char *name, const void *kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
            cudaStream_t stream, std::function<void()> thread)
{
    const guard hold(big_lock);
    const launch_site site = {name, kernel, grid, block, shared_bytes, std::move(thread)};

    if (sticky_error() == cudaSuccess && fail(check(site)) == cudaSuccess) {
        if (launches->size() < MOST_LAUNCHES)
            launches->push_back({name, kernel});
        enqueue(stream, [site] { run_grid(site); });
    }
}

} // namespace emulated

using namespace emulated;

// A multiprocessor always holds 1 block, since blocks run one after another.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int,
                                                          std::size_t)
{
    *blocks = 1;
    return sticky_error();
}

// All attributes are 0. Emulated kernels have no registers. The bytes of their static shared arrays
// are not reported either; smoothimg-bench --occupancy says so to the user.
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *)
{
    *attributes = {};
    return sticky_error();
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    const guard hold(big_lock);

    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        (std::size_t)value + static_shared_bytes(kernel) > shared_bytes_optin())
        return fail(cudaErrorInvalidValue);
    allowed[current_device][kernel] = (std::size_t)value;
    return sticky_error();
}
