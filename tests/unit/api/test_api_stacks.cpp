// SPDX-License-Identifier: MIT
// Stacks: many images in one call, in a device's memory, with borders of the caller's and without.
// Each result is the one that the host gives for its image alone, nothing else is written, and as
// few kernels are launched as smoothimg(3) says. The latter is checked on the emulated device.
#include "src/lib/smoothimg.h"

#include "kernels/common/edge.h"
#include "tests/unit/api/samples.h"
#include "tests/unit/unit.h"

#include <cuda_runtime.h>
#ifdef EMULATED
#include "src/emulator/emulated.h"
#endif

#include <cstring>
#include <set>
#include <vector>

namespace
{

constexpr unsigned char POISON = 0xa5;

smoothimg_context *context;

// A stack on the host, and the same bytes on the device.
struct twin {
    smoothimg_image host = {}, device = {};
    std::vector<unsigned char> bytes;
    void *memory = nullptr; // on the device

    // gap: samples after each row, and between images. Poisoned.
    twin(smoothimg_image like, int64_t gap)
    {
        const int64_t sample = sample_bytes(&like);
        const int64_t around = like.border * like.channels * sample;

        like.pitch = like.width * like.channels * sample + 2 * around + gap * sample;
        like.stride = like.pitch * (like.height + 2 * like.border) + gap * sample;
        bytes.assign((size_t)((like.count * like.stride + gap * sample + 15) / 16 * 16), POISON);
        host = device = like;
        host.data = bytes.data() + like.border * like.pitch + around;
        NEED(cudaMalloc(&memory, bytes.size()) == cudaSuccess);
        device.memory = SMOOTHIMG_CUDA;
        device.data = static_cast<char *>(memory) + like.border * like.pitch + around;
    }
    ~twin()
    {
        cudaFree(memory);
    }
    twin(const twin &) = delete;
    twin &operator=(const twin &) = delete;

