// SPDX-License-Identifier: MIT
// smoothimg.h in C++, without another header before it: a flat image stays flat.
#include <smoothimg.h>

#include <algorithm>
#include <vector>

int main()
{
    std::vector<uint16_t> samples(40 * 30, 777), result(samples.size());
    smoothimg_image src = {}, dst;
    smoothimg_filter_options options = {};
    smoothimg_context *context;
    smoothimg_filter *filter;

    src.data = samples.data();
    src.width = 40, src.height = 30, src.channels = 1, src.type = SMOOTHIMG_U16;
    dst = src;
    dst.data = result.data();
    options.sigma_x = options.sigma_y = 3;
    if (smoothimg_open(0, &context) != SMOOTHIMG_OK ||
        smoothimg_filter_create(context, &options, &filter) != SMOOTHIMG_OK ||
        smoothimg_smooth(context, filter, &src, &dst, NULL) != SMOOTHIMG_OK)
        return 1;
    smoothimg_filter_free(filter);
    smoothimg_close(context);
    return std::count(result.begin(), result.end(), 777) == 40 * 30 ? 0 : 1;
}
