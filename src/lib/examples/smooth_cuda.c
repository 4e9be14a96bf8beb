/* SPDX-License-Identifier: MIT */
/* Does what smooth.c does, in the memory of a GPU, on a stream. With a library that was built with
 * CUDA:
 *
 *     nvcc smooth_cuda.c -o smooth_cuda $(pkg-config --cflags --libs smoothimg) && ./smooth_cuda */
#include <cuda_runtime_api.h>
#include <smoothimg.h>
#include <stdio.h>

int main(void)
{
    static uint8_t samples[5][9];
    const int64_t shape[] = {5, 9};
    const struct smoothimg_axis axes[] = {{.sigma = 1.5}, {.sigma = 1.5}};
    const struct smoothimg_filter_options options = {.axes = 2, .axis = axes};
    struct smoothimg_array src = {.axes = 2, .shape = shape, .memory = SMOOTHIMG_CUDA};
    struct smoothimg_array dst = src;
    struct smoothimg_context *context;
    struct smoothimg_filter *filter = NULL;
    cudaStream_t stream = NULL;
    enum smoothimg_status status = smoothimg_open(1, &context);

    samples[2][4] = 255;
    if (status == SMOOTHIMG_OK)
        status = smoothimg_use_device(context, 0);
    if (status == SMOOTHIMG_OK)
        status = smoothimg_filter_create(context, &options, &filter);
    /* Allocates and waits here, so that smoothimg_filter does neither. */
    if (status == SMOOTHIMG_OK)
        status = smoothimg_reserve(context, filter, &src, &dst);
    if (status == SMOOTHIMG_OK && (cudaStreamCreate(&stream) != cudaSuccess ||
                                   cudaMalloc(&src.data, sizeof samples) != cudaSuccess ||
                                   cudaMalloc(&dst.data, sizeof samples) != cudaSuccess))
        status = SMOOTHIMG_NO_MEMORY;
    if (status == SMOOTHIMG_OK) {
        cudaMemcpyAsync(src.data, samples, sizeof samples, cudaMemcpyHostToDevice, stream);
        status = smoothimg_filter(context, filter, &src, &dst, NULL, stream);
        cudaMemcpyAsync(samples, dst.data, sizeof samples, cudaMemcpyDeviceToHost, stream);
        if (cudaStreamSynchronize(stream) != cudaSuccess && status == SMOOTHIMG_OK)
            status = SMOOTHIMG_FAILED;
    }
    if (status != SMOOTHIMG_OK)
        fprintf(stderr, "smooth_cuda: status %d: %s\n", (int)status,
                context ? smoothimg_message(context) : "no memory");
    for (int y = 0; status == SMOOTHIMG_OK && y < 5; y++)
        for (int x = 0; x < 9; x++)
            printf("%3d%s", samples[y][x], x < 8 ? " " : "\n");
    smoothimg_filter_free(filter);
    smoothimg_close(context);
    cudaFree(src.data);
    cudaFree(dst.data);
    if (stream)
        cudaStreamDestroy(stream);
    return status != SMOOTHIMG_OK;
}