    void upload() const
    {
        NEED(cudaMemcpy(memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice) == cudaSuccess);
    }
    // The first byte on the device that differs; all of them: none does.
    size_t differing() const
    {
        std::vector<unsigned char> there(bytes.size());
        size_t at = 0;

        NEED(cudaMemcpy(there.data(), memory, bytes.size(), cudaMemcpyDeviceToHost) == cudaSuccess);
        while (at < bytes.size() && there[at] == bytes[at])
            at++;
        return at;
    }
};

// Fills the border of each image.
void fill_borders(const smoothimg_image &image, enum edge edge)
{
    const int64_t pixel = image.channels * sample_bytes(&image), border = image.border;

    for (int64_t i = 0; i < image.count; i++)
        for (int64_t y = -border; y < image.height + border; y++)
            for (int64_t x = -border; x < image.width + border; x++) {
                const int64_t from_y = edge_index(edge, y, image.height);
                const int64_t from_x = edge_index(edge, x, image.width);
                unsigned char *to = row_of(&image, i, 0) + y * image.pitch + x * pixel;

                if (from_x < 0 || from_y < 0)
                    memset(to, 0, (size_t)pixel);
                else
                    memmove(to, row_of(&image, i, from_y) + from_x * pixel, (size_t)pixel);
            }
}

// The right result, into dst on the host: image by image.
void compute_alone(smoothimg_op op, const smoothimg_filter *filter, smoothimg_image src,
                   smoothimg_image dst)
{
    const int64_t count = src.count;

    for (src.count = dst.count = 1; src.count <= count; src.count++) {
        smoothimg_image one = src, result = dst;

        one.count = 1;
        one.border = 0; // the host fills one of its own
        CHECK(call(context, op, filter, &one, &result) == SMOOTHIMG_OK, "%s",
              smoothimg_message(context));
        src.data = static_cast<char *>(src.data) + src.stride;
        dst.data = static_cast<char *>(dst.data) + dst.stride;
    }
}

// Returns how many kernels were launched, 0 on a real GPU.
int check(smoothimg_op op, const smoothimg_filter_options &options, smoothimg_image like,
          const char *variant)
{
    twin src(like, draw(9));
    smoothimg_image wanted = like;
    smoothimg_filter *filter;
    int launches = 0;

    wanted.border = 0;
    if (op == SMOOTHIMG_TRANSPOSE)
        wanted.width = like.height, wanted.height = like.width;
    twin dst(wanted, draw(9));
    fill(&src.host);
    fill_borders(src.host, (enum edge)options.edge);
    src.upload(), dst.upload();
    NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
    compute_alone(op, filter, src.host, dst.host);
    NEED(smoothimg_choose(context, variant) == SMOOTHIMG_OK);
#ifdef EMULATED
    emulated::take_launches();
#endif
    CHECK(call(context, op, filter, &src.device, &dst.device) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    const size_t at = dst.differing();
#ifdef EMULATED
    launches = (int)emulated::take_launches().size();
#endif
    CHECK(at == dst.bytes.size(),
          "operation %d, %s: %d of %d x %d, %d channels, type %d, border %d, halo %d,%d, edge %d: "
          "byte %d of %d differs, in images %d bytes apart",
          (int)op, variant ? variant : "fastest", (int)like.count, (int)like.width,
          (int)like.height, (int)like.channels, (int)like.type, (int)like.border,
          (int)options.halo_x, (int)options.halo_y, (int)options.edge, (int)at,
          (int)dst.bytes.size(), (int)dst.host.stride);
    smoothimg_filter_free(filter);
    NEED(smoothimg_choose(context, nullptr) == SMOOTHIMG_OK);
    return launches;
}

smoothimg_image any_stack(int64_t count, int64_t most)
{
    smoothimg_image image = {};

    image.type = (enum smoothimg_type)draw(3);
    image.width = 1 + draw(most);
    image.height = 1 + draw(most);
    image.count = count;
    image.channels = 1 + (int32_t)draw(5);
    image.maxval = image.type == SMOOTHIMG_F32 ? 0 : image.type == SMOOTHIMG_U8 ? 255 : 4095;
    return image;
}

smoothimg_filter_options filter_of(int64_t halo_x, int64_t halo_y, int edge)
{
    smoothimg_filter_options options = {};

    options.halo_x = halo_x;
    options.halo_y = halo_y;
    options.edge = (enum smoothimg_edge)edge;
    return options;
}

// All counts and edge rules, with borders and without: of a variant by name, which is slow here,
// one or the other.
void check_counts(const char *variant, int64_t most, int64_t halo)
{
    for (const int64_t count : {1, 2, 3, 7})
        for (int edge = 0; edge < 5; edge++)
            for (int turn = variant ? 1 : 0; turn < 2; turn++) {
                const bool bordered = (count + edge + turn) % 2 == 0;
                smoothimg_filter_options options = filter_of(draw(halo), draw(halo), edge);
                smoothimg_image like = any_stack(count, most);

                while (like.type == SMOOTHIMG_F32 && variant && strcmp(variant, "fused") != 0)
                    like = any_stack(count, most);
                options.alpha_weighted =
                    like.channels > 1 && like.type != SMOOTHIMG_F32 && draw(4) == 0;
                options.skip_nan = draw(2) == 0;
                if (bordered)
                    like.border =
                        (options.halo_x > options.halo_y ? options.halo_x : options.halo_y) +
                        draw(3);
                check(SMOOTHIMG_SMOOTH, options, like, variant);
            }
}

smoothimg_image stack_of(int64_t count, int64_t width, int64_t height)
{
    smoothimg_image image = any_stack(count, 1);

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

// So many that they share few launches only on sheets: some for the copies, some to smooth.
void check_many()
{
    smoothimg_image like = stack_of(70000, 2, 3);

    for (like.border = 0; like.border < 2; like.border++)
        check_launches("very many",
                       check(SMOOTHIMG_SMOOTH, filter_of(1, 1, SMOOTHIMG_WRAP), like, nullptr), 6);
}

// So few samples that they share one.
void check_few()
{
    smoothimg_image like = stack_of(7, 120, 90);

    for (like.border = 0; like.border < 8; like.border += 4)
        check_launches("seven",
                       check(SMOOTHIMG_SMOOTH, filter_of(4, 4, SMOOTHIMG_ZERO), like, nullptr), 1);
}

size_t free_memory()
{
    size_t free = 0, total = 0;

    NEED(cudaMemGetInfo(&free, &total) == cudaSuccess);
    return free;
}

// What is reserved for a stack is enough for fewer images, and for such with borders or without.
void check_reserve(smoothimg_image like, int64_t halo)
{
    const smoothimg_filter_options options = filter_of(halo, halo, SMOOTHIMG_MIRROR);
    smoothimg_context *own;
    smoothimg_filter *filter;

    like.border = halo; // also the room for it
    twin src(like, 0), dst(like, 0);
    NEED(smoothimg_open(1, &own) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(own, 0) == SMOOTHIMG_OK);
    NEED(smoothimg_filter_create(own, &options, &filter) == SMOOTHIMG_OK);
    src.device.border = 0;
    CHECK(smoothimg_reserve(own, filter, &src.device) == SMOOTHIMG_OK, "%s",
          smoothimg_message(own));
    const size_t before = free_memory();
    for (const int64_t count : std::set<int64_t>{1, like.count / 2 + 1, like.count})
        for (const int64_t border : {(int64_t)0, halo}) {
            src.device.count = dst.device.count = count;
            src.device.border = border;
            CHECK(smoothimg_smooth(own, filter, &src.device, &dst.device, nullptr) == SMOOTHIMG_OK,
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
    check_counts(nullptr, 100, 14);
    check_counts(nullptr, 9, 40); // the rules repeat, and reach beyond the next image
    for (int i = 0; smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_CUDA, i); i++)
        check_counts(smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_CUDA, i), 20, 5);
    for (const smoothimg_op op : {SMOOTHIMG_TRANSPOSE, SMOOTHIMG_REVERSE})
        for (const int64_t count : {1, 2, 3, 7})
            check(op, filter_of(0, 0, 0), any_stack(count, 70), nullptr);
    // Around the number of samples up to which one kernel takes all.
    for (const int64_t count : {1, 2, 60})
        check_reserve(count > 2 ? stack_of(count, 120, 100) : stack_of(count, 900, 820), 4);
    if (argc > 1 && strcmp(argv[1], "quick") == 0)
        check_few(), check_many();
    smoothimg_close(context);
    return unit_result();
}
