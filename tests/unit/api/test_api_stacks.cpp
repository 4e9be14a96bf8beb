// SPDX-License-Identifier: MIT
// Stacks: many images in one call, in a device's memory, as parts with all that the filter reaches
// beside them, and as wholes.
// Each result is the one that the host gives for its image alone, nothing else is written, and as
// few kernels are launched as smoothimg(3) says. The latter is checked on the emulated device.
#include "tests/unit/api/samples.h"

#include <cuda_runtime.h>
#ifdef EMULATED
#include "src/emulator/emulated.h"
#endif

#include <algorithm>
#include <set>
#include <vector>

namespace
{

smoothimg_context *context;

// A stack on the host, and the same bytes on the device.
struct twin {
    stack host, device;
    void *memory = nullptr; // on the device

    // gap: samples after each row, and between images. Poisoned.
    twin(stack like, int64_t gap)
    {
        host = device = stack_make(like, gaps{0, gap, gap, gap});
        NEED(cudaMalloc(&memory, host.size) == cudaSuccess);
        device.memory = SMOOTHIMG_CUDA;
        device.data =
            static_cast<char *>(memory) + (static_cast<unsigned char *>(host.data) - host.bytes);
    }
    ~twin()
    {
        cudaFree(memory);
        stack_drop(&host);
    }
    twin(const twin &) = delete;
    twin &operator=(const twin &) = delete;

