/* SPDX-License-Identifier: MIT */
/* Every number that `auto` goes by. A wrong one costs time, and changes no result.
 *
 * CPU: a Sapphire Rapids server, two cores of a virtual machine, gcc 12, level vnni unless another
 * one is named; `memory` is of 16 such cores. GPU: an NVIDIA H200, CUDA 13. What printed them:
 *
 *   rates of operations   smoothimg-bench --jobs 1 --variant cpu --depth .. --halo .. (and
 *                         SMOOTHIMG_CPU=..), smoothimg-bench --place gpu --size 32768; the tables
 *                         are in kernels/NOTES.md
 *   fresh                 the time of `smooth` by smoothimg --timings -j 1, 8192 x 8192, less what
 *                         smoothimg-bench says
 *   memory                smoothimg-bench --variant cpu --halo 1 --size 16384 --jobs 1,2,4,8,16
 *   read_raw, read_png    `read` of smoothimg --timings, files in the page cache
 *   gpu_start             smoothimg -v --variant gpu, a small image: "opened in"
 *   gpu_end               the same, by `time`, less gpu_start and what --variant cpu takes
 *   gpu_call              `smooth` of smoothimg --timings --variant gpu, a folder of small images:
 *                         seconds by images
 *   bus, lane, lanes      `upload` of smoothimg --timings --variant gpu -j 1, 2, 4, 8, 16
 *
 * Marked (estimate): nobody has measured it. */
#include "figures.h"

#include <math.h>
#include <string.h>

const struct figures figures = {
    .fresh = 2.8e9,
    .memory = 116e9,  /* 16 threads; 24e9 with two, 85e9 with eight */
    .cpu_call = 3e-5, /* (estimate) */
    .read_raw = 1.8e9,
    .read_png = 0.09e9,
    .gpu_start = 0.2, /* 0.19 to 0.28 were seen */
    .gpu_end = 0.1,
    .gpu_call = 1e-3, /* images of 1.6 MB */
    .bus = 20e9,      /* 17e9 to 22e9 from two threads on; 55e9 for one large pinned copy */
    .lane = 10e9,
    .lanes = 8,
    .multiprocessors = 132,
    .clock_mhz = 1980,
};

/* A row ends with a point of halo 0. */
struct point {
    int64_t halo;
    double rate; /* G samples a second */
};

static const struct point cpu_smooth[2][8] = {
    {{1, 4.1}, {2, 3.1}, {4, 2.1}, {8, 1.04}, {16, 0.61}, {64, 0.118}, {0, 0}},
    {{1, 1.27}, {2, 1.00}, {4, 0.71}, {8, 0.44}, {16, 0.25}, {64, 0.057}, {0, 0}},
};

/* One channel, 8 bits, by half floats on tensor cores up to halo 16. */
static const struct point gpu_tensor[] = {{1, 1450}, {2, 1410}, {4, 1400}, {5, 1200},
                                          {8, 1030}, {12, 770}, {16, 675}, {17, 320},
                                          {32, 206}, {64, 75},  {0, 0}};
/* One channel without them. On GPUs whose doubles are slow, and those without matrix products, the
 * same figures stand (estimate). */
static const struct point gpu_others[2][9] = {
    {{1, 1450}, {2, 930}, {4, 690}, {8, 560}, {16, 380}, {32, 206}, {64, 75}, {0, 0}},
    {{1, 720}, {2, 750}, {3, 650}, {4, 520}, {8, 430}, {16, 275}, {32, 148}, {64, 56}, {0, 0}},
};
/* Several channels (estimate: the taps along a row touch as many times more bytes). */
static const struct point gpu_channels[] = {{4, 500}, {16, 250}, {64, 40}, {0, 0}};

/* Where alpha weighs the colours the CPU takes so many times as long (1.6 to 2.9, but for images
 * that are opaque all over); the GPU makes so many samples a second of 8 bits at halo 4 (H200, with
 * work for each tap), and from some halo on direct sums. */
#define WEIGHTED_CPU 2.2
#define WEIGHTED_GPU 57e9
#define WEIGHTED_GPU_HALO 32

/* By the bytes of a pixel; GB/s, read and written. */
static const double cpu_transpose[] = {6, 17, 15, 4.6, 16, 6, 6.4, 6, 9};
static const double cpu_reverse[] = {8, 25, 25, 8, 26, 8, 8, 8, 20};
#define PIXEL_BYTES ((int)(sizeof cpu_transpose / sizeof *cpu_transpose))
#define GPU_MOVES 3.8e12 /* bytes, read and written, of transpose and reverse on the GPU */

/* What each level reaches, as a share of vnni. */
static const struct {
    const char *name;
    double smooth[2]; /* 8 and 16 bits */
    double moves;
} levels[] = {
    {"vnni", {1, 1}, 1},
    {"avx512", {0.9, 1}, 1},
    {"avx2", {0.6, 0.72}, 0.7},
    {"base", {0.2, 0.38}, 0.4},
};
#define LEVELS ((int)(sizeof levels / sizeof *levels))

/* Between two points a power of the number of taps; below the first one its rate, behind the last
 * the same work for each tap. */
static double rate_at(const struct point *points, int64_t halo)
{
    const double taps = (double)(2 * halo + 1);
    double from, to, power;
    int i = 0;

    if (halo <= points[0].halo)
        return 1e9 * points[0].rate;
    while (points[i + 1].halo > 0 && halo > points[i + 1].halo)
        i++;
    from = (double)(2 * points[i].halo + 1);
    if (points[i + 1].halo == 0)
        return 1e9 * points[i].rate * from / taps;
    to = (double)(2 * points[i + 1].halo + 1);
    power = log(points[i + 1].rate / points[i].rate) / log(to / from);
    return 1e9 * points[i].rate * pow(taps / from, power);
}

static double move_rate(const double *rates, const struct figures_job *job)
{
    const int pixel_bytes = job->channels * job->sample_bytes;

    return 1e9 * rates[pixel_bytes < PIXEL_BYTES ? pixel_bytes : 0] / (2 * job->sample_bytes);
}

double figures_cpu_rate(const struct figures_job *job, const char *level)
{
    int i = 0;

    while (i < LEVELS - 1 && strcmp(levels[i].name, level) != 0)
        i++;
    if (job->op == OP_SMOOTH)
        return rate_at(cpu_smooth[job->sample_bytes - 1], job->halo) *
               levels[i].smooth[job->sample_bytes - 1] / (job->weighted ? WEIGHTED_CPU : 1);
    return move_rate(job->op == OP_TRANSPOSE ? cpu_transpose : cpu_reverse, job) * levels[i].moves;
}

double figures_gpu_rate(const struct figures_job *job, bool tensor)
{
    const double taps = (double)(2 * job->halo + 1) / 9;

    if (job->op != OP_SMOOTH)
        return GPU_MOVES / (2 * job->sample_bytes);
    if (job->weighted)
        return WEIGHTED_GPU /
               (taps * (job->halo > WEIGHTED_GPU_HALO ? taps : 1) * job->sample_bytes);
    if (job->channels > 1)
        return rate_at(gpu_channels, job->halo);
    return rate_at(job->sample_bytes == 1 && tensor ? gpu_tensor
                                                    : gpu_others[job->sample_bytes - 1],
                   job->halo);
}
