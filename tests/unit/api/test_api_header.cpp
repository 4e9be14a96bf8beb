// SPDX-License-Identifier: MIT
// Compiles smoothimg.h as C++, with no other header before it, and smooths a flat image, which must
// not change.
#include <smoothimg.h>

#include <algorithm>
#include <vector>

int main()
{
    const int64_t shape[] = {30, 40};
    std::vector<uint16_t> samples(40 * 30, 777), result(samples.size());
    smoothimg_array src = {}, dst;
    smoothimg_axis axis[2] = {};
    smoothimg_filter_options options = {};
    smoothimg_context *context;
    struct smoothimg_filter *filter; // `struct` is needed: a function has the same name

    src.data = samples.data();
    src.axes = options.axes = 2;
    src.shape = shape;
    src.type = SMOOTHIMG_U16;
    dst = src;
    dst.data = result.data();
    axis[0].sigma = axis[1].sigma = 3;
    options.axis = axis;
    if (smoothimg_open(0, &context) != SMOOTHIMG_OK ||
        smoothimg_filter_create(context, &options, &filter) != SMOOTHIMG_OK ||
        smoothimg_filter(context, filter, &src, &dst, NULL, NULL) != SMOOTHIMG_OK)
        return 1;
    smoothimg_filter_free(filter);
    smoothimg_close(context);
    return std::count(result.begin(), result.end(), 777) == 40 * 30 ? 0 : 1;
}