    void upload() const
    {
        NEED(cudaMemcpy(memory, host.bytes, host.size, cudaMemcpyHostToDevice) == cudaSuccess);
    }
    // The first byte on the device that differs; all of them: none does.
    size_t differing() const
    {
        std::vector<unsigned char> there(host.size);
        size_t at = 0;

        NEED(cudaMemcpy(there.data(), memory, host.size, cudaMemcpyDeviceToHost) == cudaSuccess);
        while (at < host.size && there[at] == host.bytes[at])
            at++;
        return at;
    }
};

// The right result, into dst on the host: image by image.
void compute_alone(smoothimg_op op, const struct smoothimg_filter *filter, stack src, stack dst)
{
    const int64_t count = src.count;

    for (src.count = dst.count = 1; src.count <= count; src.count++) {
        stack one = src, result = dst;

        one.count = result.count = 1;
        one.border = 0; // the host fills one of its own
        CHECK(call(context, op, filter, &one, &result) == SMOOTHIMG_OK, "%s",
              smoothimg_message(context));
        src.data = static_cast<char *>(src.data) + src.stride;
        dst.data = static_cast<char *>(dst.data) + dst.stride;
    }
}

// Returns how many kernels were launched, 0 on a real GPU.
int check(smoothimg_op op, const smooth &how, stack like)
{
    const twin plain(result_of(SMOOTHIMG_SMOOTH, like), 0), src(like, draw(9)),
        dst(result_of(op, like), draw(9));
    struct smoothimg_filter *filter = filter_make(context, how);
    int launches = 0;

    fill(&plain.host);
    stack_copy(&plain.host, &src.host, how.edge);
    src.upload(), dst.upload();
    compute_alone(op, filter, src.host, dst.host);
#ifdef EMULATED
    emulated::take_launches();
#endif
    CHECK(call(context, op, filter, &src.device, &dst.device) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    const size_t at = dst.differing();
#ifdef EMULATED
    launches = (int)emulated::take_launches().size();
#endif
    CHECK(at == dst.host.size,
          "operation %d: %d of %d x %d, %d channels, type %d, border %d, radii %d,%d, edge %d: "
          "byte %d of %d differs, in images %d bytes apart",
          (int)op, (int)like.count, (int)like.width, (int)like.height, (int)like.channels,
          (int)like.type, (int)like.border, (int)how.x.radius, (int)how.y.radius, (int)how.edge,
          (int)at, (int)dst.host.size, (int)dst.host.stride);
    smoothimg_filter_free(filter);
    return launches;
}

stack any_stack(int64_t count, int64_t most)
{
    stack image = {};

    image.type = (enum smoothimg_type)draw(3);
    image.width = 1 + draw(most);
    image.height = 1 + draw(most);
    image.count = count;
    image.channels = 1 + (int32_t)draw(5);
    image.maxval = image.type == SMOOTHIMG_F32 ? 0 : image.type == SMOOTHIMG_U8 ? 255 : 4095;
    return image;
}

stack stack_of(int64_t count, int64_t width, int64_t height)
{
    stack image = any_stack(count, 1);

    image.type = (enum smoothimg_type)draw(2); // which kernels of small images take
    image.maxval = image.type == SMOOTHIMG_U8 ? 255 : 4095;
    image.width = width;
    image.height = height;
    image.channels = 1;
    return image;
}

void check_launches(const char *what, int launches, int most)
{
#ifdef EMULATED
    CHECK(launches <= most, "%s: %d kernels instead of %d", what, launches, most);
#else
    (void)what, (void)launches, (void)most;
#endif
}

// More than a grid holds: they share few launches all the same.
void check_many()
{
    stack like = stack_of(70000, 2, 3);

    for (like.border = 0; like.border < 2; like.border++)
        check_launches("very many", check(SMOOTHIMG_SMOOTH, smooth_of(1, 1, SMOOTHIMG_WRAP), like),
                       2);
}

// So small that they share one.
void check_few()
{
    stack like = stack_of(7, 120, 90);

    for (like.border = 0; like.border < 8; like.border += 4)
        check_launches("seven", check(SMOOTHIMG_SMOOTH, smooth_of(4, 4, SMOOTHIMG_CONSTANT), like),
                       1);
}

size_t free_memory()
{
    size_t free = 0, total = 0;

    NEED(cudaMemGetInfo(&free, &total) == cudaSuccess);
    return free;
}

// What is reserved for a stack is enough for fewer images, and for such with borders or without.
void check_reserve(stack like, int64_t radius)
{
    smoothimg_context *own;
    struct smoothimg_filter *filter;

    like.border = radius; // also the room for it
    twin src(like, 0), dst(like, 0);
    NEED(smoothimg_open(1, &own) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(own, 0) == SMOOTHIMG_OK);
    filter = filter_make(own, smooth_of(radius, radius, SMOOTHIMG_MIRROR));
    src.device.border = dst.device.border = 0;
    CHECK(reserve(own, filter, &src.device) == SMOOTHIMG_OK, "%s", smoothimg_message(own));
    const size_t before = free_memory();
    for (const int64_t count : std::set<int64_t>{1, like.count / 2 + 1, like.count})
        for (const int64_t border : {(int64_t)0, radius}) {
            src.device.count = dst.device.count = count;
            src.device.border = border;
            CHECK(call(own, SMOOTHIMG_SMOOTH, filter, &src.device, &dst.device) == SMOOTHIMG_OK,
                  "%s", smoothimg_message(own));
            CHECK(free_memory() == before, "%d of %d images, border %d: %lld bytes allocated",
                  (int)count, (int)like.count, (int)border,
                  (long long)before - (long long)free_memory());
        }
    smoothimg_filter_free(filter);
    smoothimg_close(own);
}

} // namespace

// quick: doubles are; the number of launches is checked.
int main(int argc, char **argv)
{
    int devices = 0;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return 77; // skipped
    NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
    for (const smoothimg_op op : {SMOOTHIMG_TRANSPOSE, SMOOTHIMG_REVERSE})
        for (const int64_t count : {1, 2, 3, 7})
            check(op, smooth_of(0, 0, SMOOTHIMG_REFLECT), any_stack(count, 70));
    // Around the number of samples up to which one kernel takes all.
    for (const int64_t count : {1, 2, 60})
        check_reserve(count > 2 ? stack_of(count, 120, 100) : stack_of(count, 900, 820), 4);
    if (argc > 1 && strcmp(argv[1], "quick") == 0)
        check_few(), check_many();
    smoothimg_close(context);
    return unit_result();
}
