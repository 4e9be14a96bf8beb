/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

/* Ends the program if a call of CUDA has failed. */
static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

static void *new_memory(size_t bytes)
{
    void *memory;

    check(cudaMalloc(&memory, bytes));
    return memory;
}

/* Returns a request: source and result are new images on the device; it has no filter yet. */
static struct request new_request(int64_t width, int64_t height)
{
    const bool turned = OP == OP_TRANSPOSE;
    const int64_t columns = turned ? height : width, rows = turned ? width : height;
    struct request request = {};

    request.src = {new_memory(width * height), width, height, width, 1, 1};
    request.dst = {new_memory(width * height), columns, rows, columns, 1, 1};
    request.maxval = 255;
    return request;
}

/* Runs the engine twice, and returns the milliseconds of the second run. */
static float run_twice(const struct piece *piece)
{
    float milliseconds = 0;
    cudaEvent_t before, after;

    check(cudaEventCreate(&before));
    check(cudaEventCreate(&after));
    for (int i = 0; i < 2; i++) {
        check(cudaEventRecord(before, 0));
        if (const char *failure = engine.run(piece)) {
            fprintf(stderr, "%s\n", failure);
            exit(1);
        }
        check(cudaEventRecord(after, 0));
        check(cudaEventSynchronize(after));
    }
    check(cudaEventElapsedTime(&milliseconds, before, after));
    return milliseconds;
}

/* Compares all rows of the result, or 150 to 300 of them if it has 300 rows or more. Returns the
 * number of wrong samples. */
static int wrong_samples(const struct request *request, const std::vector<unsigned char> &src,
                         const std::vector<unsigned char> &dst)
{
    const int64_t width = request->dst.width, height = request->dst.height;
    int wrong = 0;

    for (int64_t y = 0; y < height; y += 1 + height / 300)
        for (int64_t x = 0; x < width; x++) {
            const unsigned right = expected(request, src.data(), x, y), got = dst[y * width + x];

            if (got != right && wrong++ == 0)
                printf("sample (%lld, %lld) is %u, not %u\n", (long long)x, (long long)y, got,
                       right);
        }
    return wrong;
}

static void print_time(float milliseconds)
{
#ifdef __CUDACC__ /* on the emulated device times mean nothing */
    printf(", %.3f ms", milliseconds);
#endif
    printf("\n");
}

/* Returns the number in `text`, or -1 if the text is no number in min..max. */
static int64_t argument(const char *text, int64_t min, int64_t max)
{
    char *end;
    const long long value = strtoll(text, &end, 10);

    return end != text && *end == '\0' && value >= min && value <= max ? value : -1;
}

int main(int argc, char **argv)
{
    const int64_t width = argc > 1 ? argument(argv[1], 1, 65536) : 301,
                  height = argc > 2 ? argument(argv[2], 1, 65536) : 203,
                  halo = argc > 3 ? argument(argv[3], 0, MAX_HALO) : 4;
    if (argc == 2 || argc > 4 || width < 0 || height < 0 || halo < 0) {
        fprintf(stderr, "usage: %s [WIDTH HEIGHT [HALO]]\nsides 1 to 65536, halo 0 to %d\n",
                argv[0], MAX_HALO);
        return 2;
    }
    std::vector<unsigned char> src(width * height), dst(width * height);
    struct request request = new_request(width, height);
    struct piece piece = {};

    for (size_t i = 0; i < src.size(); i++)
        src[i] = (unsigned char)(i * 2654435761u >> 24); /* noise */
    set_filter(&request, halo);
    piece.request = &request;
    piece.src = request.src;
    piece.dst = request.dst;
    if (engine.scratch_bytes)
        piece.scratch = new_memory(engine.scratch_bytes(&request, nullptr));
    check(cudaMemcpy(request.src.origin, src.data(), src.size(), cudaMemcpyHostToDevice));
    check(cudaMemset(request.dst.origin, 0xa5, dst.size()));

    const float milliseconds = run_twice(&piece);

    check(cudaMemcpy(dst.data(), request.dst.origin, dst.size(), cudaMemcpyDeviceToHost));
    const int wrong = wrong_samples(&request, src, dst);
    printf("%s, %lld x %lld: %d samples wrong", engine.name, (long long)width, (long long)height,
           wrong);
    print_time(milliseconds);
    return wrong > 0;
}
