// SPDX-License-Identifier: MIT
// Tests stacks, which are many images in one call, in device memory. A call must not need more
// memory than smoothimg_reserve() has reserved. On the emulated device, a call must launch as
// few kernels as smoothimg(3) says, and the kernels must run only when the host waits. tests/random
// compares the samples.
#include "tests/unit/api/samples.h"

#include <cuda_runtime.h>
#ifdef EMULATED
#include "src/emulator/emulated.h"
#endif

#include <set>
#include <string>

namespace
{

smoothimg_context *context;

struct on_device {
    stack images;

    explicit on_device(stack like) : images(stack_complete(like))
    {
        images.memory = SMOOTHIMG_CUDA;
        images.pitch = row_bytes(&images) + 2 * images.border * pixel_size(&images);
        images.stride = images.pitch * (images.height + 2 * images.border);
        NEED(cudaMalloc(&memory, (size_t)(images.stride * images.count)) == cudaSuccess);
        images.data = static_cast<char *>(memory) + border_bytes(&images);
    }
    ~on_device()
    {
        cudaFree(memory);
    }
    on_device(const on_device &) = delete;
    on_device &operator=(const on_device &) = delete;

  private:
    void *memory = nullptr;
};

// Returns the name of each kernel that was launched since the last call of this function, as often
// as it was launched. On a real GPU, returns none.
std::multiset<std::string> launched()
{
    std::multiset<std::string> names;

#ifdef EMULATED
    for (const emulated::launched &one : emulated::take_launches())
        names.insert(one.name);
#endif
    return names;
}

// Smooths a stack. Returns the number of kernel launches, or 0 on a real GPU, where they cannot be
// counted.
int launches_of(const smooth &how, stack like)
{
    const on_device src(like), dst(result_of(SMOOTHIMG_SMOOTH, like));
    struct smoothimg_filter *filter = filter_make(context, how);

    launched();
    CHECK(call(context, SMOOTHIMG_SMOOTH, filter, &src.images, &dst.images) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    NEED(smoothimg_wait(context) == SMOOTHIMG_OK);
    const int launches = (int)launched().size();
    smoothimg_filter_free(filter);
    return launches;
}

// Returns a stack of images of one channel of 8 or 16 bits.
stack stack_of(int64_t count, int64_t width, int64_t height)
{
    stack images = {};

    images.type = (enum smoothimg_type)draw(2);
    images.count = count;
    images.width = width;
    images.height = height;
    images.channels = 1;
    return images;
}

void check_launches(const char *what, int launches, int most)
{
    CHECK(launches <= most, "%s: %d kernels instead of %d", what, launches, most);
}

// 70000 images are more than one grid can compute. They take at most two launches.
void check_many()
{
    stack like = stack_of(70000, 16, 3);

    for (like.border = 0; like.border < 16; like.border += 8)
        check_launches("very many", launches_of(smooth_of(1, 1, SMOOTHIMG_WRAP), like), 2);
}

// Seven images share one launch. Their rows are multiples of 16 bytes apart.
void check_few()
{
    stack like = stack_of(7, 112, 90);

    for (like.border = 0; like.border < 16; like.border += 8)
        check_launches("seven", launches_of(smooth_of(4, 4, SMOOTHIMG_CONSTANT), like), 1);
}

size_t free_memory()
{
    size_t free = 0, total = 0;

    NEED(cudaMemGetInfo(&free, &total) == cudaSuccess);
    return free;
}

// Memory that is reserved for a stack must be enough for fewer images, with or without borders.
// smoothimg_reserve() must already have launched each kernel that a later call launches.
void check_reserve(stack like, int64_t radius)
{
    smoothimg_context *own;
    struct smoothimg_filter *filter;

    like.border = radius; // on_device allocates memory for the border, too
    on_device src(like), dst(like);
    NEED(smoothimg_open(1, &own) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(own, 0) == SMOOTHIMG_OK);
    filter = filter_make(own, smooth_of(radius, radius, SMOOTHIMG_MIRROR));
    src.images.border = dst.images.border = 0;
    launched();
    CHECK(reserve(own, filter, &src.images) == SMOOTHIMG_OK, "%s", smoothimg_message(own));
    const std::multiset<std::string> rehearsed = launched();
    const size_t before = free_memory();
    for (const int64_t count : std::set<int64_t>{1, like.count / 2 + 1, like.count})
        for (const int64_t border : {(int64_t)0, radius}) {
            src.images.count = dst.images.count = count;
            src.images.border = border;
            CHECK(call(own, SMOOTHIMG_SMOOTH, filter, &src.images, &dst.images) == SMOOTHIMG_OK,
                  "%s", smoothimg_message(own));
            CHECK(free_memory() == before, "%d of %d images, border %d: %lld bytes allocated",
                  (int)count, (int)like.count, (int)border,
                  (long long)before - (long long)free_memory());
            NEED(smoothimg_wait(own) == SMOOTHIMG_OK);
            for (const std::string &name : launched())
                CHECK(rehearsed.count(name) > 0, "%s was not rehearsed", name.c_str());
        }
    smoothimg_filter_free(filter);
    smoothimg_close(own);
}

// smoothimg_reserve() launches no kernel for arrays of a type that images do not have, here int16.
// For one image of bytes the function does not know whether the rows of later images will be
// aligned. So it launches one kernel for aligned rows, one for a source that begins anywhere in
// such rows, and four kernels for others: those of the implementation that accepts any array.
void check_reserve_of_arrays()
{
    stack numbers = stack_of(2, 100, 90);
    struct smoothimg_filter *filter = filter_make(context, smooth_of(2, 2, SMOOTHIMG_MIRROR));

    numbers.type = SMOOTHIMG_I16;
    numbers.memory = SMOOTHIMG_CUDA;
    launched();
    CHECK(reserve(context, filter, &numbers) == SMOOTHIMG_OK, "%s", smoothimg_message(context));
    CHECK(launched().empty(), "kernels were launched for int16");
    numbers.type = SMOOTHIMG_U8, numbers.count = 1;
    CHECK(reserve(context, filter, &numbers) == SMOOTHIMG_OK, "%s", smoothimg_message(context));
    check_launches("one image, reserved", (int)launched().size(), 1 + 1 + 4);
    smoothimg_filter_free(filter);
}

#ifdef EMULATED
std::set<const void *> kernels()
{
    std::set<const void *> found;

    for (const emulated::launched &one : emulated::take_launches())
        found.insert(one.kernel);
    return found;
}

// smoothimg_reserve() must already have launched each kernel that this call launches.
void check_rehearsed(smoothimg_op op, const struct smoothimg_filter *filter, const stack &src,
                     const stack &dst, const char *what)
{
    kernels();
    CHECK(reserve(context, filter, &src) == SMOOTHIMG_OK, "%s", smoothimg_message(context));
    const std::set<const void *> rehearsed = kernels();
    CHECK(call(context, op, filter, &src, &dst) == SMOOTHIMG_OK, "%s", smoothimg_message(context));
    NEED(smoothimg_wait(context) == SMOOTHIMG_OK);
    for (const void *kernel : kernels())
        CHECK(rehearsed.count(kernel) > 0, "%s: a kernel was not rehearsed", what);
}

// Rows at odd addresses, and a source that is a part of a larger image.
void check_reserve_of_rows()
{
    stack like = stack_of(1, 101, 60);
    like.type = SMOOTHIMG_U8;
    for (const smoothimg_op op : {SMOOTHIMG_REVERSE, SMOOTHIMG_TRANSPOSE}) {
        const on_device src(like), dst(result_of(op, like));
        check_rehearsed(op, NULL, src.images, dst.images, "moved");
    }
    like.width = 112, like.channels = 3;
    on_device src(like), dst(like);
    struct smoothimg_filter *filter = filter_make(context, smooth_of(1, 1, SMOOTHIMG_MIRROR));
    src.images.width = dst.images.width = 100;
    src.images.data = static_cast<char *>(src.images.data) + 5 * like.channels;
    check_rehearsed(SMOOTHIMG_SMOOTH, filter, src.images, dst.images, "a part");
    smoothimg_filter_free(filter);
}

// The device computes nothing before smoothimg_wait() or smoothimg_close(). The host can read the
// emulated device's memory, but the address sanitizer takes such reads for errors.
__attribute__((no_sanitize("address"))) void check_wait(bool closes)
{
    smoothimg_context *own;
    int wrong = 0;
    stack like = stack_of(1, 70, 50);
    like.type = SMOOTHIMG_U8;
    const on_device src(like), dst(like);
    unsigned char *from = (unsigned char *)src.images.data;
    const volatile unsigned char *to = (const volatile unsigned char *)dst.images.data;

    for (int i = 0; i < 70 * 50; i++)
        from[i] = (unsigned char)(i * i / 5);
    NEED(cudaMemset(dst.images.data, 1, 70 * 50) == cudaSuccess);
    NEED(cudaDeviceSynchronize() == cudaSuccess);
    NEED(smoothimg_open(1, &own) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(own, 0) == SMOOTHIMG_OK);
    NEED(call(own, SMOOTHIMG_REVERSE, NULL, &src.images, &dst.images) == SMOOTHIMG_OK);
    CHECK(to[0] == 1 && to[9] == 1, "done before anything waits");
    if (!closes)
        CHECK(smoothimg_wait(own) == SMOOTHIMG_OK, "%s", smoothimg_message(own));
    else
        smoothimg_close(own);
    for (int i = 0; i < 70 * 50; i++)
        wrong += to[70 * 50 - 1 - i] != (unsigned char)(i * i / 5);
    CHECK(wrong == 0, "%d samples are wrong after the device was waited for", wrong);
    if (!closes)
        smoothimg_close(own);
}
#else
void check_wait(bool) {}
#endif

} // namespace

// The argument `quick`, for devices with fast doubles, adds a stack of very many images.
int main(int argc, char **argv)
{
    int devices = 0;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return 77;
    NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
    for (const int64_t count : {1, 2, 60})
        check_reserve(count > 2 ? stack_of(count, 120, 100) : stack_of(count, 900, 820), 4);
    check_reserve_of_arrays();
#ifdef EMULATED
    check_reserve_of_rows();
#endif
    check_wait(false);
    check_wait(true);
    check_few();
    if (argc > 1 && strcmp(argv[1], "quick") == 0)
        check_many();
    smoothimg_close(context);
    return unit_result();
}
