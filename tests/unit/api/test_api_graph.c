/* SPDX-License-Identifier: MIT */
/* Tests smoothimg.h on a GPU: a captured CUDA graph is replayed on new samples, and two contexts
 * work on two streams at once. Each result must equal the result for the same samples in host
 * memory. */
#include "tests/unit/api/samples.h"

#include <cuda_runtime_api.h>

#define REPLAYS 3

static struct smoothimg_context *context;

/* A stack of images on the host, and a stack of the same layout on the device. */
struct twin {
    struct stack host, device;
};

static struct twin make_like(struct stack like)
{
    struct twin twin = {.host = stack_make(like, (struct gaps){0})};

    twin.device = twin.host;
    twin.device.memory = SMOOTHIMG_CUDA;
    NEED(cudaMalloc(&twin.device.data, twin.host.size) == cudaSuccess);
    return twin;
}

static struct twin make(int64_t width, int64_t height, int64_t channels)
{
    return make_like((struct stack){.width = width, .height = height, .channels = channels});
}

static void drop(struct twin *twin)
{
    stack_drop(&twin->host);
    cudaFree(twin->device.data);
}

/* Draws new samples on the host, and copies them to the device. */
static void renew(const struct twin *twin)
{
    fill(&twin->host);
    NEED(cudaMemcpy(twin->device.data, twin->host.bytes, twin->host.size, cudaMemcpyHostToDevice) ==
         cudaSuccess);
}

/* Checks that the device's result equals the library's result on the host. */
static void check_result(const struct smoothimg_filter *filter, const struct twin *src,
                         const struct twin *dst, const char *what)
{
    struct stack result = stack_make(dst->host, (struct gaps){0});

    NEED(call(context, SMOOTHIMG_SMOOTH, filter, &src->host, &dst->host) == SMOOTHIMG_OK);
    NEED(cudaMemcpy(result.bytes, dst->device.data, result.size, cudaMemcpyDeviceToHost) ==
         cudaSuccess);
    CHECK(memcmp(result.bytes, dst->host.bytes, (size_t)(result.stride * result.count)) == 0,
          "%s: %d x %d x %d differs", what, (int)src->host.count, (int)src->host.height,
          (int)src->host.width);
    stack_drop(&result);
}

static enum smoothimg_status smooth(struct smoothimg_context *one,
                                    const struct smoothimg_filter *filter, const struct twin *src,
                                    const struct twin *dst, cudaStream_t stream)
{
    return call_on(one, SMOOTHIMG_SMOOTH, filter, &src->device, &dst->device, stream);
}

static struct smoothimg_filter *radius_filter(int64_t radius)
{
    return filter_make(context, smooth_of(radius, radius, SMOOTHIMG_REFLECT));
}

/* Captures a call, the first one after reserve(), as a CUDA graph, and replays the graph. */
static void check_graph_of(struct stack like, struct smooth smooth_by)
{
    struct twin src = make_like(like), dst = make_like(like);
    struct smoothimg_filter *filter = filter_make(context, smooth_by);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;

    NEED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(reserve(context, filter, &src.device) == SMOOTHIMG_OK, "%s", smoothimg_message(context));
    NEED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK(smooth(context, filter, &src, &dst, stream) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    NEED(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    NEED(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
    for (int i = 0; i < REPLAYS; i++) {
        renew(&src);
        NEED(cudaMemset(dst.device.data, 0xa5, dst.host.size) == cudaSuccess);
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

static void check_graph(int64_t width, int64_t height, int32_t channels, int64_t radius)
{
    check_graph_of((struct stack){.width = width, .height = height, .channels = channels},
                   smooth_of(radius, radius, SMOOTHIMG_REFLECT));
}

/* A volume of 16 bits: the engine of arrays computes it. */
static void check_graph_of_volume(int64_t side, int64_t radius)
{
    struct smooth by = smooth_of(radius, radius, SMOOTHIMG_REFLECT);

    by.z.radius = radius;
    check_graph_of(
        (struct stack){
            .width = side, .height = side, .channels = 1, .count = side, .type = SMOOTHIMG_U16},
        by);
}

/* Without reserve() a call would have to allocate, which CUDA forbids during a capture, so the
 * library refuses the call. */
static void check_refused_capture(void)
{
    struct twin src = make(9000, 9000, 1), dst = make(9000, 9000, 1);
    struct smoothimg_filter *filter = radius_filter(100);
    struct smoothimg_context *fresh;
    cudaStream_t stream;
    cudaGraph_t graph;

    NEED(smoothimg_open(1, &fresh) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(fresh, 0) == SMOOTHIMG_OK);
    NEED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    NEED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK(smooth(fresh, filter, &src, &dst, stream) == SMOOTHIMG_INVALID,
          "a capture without memory");
    CHECK(strstr(smoothimg_message(fresh), "smoothimg_reserve"), "%s", smoothimg_message(fresh));
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "the capture goes on");
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    smoothimg_close(fresh);
    smoothimg_filter_free(filter);
    drop(&src), drop(&dst);
}

/* Two streams work at the same time, each with its own context, or both with the same context. */
static void check_streams(bool two_contexts)
{
    struct smoothimg_context *contexts[2] = {context, context};
    struct smoothimg_filter *filter = radius_filter(5);
    struct twin src[2], dst[2];
    cudaStream_t streams[2];

    if (two_contexts) {
        NEED(smoothimg_open(1, &contexts[1]) == SMOOTHIMG_OK);
        NEED(smoothimg_use_device(contexts[1], 0) == SMOOTHIMG_OK);
    }
    for (int i = 0; i < 2; i++) {
        src[i] = make(1920, 1080, 3), dst[i] = make(1920, 1080, 3);
        renew(&src[i]);
        NEED(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking) == cudaSuccess);
    }
    for (int k = 0; k < 50; k++)
        for (int i = 0; i < 2; i++)
            CHECK(smooth(contexts[i], filter, &src[i], &dst[i], streams[i]) == SMOOTHIMG_OK, "%s",
                  smoothimg_message(contexts[i]));
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
        return 77;
    NEED(smoothimg_open(0, &context) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
    /* The first calls of the process: CUDA has not loaded the engine's kernels yet. */
    check_graph_of_volume(40, 2);
    check_graph_of_volume(30, 11);
    check_graph(1920, 1080, 3, 4);
    check_graph(8192, 4096, 1, 4);
    check_graph(777, 333, 1, 2);
    check_graph(600, 500, 1, 40);
    check_refused_capture();
    check_streams(true);
    check_streams(false);
    smoothimg_close(context);
    return unit_result();
}
