/* SPDX-License-Identifier: MIT */
/* smoothimg.h in floating-point environments that a caller may have: each result is the reference's
 * in the default one, and each call leaves the environment as it was, the exception flags too.
 *
 *     check_environments every N     every Nth case of cases/, and some of its own
 *
 * In the host's memory; where a device can be opened, in the device's. */
#include "src/lib/filter/registry.h"
#include "src/lib/gpu/arrays.h"
#include "tests/unit/api/samples.h"
#include "tests/variants/case_run.h"

#include <fenv.h>
#include <math.h>

/* What a library of a process may have set for all of it. */
struct environment {
    const char *name;
    int rounding;
    bool flushing; /* subnormal numbers are zeros, as in a process that -ffast-math has linked */
    bool trapping; /* each exception ends the process */
    bool raised;   /* each exception has its flag set */
};

static const struct environment environments[] = {
    {"the default", FE_TONEAREST, false, false, false},
    {"rounding upward", FE_UPWARD, false, false, false},
    {"rounding downward", FE_DOWNWARD, false, false, true},
    {"rounding toward zero", FE_TOWARDZERO, false, false, false},
    {"flushed subnormals", FE_TONEAREST, true, false, false},
    {"traps", FE_TONEAREST, false, true, false},
    {"rounding upward, flushed subnormals, traps", FE_UPWARD, true, true, false},
    {"rounding toward zero, flushed subnormals, flags", FE_TOWARDZERO, true, false, true},
};

#define ENVIRONMENTS (sizeof environments / sizeof *environments)

static void flush_subnormals(void)
{
#if defined __SSE__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); /* FTZ, DAZ */
#elif defined __aarch64__
    uint64_t fpcr;

    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr | 1 << 24)); /* FZ */
#endif
}

static void enter(const struct environment *environment)
{
    fesetenv(FE_DFL_ENV);
    if (environment->raised)
        feraiseexcept(FE_ALL_EXCEPT);
    fesetround(environment->rounding);
    if (environment->flushing)
        flush_subnormals();
#ifdef __GLIBC__
    if (environment->trapping)
        feenableexcept(FE_ALL_EXCEPT); /* has no effect on processors without traps */
#endif
}

/* --- The calls. */

static struct gpu *gpu; /* NULL: images in the host's memory */

/* A case as smoothimg.h sees it. */
struct trial {
    const struct environment *environment;
    struct smoothimg_context *context;
    struct smooth smooth;
    struct smoothimg_filter *filter;
    struct stack src, dst;
};

typedef enum smoothimg_status public_call(struct trial *trial);

static enum smoothimg_status open_context(struct trial *trial)
{
    return smoothimg_open(4, &trial->context);
}

static enum smoothimg_status use_device(struct trial *trial)
{
    return smoothimg_use_device(trial->context, 0);
}

static enum smoothimg_status create(struct trial *trial)
{
    return filter_create(trial->context, trial->smooth, &trial->filter);
}

static enum smoothimg_status reserve_images(struct trial *trial)
{
    struct stack like = trial->src;

    like.border = 0;
    return reserve(trial->context, trial->filter, &like);
}

static enum smoothimg_status smooth(struct trial *trial)
{
    return call(trial->context, SMOOTHIMG_SMOOTH, trial->filter, &trial->src, &trial->dst);
}

static enum smoothimg_status transpose(struct trial *trial)
{
    return call(trial->context, SMOOTHIMG_TRANSPOSE, NULL, &trial->src, &trial->dst);
}

static enum smoothimg_status reverse(struct trial *trial)
{
    return call(trial->context, SMOOTHIMG_REVERSE, NULL, &trial->src, &trial->dst);
}

static enum smoothimg_status close_context(struct trial *trial)
{
    smoothimg_close(trial->context);
    return SMOOTHIMG_OK;
}

/* Calls it in the trial's environment, which has to be the same afterwards. */
static enum smoothimg_status in_environment(struct trial *trial, public_call *function,
                                            const char *name)
{
    enum smoothimg_status status;
    fenv_t before, after;

    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    enter(trial->environment);
    fegetenv(&before);
    status = function(trial);
    fegetenv(&after);
    fesetenv(FE_DFL_ENV);
    CHECK(memcmp(&before, &after, sizeof before) == 0, "%s, %s: the environment was changed", name,
          trial->environment->name);
    return status;
}

static void must(struct trial *trial, public_call *function, const char *name)
{
    CHECK(in_environment(trial, function, name) == SMOOTHIMG_OK, "%s, %s: %s", name,
          trial->environment->name, trial->context ? smoothimg_message(trial->context) : "");
}

