/* SPDX-License-Identifier: MIT */
/* The trial of fused_fp16. Before a process relies on a shape of the kernel, it smooths a small
 * image of noise and compares every sample with that of doubles (arrays/device/): the bound in
 * fp16/bound.cuh rests on a model of the hardware that NVIDIA does not promise. */
#ifndef SMOOTHIMG_FUSED_FP16_TRIAL_CUH
#define SMOOTHIMG_FUSED_FP16_TRIAL_CUH

#include "kernels/smooth/arrays/device/engine.h"
#include "kernels/smooth/fused/fp16/launch.cuh"
#include "kernels/smooth/fused/trial.cuh"

#include <stdlib.h>

#define TRIAL_WIDTH 288 /* samples: two blocks of columns */
#define TRIAL_HEIGHT 96
#define TRIAL_STRIDE 448 /* bytes */
#define TRIAL_BEFORE 64  /* bytes of a row before its first sample: 16 pixels of four bytes */
#define TRIAL_BYTES (TRIAL_STRIDE * (TRIAL_HEIGHT + 2 * FP16_MAX_HALO))

/* The data of the trial on the GPU. */
struct trial_memory {
    alignas(256) uint8_t src[TRIAL_BYTES], by_fp16[TRIAL_BYTES], by_doubles[TRIAL_BYTES];
    unsigned different;              /* samples */
    alignas(256) uint8_t scratch[1]; /* the trial's piece; longer than declared */
};

/* The request for the trial's image. */
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
    trial.images = 1;
    return trial;
}

/* Noise: a hash of each byte's index. Every fourth block of 16 columns has only black and white. */
static __global__ void fill_trial(trial_memory *memory, uint32_t maxval)
{
    for (uint32_t i = threadIdx.x; i < TRIAL_BYTES; i += blockDim.x) {
        uint32_t bits = (i + 1) * 2654435761u;

        bits ^= bits >> 15;
        bits *= 0x2c1b3c6du;
        bits ^= bits >> 13;
        memory->src[i] = (uint8_t)(i / 16 % 4 == 0 ? (bits & 1) * maxval : bits % (maxval + 1));
    }
    if (threadIdx.x == 0)
        memory->different = 0;
}

/* Counts the samples that differ. width: samples in a row. */
static __global__ void compare_trial(trial_memory *memory, const int width)
{
    for (int i = (int)threadIdx.x; i < width * TRIAL_HEIGHT; i += (int)blockDim.x) {
        const int at = i / width * TRIAL_STRIDE + i % width;

        if (memory->by_fp16[at] != memory->by_doubles[at])
            atomicAdd(&memory->different, 1u);
    }
}

/* fused_int8 computes the dense blocks again, in blocks of the same width. */
static const char *estimate_by_fp16(const struct piece *piece, const fp16_filter &filter,
                                    int8_filter int8)
{
    fp16_scratch *scratch = fp16_scratch_of(piece);
    const int words = (int)(fp16_scratch_bytes(piece->request) / 4);

    LAUNCH(begin_fp16, (unsigned)blocks_for(words, 128), 128, 0, piece->stream, list_of(piece),
           reinterpret_cast<uint32_t *>(scratch), words);
    const char *failure = launch_fp16_shape(piece, filter);

    if (fp16_columns(piece->request) != int8_row_samples(int8.planes))
        lay_out_row(piece->request, fp16_planes(piece->request), &int8);
    return failure ? failure
                   : launch_int8<1>(piece, int8, false, scratch->dense,
                                    fp16_segment_rows(piece->request));
}

/* Runs the trial in memory and on a stream of its own, and waits for the GPU. *different is the
 * number of samples that differ. Returns NULL, or what failed. */
static const char *try_fp16(const struct request *asked, const fp16_filter &filter,
                            const device_state *arrays, trial_memory *memory, cudaStream_t stream,
                            unsigned *different)
{
    const struct request request = trial_of(asked, memory);
    struct piece trial = {&request,       arrays, request.src,     request.dst,
                          request.beside, 1,      memory->scratch, stream};
    int8_filter plan = {};

    if (!lies_for_int8(&request, false) || make_int8_plan(&request, &plan))
        return "the window does not fit";
    LAUNCH(fill_trial, 1, 1024, 0, stream, memory, asked->maxval);
    const char *failure = estimate_by_fp16(&trial, filter, plan);
    if (!failure)
        failure = launch_repair<uint8_t>(&trial);
    trial.dst.origin = memory->by_doubles;
    if (!failure)
        failure = array_device_run(&trial);
    if (failure)
        return failure;
    LAUNCH(compare_trial, 1, 1024, 0, stream, memory, (int)row_samples(trial.dst));
    cudaMemcpyAsync(different, &memory->different, sizeof *different, cudaMemcpyDeviceToHost,
                    stream);
    const cudaError_t error = cudaStreamSynchronize(stream);
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

/* The trial's memory on the GPU, and a plan of arrays for its image. NULL: there is no room. */
static trial_memory *prepare_trial(const struct request *asked, device_state *arrays)
{
    /* its real address will be a multiple of the alignment too */
    const struct request request =
        trial_of(asked, reinterpret_cast<trial_memory *>(alignof(trial_memory)));
    void *memory = NULL;

    if (array_device_make(&request, arrays))
        return NULL;

    const size_t bytes =
        sizeof(trial_memory) + max(fp16_scratch_offset(&request) + fp16_scratch_bytes(&request),
                                   array_device_scratch_bytes(&request, arrays));

    return cudaMalloc(&memory, bytes) == cudaSuccess ? static_cast<trial_memory *>(memory) : NULL;
}

static trial_result hold_trial(const struct request *request, const fp16_filter &filter)
{
    const beside_captures here;
    device_state *const arrays = static_cast<device_state *>(malloc(sizeof *arrays));
    trial_memory *const memory = arrays ? prepare_trial(request, arrays) : NULL;
    trial_result result = UNTRIED;
    cudaStream_t stream = NULL;
    unsigned different = 1;

    if (memory && cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
        !try_fp16(request, filter, arrays, memory, stream, &different))
        result = different == 0 ? RIGHT : WRONG;
    if (stream)
        cudaStreamDestroy(stream);
    cudaFree(memory);
    free(arrays);
    return result;
}

/* True if fused_fp16 passed its trial on this device, in the shape for the halo. The first call of
 * a process for a device and shape runs the trial. */
static bool trusted(const struct request *request, const fp16_filter &filter)
{
    static trials known[FP16_SHAPES];

    return passes(known[fp16_shape_of(request)],
                  [request, &filter] { return hold_trial(request, filter); });
}

#endif
