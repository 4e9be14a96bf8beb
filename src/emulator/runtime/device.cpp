// SPDX-License-Identifier: MIT
// The device: its properties and errors.
#include "src/emulator/machine.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace emulated
{

std::recursive_mutex big_lock;

thread_local int current_device;
int running_device;
cudaError_t sticky[MAX_DEVICES];
static long requests[MAX_DEVICES];
static thread_local cudaError_t last;
static lazy<std::string> report;

cudaError_t fail(cudaError_t error)
{
    if (error != cudaSuccess)
        last = error;
    return error;
}

void fault(cudaError_t error, const char *format, ...)
{
    char text[1000];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "emulated device: %s\n", text);
    *report = text;
    sticky[running_device] = error;
}

// Returns the value of an environment variable as a number, or `otherwise` if the variable is not
// set. By such variables, tests set properties of the device and make the device fail.
static int number_from(const char *variable, int otherwise)
{
    const char *text = getenv(variable);

    return text != nullptr ? atoi(text) : otherwise;
}

static int device_count()
{
    const int count = number_from("EMULATED_DEVICES", 1);

    return count < 0 ? 0 : count > MAX_DEVICES ? MAX_DEVICES : count;
}

cudaError_t count_request(int device)
{
    if (number_from("EMULATED_FAILING_DEVICE", -1) == device && sticky[device] == cudaSuccess &&
        ++requests[device] > number_from("EMULATED_FAILS_AFTER", 0))
        sticky[device] = cudaErrorLaunchFailure;
    return sticky[device];
}

int capability()
{
    return number_from("EMULATED_CAPABILITY", 9);
}

static int double_ratio()
{
    return (int)number_from("EMULATED_DOUBLE_RATIO", 2);
}

// Returns the minor compute capability. The device is a GPU of capability 7.5; 8.0, or 8.6 if
// doubles are slow; or 9.0.
static int minor_capability()
{
    return capability() == 7 ? 5 : capability() == 8 && double_ratio() > 2 ? 6 : 0;
}

// Returns the maximum shared memory of a block, by the table of technical specifications in the
// CUDA programming guide.
std::size_t shared_bytes_optin()
{
    const int kilobytes = capability() < 8         ? 64
                          : capability() > 8       ? 227
                          : minor_capability() > 0 ? 99
                                                   : 163;

    return (std::size_t)kilobytes << 10;
}

std::string take_report()
{
    const guard hold(big_lock);
    const std::string text = *report;

    report->clear();
    return text;
}

} // namespace emulated

using namespace emulated;

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction",
     "an illegal instruction was encountered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (const auto &row : errors)
        if (row.error == error)
            return row.name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (const auto &row : errors)
        if (row.error == error)
            return row.text;
    return "unrecognized error code";
}

cudaError_t cudaGetLastError(void)
{
    const guard hold(big_lock);
    const cudaError_t error = sticky_error() != cudaSuccess ? sticky_error() : last;

    last = cudaSuccess;
    return error;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = device_count();
    return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current_device;
    return cudaSuccess;
}

static bool exists(int device)
{
    return device >= 0 && device < device_count();
}

cudaError_t cudaSetDevice(int device)
{
    if (!exists(device))
        return fail(cudaErrorInvalidDevice);
    current_device = device;
    return cudaSuccess;
}

// The device has one multiprocessor, since a single host thread runs the device's work: the thread
// that waits for that work. The multiprocessor has the limits of an H100 or H200.
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    std::size_t free;

    if (!exists(device))
        return fail(cudaErrorInvalidDevice);
    *properties = {};
    strcpy(properties->name, "Emulated device");
    cudaMemGetInfo(&free, &properties->totalGlobalMem);
    properties->sharedMemPerMultiprocessor = 228 << 10;
    properties->reservedSharedMemPerBlock = 1 << 10;
    properties->regsPerMultiprocessor = 65536;
    properties->maxBlocksPerMultiProcessor = 32;
    properties->major = capability();
    properties->minor = minor_capability();
    properties->multiProcessorCount = 1;
    properties->maxThreadsPerMultiProcessor = 2048;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    const struct {
        cudaDeviceAttr attribute;
        int value;
    } known[] = {
        {cudaDevAttrMaxGridDimY, number_from("EMULATED_GRID", 65535)},
        {cudaDevAttrMultiProcessorCount, 1},
        {cudaDevAttrComputeCapabilityMajor, capability()},
        {cudaDevAttrComputeCapabilityMinor, minor_capability()},
        {cudaDevAttrSingleToDoublePrecisionPerfRatio, double_ratio()},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)shared_bytes_optin()},
    };

    if (!exists(device))
        return fail(cudaErrorInvalidDevice);
    for (const auto &row : known)
        if (row.attribute == attribute) {
            *value = row.value;
            return cudaSuccess;
        }
    return fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceReset(void)
{
    const guard hold(big_lock);

    reset_streams();
    reset_memory();
    requests[current_device] = 0;
    sticky[current_device] = last = cudaSuccess;
    return cudaSuccess;
}
