/* SPDX-License-Identifier: MIT */
/* Smooths an array: one bright sample in the middle of 9 x 5. With the library installed:
 *
 *     cc smooth.c -o smooth $(pkg-config --cflags --libs smoothimg) && ./smooth
 */
#include <smoothimg.h>
#include <stdio.h>

int main(void)
{
    static uint8_t samples[5][9], result[5][9];
    const struct smoothimg_filter_options options = {.sigma_x = 1.5, .sigma_y = 1.5};
    const struct smoothimg_image src = {
        .data = samples, .width = 9, .height = 5, .channels = 1, .type = SMOOTHIMG_U8};
    struct smoothimg_image dst = src;
    struct smoothimg_context *context;
    struct smoothimg_filter *filter = NULL;
    enum smoothimg_status status = smoothimg_open(0, &context);

    samples[2][4] = 255;
    dst.data = result;
    if (status == SMOOTHIMG_OK)
        status = smoothimg_filter_create(context, &options, &filter);
    if (status == SMOOTHIMG_OK)
        status = smoothimg_smooth(context, filter, &src, &dst, NULL);
    if (status != SMOOTHIMG_OK)
        fprintf(stderr, "smooth: %s\n", context ? smoothimg_message(context) : "no memory");
    for (int y = 0; status == SMOOTHIMG_OK && y < 5; y++)
        for (int x = 0; x < 9; x++)
            printf("%3d%s", result[y][x], x < 8 ? " " : "\n");
    smoothimg_filter_free(filter);
    smoothimg_close(context);
    return status != SMOOTHIMG_OK;
}
