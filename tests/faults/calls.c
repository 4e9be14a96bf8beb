/* SPDX-License-Identifier: MIT */
/* A program that calls the library, with arrays of the host or, with -DDEVICE, of the emulated
 * device. The test faults.py runs it many times, and in each run makes one call fail (such as an
 * allocation, or a CUDA call), alone or together with all later ones of its kind. The program
 * repeats a failed step once; the repetition must succeed unless all later calls fail, too. Prints
 * the results as bytes. Exit status 3: a step failed twice; 1: the library gave no message, failed
 * where it must not, or changed the current device, or the results cannot be printed. */
#include "src/lib/smoothimg.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef DEVICE
#define WIDTH 50 /* the emulated device is slow */
#define HEIGHT 16
#else
#define WIDTH 300
#define HEIGHT 60
#endif
#define IMAGES 2
#define CHANNELS 4
#define BYTES (IMAGES * HEIGHT * WIDTH * CHANNELS)

/* The steps, in their order. SMOOTH, and SMALLER, which smooths fewer and smaller images, need no
 * more memory than RESERVE has reserved, so they must not fail on the host. In LEND the arrays are
 * in host memory, with -DDEVICE, too. */
enum step {
    OPEN,
    FILTERS,
    RESERVE,
    SMOOTH,
    SMALLER,
    WEIGHTED,
    SLOPES,
    ADJOINT,
    TRANSPOSE,
    REVERSE,
    WAIT,
    LEND,
    STEPS
};
enum { MORE_SLOPES = STEPS, SOURCE, ARRAYS };

static unsigned char host[ARRAYS][BYTES];
/* The library's arguments: the result of each step (the index is the step), the second result of
 * the step SLOPES (MORE_SLOPES), and the source (SOURCE). With -DDEVICE they are in device memory,
 * except the result of LEND. */
static unsigned char *arrays[ARRAYS];
static struct smoothimg_context *context;
static struct smoothimg_filter *smooth, *weighted, *slopes, *adjoint;

#ifdef DEVICE
#include <cuda_runtime_api.h>

#define MEMORY SMOOTHIMG_CUDA
#define CURRENT 1 /* the caller's current device; the library, on device 0, must not change it */

/* The runtime's own cudaMalloc(), without the wrapper of cuda.c that can fail. */
cudaError_t __real_cudaMalloc(void **memory, size_t bytes);

static void make_arrays(void)
{
    void *memory = NULL; /* memory of the emulated device, which the host can access, too */

    __real_cudaMalloc(&memory, sizeof host);
    memcpy(memory, host, sizeof host);
    for (int i = 0; i < ARRAYS; i++)
        arrays[i] = (unsigned char *)memory + i * BYTES;
    arrays[LEND] = host[LEND];
    cudaSetDevice(CURRENT);
}

static bool is_current(void)
{
    int device = -1;

    return cudaGetDevice(&device) == cudaSuccess && device == CURRENT;
}

static enum smoothimg_status open_context(void)
{
    enum smoothimg_status status = SMOOTHIMG_OK;

    if (!context)
        status = smoothimg_open(3, &context);
    return status == SMOOTHIMG_OK ? smoothimg_use_device(context, 0) : status;
}
#else
#define MEMORY SMOOTHIMG_HOST

static void make_arrays(void)
{
    for (int i = 0; i < ARRAYS; i++)
        arrays[i] = host[i];
}

static bool is_current(void)
{
    return true;
}

static enum smoothimg_status open_context(void)
{
    return smoothimg_open(3, &context);
}
#endif

static struct smoothimg_array array_of(void *data, enum smoothimg_memory memory,
                                       const int64_t *shape)
{
    return (struct smoothimg_array){.data = data, .axes = 4, .shape = shape, .memory = memory};
}

static enum smoothimg_status create(struct smoothimg_filter_options options,
                                    const struct smoothimg_axis *axis,
                                    struct smoothimg_filter **filter)
{
    smoothimg_filter_free(*filter);
    options.axes = 4;
    options.axis = axis;
    return smoothimg_filter_create(context, &options, filter);
}

