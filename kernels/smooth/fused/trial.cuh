/* SPDX-License-Identifier: MIT */
/* What trials of the hardware found, where a kernel rests on what NVIDIA does not promise. */
#ifndef SMOOTHIMG_FUSED_TRIAL_CUH
#define SMOOTHIMG_FUSED_TRIAL_CUH

#include "kernels/common/launch.cuh"

#include <atomic>

#define TRIED_DEVICES 64

/* What a trial says: RIGHT and WRONG of the hardware, and hold for the process. UNTRIED: it could
 * not be held to its end. */
enum trial_result : unsigned char { UNTRIED, RIGHT, WRONG };

/* By device. Two threads may both run a trial; their results are equal. */
struct trials {
    std::atomic<trial_result> results[TRIED_DEVICES];
};

/* While it lives the thread may allocate and wait on streams of its own, whatever streams are being
 * captured, its own among them: CUDA else ends their captures. */
class beside_captures
{
  public:
    beside_captures()
    {
        cudaThreadExchangeStreamCaptureMode(&mode);
    }
    ~beside_captures()
    {
        cudaThreadExchangeStreamCaptureMode(&mode);
    }

  private:
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; /* then the thread's */
};

/* Whether the current device passed. Calls trial(), which returns a trial_result, until the process
 * knows it of the device. What fails in a trial is no failure of the caller's. */
template <class Trial> static bool passes(trials &known, Trial trial)
{
    int device = 0;

    cudaGetDevice(&device);
    if (device >= TRIED_DEVICES)
        return false;
    if (known.results[device] == UNTRIED) {
        const trial_result result = trial();

        if (result == UNTRIED)
            cudaGetLastError();
        else
            known.results[device] = result;
    }
    return known.results[device] == RIGHT;
}

#endif
