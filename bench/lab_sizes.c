/* SPDX-License-Identifier: MIT */
#include "lab_sizes.h"

#include "gpu.h"
#include "lab.h"
#include "lab_roofs.h"

#include <string.h>

#define DEFAULT_HALO 4
/* Without --size a group is as large as a GPU's memory wants it, or as large as the CPU can compute
 * the right result of in some seconds. */
#define DEFAULT_SIDE 4096
#define DEFAULT_SIDE_CPU 1024
#define DEFAULT_SIDE_EMULATED 96
#define MAX_FLOPS 2e10
#define MAX_FLOPS_CPU 3e9
#define MAX_FLOPS_EMULATED 2e6

int lab_group_rows(int first)
{
    const char *name = lab_row(first)->group;
    int count = 0;

    while (lab_row(first + count) && strcmp(lab_row(first + count)->group, name) == 0)
        count++;
    return count;
}

/* The most operations of a row of the group. */
static double heaviest(int first, const struct lab_size *size)
{
    const char *name = lab_row(first)->group;
    const struct experiment *experiment;
    double most = 0;

    for (int i = first; (experiment = lab_row(i)) != NULL && strcmp(experiment->group, name) == 0;
         i++) {
        struct lab_work work = {0};

        experiment->work(experiment, size, &work);
        most = work.flops > most ? work.flops : most;
    }
    return most;
}

static int64_t side_of(const struct gpu *gpu)
{
    return gpu && gpu_is_emulated() ? DEFAULT_SIDE_EMULATED : gpu ? DEFAULT_SIDE : DEFAULT_SIDE_CPU;
}

struct lab_size lab_size_wanted(const struct bench_options *options, const struct gpu *gpu,
                                int number)
{
    const int64_t side = side_of(gpu);
    struct lab_size size = {side, side, DEFAULT_HALO, (int)options->block};

    if (options->halos[0] > 0)
        size.halo = options->halos[0];
    if (options->size_count > 0) {
        size.width = options->sizes[number].width;
        size.height = options->sizes[number].height;
    }
    return size;
}

struct lab_size lab_size_of(const struct bench_options *options, const struct gpu *gpu, int first,
                            int number)
{
    const bool emulated = gpu && gpu_is_emulated();
    const double most = emulated ? MAX_FLOPS_EMULATED : gpu ? MAX_FLOPS : MAX_FLOPS_CPU;
    struct lab_size size = lab_size_wanted(options, gpu, number);

    if (options->size_count > 0)
        return size;
    if (!emulated && strcmp(lab_row(first)->group, PEAK_GROUP) == 0)
        return size; /* its right result costs nothing, and its copies must be large */
    while (size.width > 1 && heaviest(first, &size) > most) {
        size.width /= 2;
        size.height /= 2;
    }
    return size;
}

bool lab_group_has_image(int first)
{
    const struct lab_size least = {1, 1, 1, 0};

    for (int i = first; i < first + lab_group_rows(first); i++) {
        struct lab_shape shape = {0};

        lab_row(i)->shape(lab_row(i), &least, &shape);
        if (shape.in[0].image)
            return true;
    }
    return false;
}