static enum smoothimg_status create_filters(void)
{
    const struct smoothimg_axis near = {.sigma = 1.5}, far = {.radius = 20};
    const struct smoothimg_axis slope = {.sigma = 1.5, .order = 1}, none = {.sigma = 0},
                                mirrored = {.sigma = 1.5, .edge = SMOOTHIMG_MIRROR};
    const struct smoothimg_filter_options simple = {0}, alpha = {.missing = SMOOTHIMG_ALPHA},
                                          both = {.terms = 2, .combination = SMOOTHIMG_APART},
                                          transposed = {.adjoint = 1};
    enum smoothimg_status status =
        create(simple, (struct smoothimg_axis[4]){none, near, near}, &smooth);

    if (status == SMOOTHIMG_OK)
        status = create(alpha, (struct smoothimg_axis[4]){none, far, far}, &weighted);
    if (status == SMOOTHIMG_OK)
        status = create(
            both, (struct smoothimg_axis[8]){none, slope, near, none, none, near, slope}, &slopes);
    if (status == SMOOTHIMG_OK)
        status = create(transposed, (struct smoothimg_axis[4]){none, mirrored, near}, &adjoint);
    return status;
}

static enum smoothimg_status do_step(enum step step)
{
    static const int64_t shape[] = {IMAGES, HEIGHT, WIDTH, CHANNELS},
                         smaller[] = {1, 9, WIDTH, CHANNELS},
                         turned_shape[] = {IMAGES, WIDTH, HEIGHT, CHANNELS};
    static const int turned[] = {0, 2, 1, 3}, flipped[] = {0, 1, 1, 0};
    const enum smoothimg_memory memory = step == LEND ? SMOOTHIMG_HOST : MEMORY;
    const int64_t *const from = step == SMALLER ? smaller : shape;
    const struct smoothimg_array src =
        array_of(step == LEND ? host[SOURCE] : arrays[SOURCE], memory, from);
    const struct smoothimg_array dst[] = {
        array_of(arrays[step], memory, step == TRANSPOSE ? turned_shape : from),
        array_of(arrays[MORE_SLOPES], memory, shape)};

    switch (step) {
    case OPEN:
        return open_context();
    case FILTERS:
        return create_filters();
    case RESERVE:
        return smoothimg_reserve(context, smooth, &src, dst);
    case TRANSPOSE:
        return smoothimg_move(context, turned, NULL, &src, dst, NULL);
    case REVERSE:
        return smoothimg_move(context, NULL, flipped, &src, dst, NULL);
    case WAIT:
        return smoothimg_wait(context);
    case LEND:
        smoothimg_choose(context, MEMORY == SMOOTHIMG_HOST ? NULL : "shared");
        break;
    default:
        break;
    }
    return smoothimg_filter(context,
                            step == WEIGHTED  ? weighted
                            : step == SLOPES  ? slopes
                            : step == ADJOINT ? adjoint
                                              : smooth,
                            &src, dst, NULL, NULL);
}

/* Does a step, and repeats it if it fails. Returns 0, or the program's exit status if the step
 * fails again, or is wrong in another way. */
static int try_step(enum step step)
{
    enum smoothimg_status status = SMOOTHIMG_FAILED;

    for (int i = 0; i < 2 && status != SMOOTHIMG_OK; i++) {
        status = do_step(step);
        if (!is_current())
            return 1;
        if (status != SMOOTHIMG_OK && context && !*smoothimg_message(context))
            return 1;
        if (status != SMOOTHIMG_OK && MEMORY == SMOOTHIMG_HOST &&
            (status != SMOOTHIMG_NO_MEMORY || step == SMOOTH || step == SMALLER))
            return 1;
    }
    if (status != SMOOTHIMG_OK)
        fprintf(stderr, "smoothimg: step %d: status %d: %s\n", (int)step, (int)status,
                context ? smoothimg_message(context) : "");
    return status == SMOOTHIMG_OK ? 0 : 3;
}

int main(void)
{
    int status = 0;

    for (int i = 0; i < BYTES; i++)
        host[SOURCE][i] = (unsigned char)((int64_t)i * i / 7);
    make_arrays();
    for (enum step step = OPEN; step < STEPS && status == 0; step++)
        status = try_step(step);
    smoothimg_filter_free(smooth);
    smoothimg_filter_free(weighted);
    smoothimg_filter_free(slopes);
    smoothimg_filter_free(adjoint);
    smoothimg_close(context);
    for (int i = SMOOTH; i <= MORE_SLOPES && status == 0; i++)
        if (write(STDOUT_FILENO, arrays[i], BYTES) != BYTES)
            return 1;
    return is_current() ? status : 1;
}
