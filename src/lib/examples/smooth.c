/* SPDX-License-Identifier: MIT */
/* Smooths an image of 9 x 5 samples with a bright sample in the middle. If the library is
 * installed:
 *
 *     cc smooth.c -o smooth $(pkg-config --cflags --libs smoothimg) && ./smooth */
#include <smoothimg.h>
#include <stdio.h>

int main(void)
{
    static uint8_t samples[5][9], result[5][9];
    const int64_t shape[] = {5, 9};
    const struct smoothimg_axis axes[] = {{.sigma = 1.5}, {.sigma = 1.5}};
    const struct smoothimg_array src = {.data = samples, .axes = 2, .shape = shape};
    const struct smoothimg_array dst = {.data = result, .axes = 2, .shape = shape};
    struct smoothimg_context *context;
    struct smoothimg_filter *filter = NULL;
    enum smoothimg_status status = smoothimg_open(0, &context);

    samples[2][4] = 255;
    if (status == SMOOTHIMG_OK)
        status = smoothimg_filter_create(
            context, &(struct smoothimg_filter_options){.axes = 2, .axis = axes}, &filter);
    if (status == SMOOTHIMG_OK)
        status = smoothimg_filter(context, filter, &src, &dst, NULL, NULL);
    if (status != SMOOTHIMG_OK)
        fprintf(stderr, "smooth: %s\n", context ? smoothimg_message(context) : "no memory");
    for (int y = 0; status == SMOOTHIMG_OK && y < 5; y++)
        for (int x = 0; x < 9; x++)
            printf("%3d%s", result[y][x], x < 8 ? " " : "\n");
    smoothimg_filter_free(filter);
    smoothimg_close(context);
    return status != SMOOTHIMG_OK;
}