static void open_trial(struct trial *trial, const struct environment *environment)
{
    *trial = (struct trial){.environment = environment};
    must(trial, open_context, "open");
    NEED(trial->context);
    if (gpu)
        must(trial, use_device, "use_device");
}

/* --- The cases of cases/. */

/* The image's memory on the device, with the same bytes; of images on the host their own. */
static char *device_copy(const struct image *image)
{
    struct error error;
    void *memory;

    if (!gpu)
        return image->memory;
    NEED(gpu_array_make(gpu, (int64_t)image->memory_bytes + 16, "a test", &memory, &error) ==
         STATUS_OK);
    NEED(gpu_array_put(gpu, memory, image->memory, (int64_t)image->memory_bytes, &error) ==
         STATUS_OK);
    return memory;
}

static void take_back(const struct image *image, char *memory)
{
    struct error error;

    if (!gpu)
        return;
    NEED(gpu_array_get(gpu, image->memory, memory, (int64_t)image->memory_bytes, &error) ==
         STATUS_OK);
    gpu_array_free(gpu, memory);
}

static struct stack public_image(const struct image *image, char *memory, int64_t border)
{
    const struct view *view = &image->view;
    const bool is_float = view->sample_bytes == 4;

    return (struct stack){.data = memory + ((char *)view->origin - (char *)image->memory),
                          .width = view->width,
                          .height = view->height,
                          .pitch = view->stride_bytes,
                          .channels = view->channels,
                          .type = is_float                  ? SMOOTHIMG_F32
                                  : view->sample_bytes == 2 ? SMOOTHIMG_U16
                                                            : SMOOTHIMG_U8,
                          .memory = gpu ? SMOOTHIMG_CUDA : SMOOTHIMG_HOST,
                          .maxval = is_float ? 0 : image->maxval,
                          .border = border};
}

/* With a halo of 0 a sigma would imply another. */
static struct smoothimg_axis public_axis(const struct filter_axis *axis)
{
    return (struct smoothimg_axis){.radius = axis->halo, .sigma = axis->halo > 0 ? axis->sigma : 0};
}

static struct smooth public_smooth(const struct test_case *test)
{
    static const enum smoothimg_edge edges[] = {[EDGE_REFLECT] = SMOOTHIMG_REFLECT,
                                                [EDGE_CLAMP] = SMOOTHIMG_NEAREST,
                                                [EDGE_MIRROR] = SMOOTHIMG_MIRROR,
                                                [EDGE_WRAP] = SMOOTHIMG_WRAP,
                                                [EDGE_ZERO] = SMOOTHIMG_CONSTANT};

    return (struct smooth){.y = public_axis(&test->filter.y),
                           .x = public_axis(&test->filter.x),
                           .norm = (enum smoothimg_norm)test->filter.norm,
                           .edge = edges[test->filter.edge],
                           .missing = test->weighted   ? SMOOTHIMG_ALPHA
                                      : test->skip_nan ? SMOOTHIMG_NAN
                                                       : SMOOTHIMG_ALL};
}

/* Smooths, transposes or reverses the case's image once, and judges the result. */
static void run_in(const struct environment *environment, const struct test_case *test, enum op op,
                   struct case_run *run)
{
    /* Every other image has its border, the others get it from the edge rule. */
    const int64_t border = test->number % 2 == 0 ? filter_halo(&test->filter) : 0;
    char *src, *dst;
    struct trial trial;
    char text[256];

    run->got.maxval = run->src.maxval = test->shape.maxval;
    case_run_poison(test, 0xA5, run);
    src = device_copy(&run->src), dst = device_copy(&run->got);
    open_trial(&trial, environment);
    trial.src = public_image(&run->src, src, op == OP_SMOOTH ? border : 0);
    trial.dst = public_image(&run->got, dst, 0);
    trial.smooth = public_smooth(test);
    if (op == OP_SMOOTH)
        must(&trial, create, "filter_create");
    must(&trial, reserve_images, "reserve");
    must(&trial, op == OP_SMOOTH ? smooth : op == OP_TRANSPOSE ? transpose : reverse, op_word(op));
    take_back(&run->src, src), take_back(&run->got, dst);
    case_describe(test, text, sizeof text);
    CHECK(case_run_judge(run) == RIGHT, "%s in %s: %s", op_word(op), environment->name, text);
    smoothimg_filter_free(trial.filter);
    in_environment(&trial, close_context, "close");
}

static void check_case(struct test_case test, enum op op)
{
    struct case_run run;

    case_run_open(&test, op, &run);
    case_run_answer(&test, op, &run);
    for (size_t i = 0; i < ENVIRONMENTS; i++)
        run_in(&environments[i], &test, op, &run);
    case_run_close(&run);
}

