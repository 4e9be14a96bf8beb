/* SPDX-License-Identifier: MIT */
/* Results of hardware trials, for kernels that rely on behaviour that NVIDIA does not promise. */
#ifndef SMOOTHIMG_FUSED_TRIAL_CUH
#define SMOOTHIMG_FUSED_TRIAL_CUH

#include "kernels/common/launch.cuh"

#include <atomic>

#define TRIED_DEVICES 64

/* RIGHT and WRONG describe the hardware and are final for the process. UNTRIED: the trial could not
 * be completed. */
enum trial_result : unsigned char { UNTRIED, RIGHT, WRONG };

/* One result for each device. Two threads may both run a trial; their results are equal. */
struct trials {
    std::atomic<trial_result> results[TRIED_DEVICES];
};

/* While this object lives, the thread may allocate memory and wait on streams of its own, even
 * while streams are being captured. CUDA would otherwise end the captures. */
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
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; /* later: the thread's own */
};

/* True if the current device passed. Calls trial(), which returns a trial_result, until the process
 * knows the device's result. A failure in a trial is not a failure of the caller. */
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
