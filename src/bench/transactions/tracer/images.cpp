// SPDX-License-Identifier: MIT
// Counts the memory accesses of the image variants on images of 8-bit samples. As in smoothimg
// (src/lib/api/host_on_device.c), each row of pixels begins at a multiple of ALIGNMENT bytes. With
// --transactions the images are packed instead: there are no gaps before or between rows, and for
// smooth both source and result have a border of halo samples. So the counts can be compared with
// those of a course that profiled the smoothing of 1280 x 1280 samples in this layout. The wide
// loads of the variant `fused` would then not be aligned, so this variant uses four narrow loads in
// place of each wide load.
#include "kernels/common/engine.h"
#include "src/bench/transactions/tracer/tracer.h"

#include <cuda_runtime.h>
#include <random>
#include <vector>

extern "C" {
#include "src/lib/filter/plan.h"
#include "src/lib/filter/registry.h"
#include "src/bench/run/plane.h"
}

namespace tracer
{

static constexpr int64_t ALIGNMENT = 256;

static int64_t aligned(int64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static view new_view(const request &request, int64_t width, int64_t height, int64_t border)
{
    const int64_t left = request.packed ? border : aligned(border);
    const int64_t end = left + width + border;
    const int64_t stride = request.packed ? end : aligned(end);
    std::vector<unsigned char> noise((size_t)(stride * (height + 2 * border)));
    std::minstd_rand random;

    // The variant `fused` first estimates the sums quickly. In noise, as in photographs, some
    // estimates are too near to the middle between two integers to be rounded, and `fused` computes
    // those samples a second time. These accesses have to be counted too.
    for (unsigned char &sample : noise)
        sample = (unsigned char)(random() >> 8);
    char *const memory = (char *)new_copy(noise.data(), noise.size());

    return {memory + border * stride + left, width, height, stride, 1, 1};
}

// Returns the name of the group. The prefix "image-" tells it from groups of experiments, such as
// transpose-float.
static const char *group_of(enum op op)
{
    static const char *const groups[] = {"image-smooth", "image-transpose", "image-reverse"};

    return groups[op];
}

static const struct plane_filter *weights_for(int64_t halo)
{
    static struct plane_filter weights;
    const struct filter filter = {{halo, 0}, {halo, 0}, NORM_SUM, EDGE_CLAMP};
    struct error error;

    if (plane_filter_make(&filter, &weights, &error) != STATUS_OK)
        give_up(error.text);
    return &weights;
}

// Describes the variant as a row of the table. row.needed is the number of bytes that its kernels
// must read and write. They must read every sample of the source and, for smooth, of the border
// around it; they must write every sample of the result.
static row row_of(const request &request, const struct variant &variant)
{
    const int64_t border = variant.op == OP_SMOOTH ? 2 * request.halo : 0;
    const double read = (double)(request.width + border) * (double)(request.height + border);
    const double written = (double)request.width * (double)request.height;

    return {group_of(variant.op), variant.name,       request.width, request.height, 0,
            read + written,       variant.description};
}

static bool count_variant(const request &request, const struct variant &variant)
{
    const bool turned = variant.op == OP_TRANSPOSE;
    const int64_t halo = variant.op == OP_SMOOTH ? request.halo : 0;
    const int64_t width = request.width, height = request.height;
    const row row = row_of(request, variant);
    struct ::request asked =
        request_of(variant.op, weights_for(halo), 255, new_view(request, width, height, halo),
                   new_view(request, turned ? height : width, turned ? width : height,
                            request.packed ? halo : 0));
    struct plan plan = {};
    struct error error;

    if (variant.op == OP_SMOOTH)
        asked.beside = request_reach(&asked);
    asked.block = request.block;
    if (plan_make(&variant, &asked, &plan, &error) != STATUS_OK) {
        print_row(request, row, {}, "left out", error.text);
        return true;
    }
    struct piece piece = plan_piece(&plan);
    if (plan.scratch_bytes > 0)
        piece.scratch = new_memory(plan.scratch_bytes);
    const bool good =
        count(request, row, unwritten_reads::are_allowed, [&] { return plan_run(&plan, &piece); });
    plan_free(&plan);
    return good;
}

static void start_variant(const request &request, const struct variant &variant)
{
    if (is_wanted(request, group_of(variant.op), variant.name))
        run_apart(request, row_of(request, variant),
                  [&] { return count_variant(request, variant); });
}

void count_images(const request &request)
{
    for (const struct variant *const *entry = registry; *entry != nullptr; entry++)
        if ((*entry)->count > 0 && (*entry)->backend == ON_GPU)
            start_variant(request, **entry);
}

} // namespace tracer