static void check_cases(enum op op, int step)
{
    const char *turn = getenv("SMOOTHIMG_TEST_TURN");

    for (int number = turn ? atoi(turn) % step : 0; number < case_count(op); number += step)
        check_case(case_of(number, op), op);
}

/* A weight is in units of 2^-46: below this sigma all but one are 0, and at 0 the halo decides. */
static void check_subnormal_sigma(void)
{
    struct test_case test = case_of(4, OP_SMOOTH);

    test.filter.x = test.filter.y = (struct filter_axis){2, 1e-310};
    test.filter.norm = NORM_SUM;
    check_case(test, OP_SMOOTH);
}

/* So much work that several threads have a share of it: each kind of samples. */
static void check_threads(void)
{
    static const int numbers[] = {25, CASE_COUNT + 40, FIRST_FLOAT_CASE + 25};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct test_case test = case_of(numbers[i], OP_SMOOTH);

        test.shape.width = 1200;
        test.shape.height = 500;
        test.filter.x = test.filter.y = (struct filter_axis){3, 0};
        check_case(test, OP_SMOOTH);
    }
}

/* Where alpha weighs the colours, and the mean in the middle is just below a half: 1792.5. */
static void check_mean_near_half(void)
{
    static uint16_t pixels[9][2] = {{3113, 478}, {3317, 2593}, {3757, 3464},
                                    {2823, 751}, {1497, 273},  {2633, 1249},
                                    {2461, 875}, {2259, 2987}, {2003, 1093}};

    for (size_t i = 0; i < ENVIRONMENTS; i++) {
        uint16_t result[9][2] = {{0}};
        struct trial trial;

        open_trial(&trial, &environments[i]);
        trial.smooth = smooth_of(1, 1, SMOOTHIMG_NEAREST);
        trial.smooth.missing = SMOOTHIMG_ALPHA;
        trial.src = trial.dst = (struct stack){.data = pixels,
                                               .width = 3,
                                               .height = 3,
                                               .channels = 2,
                                               .type = SMOOTHIMG_U16,
                                               .maxval = 4095};
        trial.dst.data = result;
        must(&trial, create, "filter_create");
        must(&trial, smooth, "smooth");
        CHECK(result[4][0] == 1792, "in %s: %d, not 1792", environments[i].name, result[4][0]);
        smoothimg_filter_free(trial.filter);
        in_environment(&trial, close_context, "close");
    }
}

/* --- Filters that are refused, or whose radius hangs by a rounding. */

static void check_options(void)
{
    static const double sigmas[] = {-1e-310,
                                    -1,
                                    NAN,
                                    INFINITY,
                                    1e300,
                                    256.125,
                                    0x1.001ffffffffffp8,
                                    0x1p-3,
                                    0x1.fffffffffffffp-4,
                                    1e-310,
                                    0.3};

    for (size_t k = 0; k < 2 * sizeof sigmas / sizeof *sigmas; k++) {
        char message[300] = "";
        enum smoothimg_status wanted = SMOOTHIMG_OK;

        for (size_t i = 0; i < ENVIRONMENTS; i++) {
            struct trial trial;
            enum smoothimg_status status;

            open_trial(&trial, &environments[i]);
            trial.smooth = (struct smooth){
                .x.sigma = 1, .y.sigma = sigmas[k / 2], .norm = (enum smoothimg_norm)(k % 2)};
            status = in_environment(&trial, create, "filter_create");
            if (i == 0) {
                wanted = status;
                snprintf(message, sizeof message, "%s", smoothimg_message(trial.context));
            }
            CHECK(status == wanted && strcmp(message, smoothimg_message(trial.context)) == 0,
                  "sigma %a in %s: status %d, %s; wanted %d, %s", sigmas[k / 2],
                  environments[i].name, (int)status, smoothimg_message(trial.context), (int)wanted,
                  message);
            smoothimg_filter_free(trial.filter);
            in_environment(&trial, close_context, "close");
        }
    }
}

int main(int argc, char **argv)
{
    const int step = argc == 3 && strcmp(argv[1], "every") == 0 ? atoi(argv[2]) : 0;
    struct error error;

    NEED(step > 0);
    if (gpu_open(0, &gpu, &error) != STATUS_OK)
        gpu = NULL;
    check_options();
    if (!gpu)
        check_mean_near_half();
    check_subnormal_sigma();
    if (!gpu) /* an image in a device's memory has no threads to share it */
        check_threads();
    for (enum op op = OP_SMOOTH; op < OP_COUNT; op++)
        check_cases(op, step);
    gpu_close(gpu);
    return unit_result();
}
