/* SPDX-License-Identifier: MIT */
/* The trial of fused_fp16. The bound in fp16/bound.cuh assumes a model of the hardware that NVIDIA
 * does not promise. So, before a process relies on a shape of the kernel (struct fp16_shape), it
 * smooths a small image of noise with that shape, and compares every sample with the result of
 * fused_int8, whose sums are exact on every GPU. The process keeps the result for each device and
 * shape. If two threads try a shape at the same time, they find the same result. */
#ifndef SMOOTHIMG_FUSED_FP16_TRIAL_CUH
#define SMOOTHIMG_FUSED_FP16_TRIAL_CUH

#include "kernels/smooth/fused/fp16/launch.cuh"

#include <atomic>
#include <stdlib.h>
#include <string.h>

#define TRIED_DEVICES 64 /* devices whose results are kept; fused_fp16 runs on no others */
#define TRIAL_WIDTH 288  /* samples: two thread blocks side by side */
#define TRIAL_HEIGHT 96
#define TRIAL_STRIDE 448 /* bytes */
#define TRIAL_BEFORE 64  /* bytes of a row before its first sample: 16 pixels of four bytes */
#define TRIAL_BYTES (TRIAL_STRIDE * (TRIAL_HEIGHT + 2 * FP16_MAX_HALO))

/* RIGHT and WRONG are facts about the hardware, final for the process. UNTRIED: the trial has not
 * been completed. */
enum trial_result : unsigned char { UNTRIED, RIGHT, WRONG };

/* The image of the trial and both results. The host has a copy of the GPU's. */
struct trial_memory {
    uint8_t src[TRIAL_BYTES], by_fp16[TRIAL_BYTES], by_int8[TRIAL_BYTES];
    uint8_t scratch[64]; /* scratch of fused_fp16; the trial has few thread blocks */
};

static_assert(TRIAL_BYTES % 256 == 0, "as cudaMalloc() aligns src, so are the other members");

static inline struct request trial_of(const struct request *request, trial_memory *memory)
{
    const int64_t halo = request->halo;
    const int channels = request->src.channels;
    struct request trial = *request;
    uint8_t *first = memory->src + halo * TRIAL_STRIDE + TRIAL_BEFORE;

    trial.src = {first, TRIAL_WIDTH / channels, TRIAL_HEIGHT, TRIAL_STRIDE, channels, 1};
    trial.dst = trial.src;
    trial.dst.origin = memory->by_fp16;
    trial.beside = {halo, halo, halo, halo};
    return trial;
}

/* Fills the image with noise, a hash of each byte's index. In every fourth block of 16 bytes each
 * byte is 0 or maxval. */
static inline void fill_trial(trial_memory *memory, uint32_t maxval)
{
    for (uint32_t i = 0; i < TRIAL_BYTES; i++) {
        uint32_t bits = (i + 1) * 2654435761u;

        bits ^= bits >> 15;
        bits *= 0x2c1b3c6du;
        bits ^= bits >> 13;
        memory->src[i] = (uint8_t)(i / 16 % 4 == 0 ? (bits & 1) * maxval : bits % (maxval + 1));
    }
}

/* Runs the trial in `memory`, which is on the GPU, and on `stream`, which only the trial uses, and
 * waits for the GPU. Returns false if a call failed. host: zeros, which become a copy of
 * `memory`. */
static bool try_fp16(const struct request *asked, const fp16_state &state, trial_memory *memory,
                     cudaStream_t stream, trial_memory *host)
{
    const struct request request = trial_of(asked, memory);
    struct piece trial = {&request,       &state, request.src,     request.dst,
                          request.beside, 1,      memory->scratch, stream};

    fill_trial(host, asked->maxval);
    if (cudaMemcpyAsync(memory, host, sizeof *host, cudaMemcpyHostToDevice, stream) !=
            cudaSuccess ||
        fp16_run(&trial))
        return false;
    trial.dst.origin = memory->by_int8;
    return !launch_int8(&trial, state.dense, NULL, 0) &&
           cudaMemcpyAsync(host, memory, sizeof *host, cudaMemcpyDeviceToHost, stream) ==
               cudaSuccess &&
           cudaStreamSynchronize(stream) == cudaSuccess;
}

static trial_result hold_trial(const struct request *request, const fp16_state &state)
{
    /* In this mode the thread may allocate memory and wait for a stream of its own while other
     * streams are being captured into CUDA graphs. Otherwise CUDA would end the captures. */
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    trial_memory *host = static_cast<trial_memory *>(calloc(1, sizeof *host));
    void *memory = NULL;
    cudaStream_t stream = NULL;

    cudaThreadExchangeStreamCaptureMode(&mode);
    const bool held = host && cudaMalloc(&memory, sizeof(trial_memory)) == cudaSuccess &&
                      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
                      try_fp16(request, state, static_cast<trial_memory *>(memory), stream, host);
    const bool same = held && memcmp(host->by_fp16, host->by_int8, TRIAL_BYTES) == 0;

    if (stream)
        cudaStreamDestroy(stream);
    cudaFree(memory);
    free(host);
    cudaThreadExchangeStreamCaptureMode(&mode); /* restores the thread's mode */
    if (held)
        return same ? RIGHT : WRONG;
    cudaGetLastError(); /* a failure in a trial is not a failure of the caller */
    return UNTRIED;
}

/* True if fused_fp16 passed its trial on this device, in the shape for this request. Runs the trial
 * unless the process knows its result. */
static bool trusted(const struct request *request, const fp16_state &state)
{
    static std::atomic<trial_result> known[TRIED_DEVICES][5][5]; /* [device][kind][class] */
    int device = 0;

    cudaGetDevice(&device);
    if (device >= TRIED_DEVICES)
        return false;
    std::atomic<trial_result> &result =
        known[device][fp16_kind(request)][fp16_class(request->halo)];

    if (result == UNTRIED)
        result = hold_trial(request, state);
    return result == RIGHT;
}

/* Makes the state. Returns NULL, or why the engine refuses the request. */
static const char *fp16_make(const struct request *request, void *memory)
{
    const half_adder adder = half_adder_of(attribute_of_device(cudaDevAttrComputeCapabilityMajor));
    fp16_state *state = static_cast<fp16_state *>(memory);
    const char *refusal = int8_make(request, &state->dense);

    if (refusal)
        return refusal;
    if (!make_fp16_filter(request, adder, &state->filter))
        return "too many samples would be unresolved";
    return trusted(request, *state) ? NULL : "this GPU did not pass its trial";
}

#endif
