/* SPDX-License-Identifier: MIT */
/* smooth_floats VARIANT: smooths planes of floats from standard input to standard output, for
 * floats_test.py. Each plane has 10 numbers of 8 bytes before it: width, height, channels, halo_x,
 * halo_y, edge, norm, skip_nan as integers, sigma_x and sigma_y as doubles; then come the samples,
 * of which only the smoothed ones are written. Exits with 1 if the variant fails. */
#include "tests/unit/run_variant.h"
#include "kernels/common/isa.h"
#include "src/lib/filter/gauss.h"
#include "src/lib/filter/registry.h"
#include "src/lib/gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>

struct task {
    int64_t width, height, channels, halo_x, halo_y, edge, norm, skip_nan;
    double sigma_x, sigma_y;
};

static struct plane_filter weights;
static struct gpu *gpu;

static void must(bool done, const char *what)
{
    if (done)
        return;
    fprintf(stderr, "smooth_floats: %s\n", what);
    exit(1);
}

static struct image read_plane(const struct task *task, const struct filter *filter)
{
    const struct shape shape = {task->width, task->height, (int32_t)task->channels, FLOAT_SAMPLES};
    struct image image;
    struct error error;

    must(image_alloc(&image, &shape, filter_halo(filter), &error) == STATUS_OK, "no memory");
    for (int64_t y = 0; y < shape.height; y++)
        must(fread(image_row(&image, y), image_row_bytes(&image), 1, stdin) == 1, "samples end");
    halo_fill(&image, filter->edge, filter->x.halo, filter->y.halo);
    return image;
}

static void smooth(const struct variant *variant, const struct task *task)
{
    const struct filter filter = {{task->halo_x, task->sigma_x},
                                  {task->halo_y, task->sigma_y},
                                  (enum norm)task->norm,
                                  (enum edge)task->edge,
                                  ALPHA_SEPARATE,
                                  task->skip_nan ? NAN_SKIP : NAN_PROPAGATE,
                                  {0, 0}};
    const struct asked asked = {
        .filter = &weights, .threads = 2, .isa = isa_find(getenv("SMOOTHIMG_CPU"))};
    struct image image = read_plane(task, &filter), result;
    struct error error = {STATUS_OK, ""};

    must(plane_filter_make(&filter, &weights, &error) == STATUS_OK, error.text);
    must(run_variant(variant, &image, &asked, gpu, 0, &result, &error) == STATUS_OK, error.text);
    for (int64_t y = 0; y < task->height; y++)
        fwrite(image_row(&result, y), image_row_bytes(&result), 1, stdout);
    image_free(&image);
    image_free(&result);
}

int main(int argc, char **argv)
{
    const struct registered *row = registry_find(argc > 1 ? argv[1] : "");
    struct task task;
    struct error error;

    must(row && row->variant, "no such variant in this build");
    if (row->variant->backend == ON_GPU && gpu_open(0, &gpu, &error) != STATUS_OK)
        must(false, error.text);
    while (fread(&task, sizeof task, 1, stdin) == 1)
        smooth(row->variant, &task);
    must(fflush(stdout) == 0, "cannot write");
    gpu_close(gpu);
    return 0;
}
