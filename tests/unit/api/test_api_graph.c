/* SPDX-License-Identifier: MIT */
/* smoothimg.h on a GPU: calls are captured into a graph, which is replayed on new samples; two
 * contexts work on two streams at the same time. Each result is the host's. */
#include "src/lib/smoothimg.h"
#include "tests/unit/unit.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <string.h>

#define REPLAYS 3

static struct smoothimg_context *context;

/* An image on the host, and one of the same layout on the device. */
struct twin {
    struct smoothimg_image host, device;
    size_t bytes;
};

static struct twin make(int64_t width, int64_t height, int32_t channels)
{
    struct twin twin = {.host = {.width = width, .height = height, .channels = channels}};

    twin.bytes = (size_t)(width * height * channels);
    twin.host.data = malloc(twin.bytes);
    NEED(twin.host.data);
    twin.device = twin.host;
    twin.device.memory = SMOOTHIMG_CUDA;
    NEED(cudaMalloc(&twin.device.data, twin.bytes) == cudaSuccess);
    return twin;
}

static void drop(struct twin *twin)
{
    free(twin->host.data);
    cudaFree(twin->device.data);
}

/* New samples on both sides. */
static void fill(const struct twin *twin, uint32_t seed)
{
    unsigned char *samples = twin->host.data;

    for (size_t i = 0; i < twin->bytes; i++) {
        seed = seed * 1664525u + 1013904223u;
        samples[i] = (unsigned char)(seed >> 24);
    }
    NEED(cudaMemcpy(twin->device.data, samples, twin->bytes, cudaMemcpyHostToDevice) ==
         cudaSuccess);
}

/* The host's result of the same call, compared with what the device has. */
static void check_result(const struct smoothimg_filter *filter, const struct twin *src,
                         const struct twin *dst, const char *what)
{
    unsigned char *result = malloc(dst->bytes);

    NEED(result);
    NEED(smoothimg_smooth(context, filter, &src->host, &dst->host, NULL) == SMOOTHIMG_OK);
    NEED(cudaMemcpy(result, dst->device.data, dst->bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(memcmp(result, dst->host.data, dst->bytes) == 0, "%s: %d x %d differs", what,
          (int)src->host.width, (int)src->host.height);
    free(result);
}

static struct smoothimg_filter *make_filter(int64_t halo)
{
    const struct smoothimg_filter_options options = {
        .halo_x = halo, .halo_y = halo, .edge = SMOOTHIMG_REFLECT};
    struct smoothimg_filter *filter;

    NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
    return filter;
}

/* Captured before anything but reserve has run. */
static void check_graph(int64_t width, int64_t height, int32_t channels, int64_t halo)
{
    struct twin src = make(width, height, channels), dst = make(width, height, channels);
    struct smoothimg_filter *filter = make_filter(halo);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;

    NEED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(smoothimg_reserve(context, filter, &src.device) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    NEED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK(smoothimg_smooth(context, filter, &src.device, &dst.device, stream) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    NEED(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    NEED(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
    for (uint32_t i = 0; i < REPLAYS; i++) {
        fill(&src, i);
        NEED(cudaMemset(dst.device.data, 0xa5, dst.bytes) == cudaSuccess);
        NEED(cudaDeviceSynchronize() == cudaSuccess);
        NEED(cudaGraphLaunch(replay, stream) == cudaSuccess);
        NEED(cudaStreamSynchronize(stream) == cudaSuccess);
        check_result(filter, &src, &dst, "replayed");
    }
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    smoothimg_filter_free(filter);
    drop(&src), drop(&dst);
}

/* Without reserve there is no memory to capture with. */
static void check_refused_capture(void)
{
    struct twin src = make(9000, 9000, 1), dst = make(9000, 9000, 1);
    struct smoothimg_filter *filter = make_filter(100);
    struct smoothimg_context *fresh;
    cudaStream_t stream;
    cudaGraph_t graph;

    NEED(smoothimg_open(1, &fresh) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(fresh, 0) == SMOOTHIMG_OK);
    NEED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    NEED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK(smoothimg_smooth(fresh, filter, &src.device, &dst.device, stream) == SMOOTHIMG_INVALID,
          "a capture without memory");
    CHECK(strstr(smoothimg_message(fresh), "smoothimg_reserve"), "%s", smoothimg_message(fresh));
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "the capture goes on");
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    smoothimg_close(fresh);
    smoothimg_filter_free(filter);
    drop(&src), drop(&dst);
}

/* Two contexts on two streams, and one context on both. */
static void check_streams(bool two_contexts)
{
    struct smoothimg_context *contexts[2] = {context, context};
    struct smoothimg_filter *filter = make_filter(5);
    struct twin src[2], dst[2];
    cudaStream_t streams[2];

    if (two_contexts) {
        NEED(smoothimg_open(1, &contexts[1]) == SMOOTHIMG_OK);
        NEED(smoothimg_use_device(contexts[1], 0) == SMOOTHIMG_OK);
    }
    for (int i = 0; i < 2; i++) {
        src[i] = make(1920, 1080, 3), dst[i] = make(1920, 1080, 3);
        fill(&src[i], 7 + (uint32_t)i);
        NEED(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking) == cudaSuccess);
    }
    for (int k = 0; k < 50; k++)
        for (int i = 0; i < 2; i++)
            CHECK(smoothimg_smooth(contexts[i], filter, &src[i].device, &dst[i].device,
                                   streams[i]) == SMOOTHIMG_OK,
                  "%s", smoothimg_message(contexts[i]));
    NEED(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 2; i++) {
        check_result(filter, &src[i], &dst[i], two_contexts ? "two contexts" : "one context");
        cudaStreamDestroy(streams[i]);
        drop(&src[i]), drop(&dst[i]);
    }
    if (two_contexts)
        smoothimg_close(contexts[1]);
    smoothimg_filter_free(filter);
}

int main(void)
{
    int devices = 0;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return 77; /* skipped */
    NEED(smoothimg_open(0, &context) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
    check_graph(1920, 1080, 3, 4);
    check_graph(8192, 4096, 1, 4); /* a frame beside the interior */
    check_graph(777, 333, 1, 2);
    check_graph(600, 500, 1, 40);
    check_refused_capture();
    check_streams(true);
    check_streams(false);
    smoothimg_close(context);
    return unit_result();
}
