/* SPDX-License-Identifier: MIT */
/* Tests calls that the emulated device computes although their arrays are in host memory. The
 * arrays may be too large for the device's memory. Each result must equal the CPU's, and no other
 * byte may change. */
#include "src/lib/api/study.h"
#include "tests/unit/api/samples.h"

static struct smoothimg_context *processor, *device;

static struct stack place(struct stack like)
{
    return stack_make(like, (struct gaps){draw(9), draw(9), draw(9), 200});
}

/* Makes the same call on the CPU and on the device, and compares the results. Returns the status of
 * the call on the device. */
static enum smoothimg_status both(enum smoothimg_op op, const struct smoothimg_filter *filter,
                                  struct stack like, const char *what)
{
    struct stack src = place(like), wanted = place(result_of(op, like)),
                 got = place(result_of(op, like));
    enum smoothimg_status status;

    fill(&src);
    NEED(call(processor, op, filter, &src, &wanted) == SMOOTHIMG_OK);
    status = call(device, op, filter, &src, &got);
    CHECK(status != SMOOTHIMG_OK || stack_same(&got, &wanted),
          "%s by %s, %d x %d, %d channels, %d images, border %d: other bytes", what,
          smoothimg_chosen(device), (int)like.width, (int)like.height, (int)like.channels,
          (int)like.count, (int)like.border);
    for (size_t i = 0; i < got.size && status != SMOOTHIMG_OK; i++)
        CHECK(got.bytes[i] == POISON, "%s: byte %d was written", what, (int)i);
    stack_drop(&src), stack_drop(&wanted), stack_drop(&got);
    return status;
}

static struct stack any_stack(void)
{
    return (struct stack){.width = 1 + draw(60),
                          .height = 1 + draw(60),
                          .count = 1 + draw(3),
                          .channels = 1 + draw(4),
                          .type = (enum smoothimg_type)draw(2)};
}

/* For arrays in host memory the CPU computes, unless smoothimg_choose() names a GPU variant. */
static void check_choice(void)
{
    struct smoothimg_filter *filter = filter_make(device, smooth_of(2, 2, SMOOTHIMG_REFLECT));
    static const char *const names[] = {NULL, "cpu", "reference", "arrays"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        NEED(smoothimg_choose(device, names[i]) == SMOOTHIMG_OK);
        NEED(both(SMOOTHIMG_SMOOTH, filter, any_stack(), "by choice") == SMOOTHIMG_OK);
        CHECK(strncmp(smoothimg_chosen(device), names[i] ? names[i] : "cpu", 3) == 0, "%s",
              smoothimg_chosen(device));
    }
    smoothimg_filter_free(filter);
}

/* Opens the device's context again, with this many bytes of device memory. */
static void reopen(int memory)
{
    smoothimg_close(device);
    unit_set("EMULATED_MEMORY", memory);
    NEED(smoothimg_open(2, &device) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(device, 0) == SMOOTHIMG_OK);
    NEED(smoothimg_choose(device, "shared") == SMOOTHIMG_OK);
}

static void check_lacks(enum smoothimg_op op, const struct smoothimg_filter *filter,
                        struct stack like, const char *what)
{
    CHECK(both(op, filter, like, what) == SMOOTHIMG_NO_MEMORY &&
              strstr(smoothimg_message(device), "has no memory for"),
          "%s: %s", what, smoothimg_message(device));
}

/* If the device's memory is too small for all samples of a call, the library computes the result in
 * parts. */
static void check_parts(void)
{
    const struct stack like = {.width = 70, .height = 90, .count = 2, .channels = 1};
    struct smoothimg_filter *filter = filter_make(device, smooth_of(3, 3, SMOOTHIMG_MIRROR));
    struct smoothimg_filter *wrap = filter_make(device, smooth_of(3, 3, SMOOTHIMG_WRAP));
    const struct stack pixel = {.width = 1, .height = 1, .channels = 30000};
    struct smooth by_alpha;
    struct smoothimg_filter *weighted;
    struct stack one = like;
    int64_t uploaded;

    one.count = 1;
    reopen(20000);
    CHECK(both(SMOOTHIMG_SMOOTH, filter, like, "in parts") == SMOOTHIMG_OK, "%s",
          smoothimg_message(device));
    uploaded = study_times(device).upload_bytes;
    CHECK(uploaded > 2 * 70 * 90 && study_times(device).download_bytes == 2 * 70 * 90,
          "%d bytes there", (int)uploaded);
    check_lacks(SMOOTHIMG_SMOOTH, wrap, one, "rows that repeat beyond an end");
    for (enum smoothimg_op op = SMOOTHIMG_TRANSPOSE; op <= SMOOTHIMG_REVERSE; op++)
        CHECK(both(op, NULL, like, "moved in parts") == SMOOTHIMG_OK &&
                  study_times(device).upload_bytes == 2 * 70 * 90,
              "%s", smoothimg_message(device));
    one.border = 3; /* all samples that windows reach (radius 3), so no window wraps around */
    CHECK(both(SMOOTHIMG_SMOOTH, wrap, one, "rows that repeat") == SMOOTHIMG_OK, "%s",
          smoothimg_message(device));
    by_alpha = smooth_of(3, 3, SMOOTHIMG_MIRROR);
    by_alpha.missing = SMOOTHIMG_ALPHA;
    weighted = filter_make(device, by_alpha);
    check_lacks(SMOOTHIMG_SMOOTH, weighted, pixel, "a pixel, which is not cut");
    smoothimg_filter_free(weighted);
    reopen(500);
    check_lacks(SMOOTHIMG_SMOOTH, filter, like, "a row");
    unsetenv("EMULATED_MEMORY");
    CHECK(both(SMOOTHIMG_SMOOTH, wrap, like, "again") == SMOOTHIMG_OK, "%s",
          smoothimg_message(device));
    smoothimg_filter_free(filter);
    smoothimg_filter_free(wrap);
}

/* For arrays in host memory, measure() and reserve() do not count or allocate device memory. */
static void check_memory(void)
{
    const struct stack like = {.width = 70, .height = 90, .channels = 1};
    struct smoothimg_filter *filter = filter_make(device, smooth_of(3, 3, SMOOTHIMG_MIRROR));
    struct stack_array made;
    const struct smoothimg_array *array = stack_array(&like, &made);
    struct smoothimg_array wrong = *array;
    int64_t bytes = 1;

    NEED(smoothimg_choose(device, "shared") == SMOOTHIMG_OK);
    CHECK(smoothimg_measure(device, filter, array, array, NULL, &bytes) == SMOOTHIMG_OK &&
              bytes == 0,
          "%d bytes", (int)bytes);
    CHECK(smoothimg_reserve(device, filter, array, array) == SMOOTHIMG_OK, "%s",
          smoothimg_message(device));
    wrong.type = SMOOTHIMG_U16, wrong.maxval = 9; /* a maxval of dst that only images may have */
    NEED(smoothimg_measure(device, filter, array, &wrong, NULL, &bytes) == SMOOTHIMG_UNSUPPORTED);
    NEED(smoothimg_reserve(device, filter, array, &wrong) == SMOOTHIMG_UNSUPPORTED);
    NEED(smoothimg_choose(device, "cpu") == SMOOTHIMG_OK);
    CHECK(smoothimg_measure(device, filter, array, array, NULL, &bytes) == SMOOTHIMG_OK &&
              bytes > 0,
          "%d bytes", (int)bytes);
    smoothimg_filter_free(filter);
}

/* The offsets of a pass with all five edge rules and the longest radius exceed the shared memory of
 * a GPU of capability 7.5. */
static void check_edges(void)
{
    enum { EDGES = SMOOTHIMG_CONSTANT + 1, SAMPLES = 30 };
    const int64_t shape[] = {SAMPLES / 3, 3};
    struct smoothimg_axis axis[2 * EDGES];
    const struct smoothimg_filter_options options = {.axes = 2, .terms = EDGES, .axis = axis};
    float samples[SAMPLES], wanted[SAMPLES], got[SAMPLES];
    const struct smoothimg_array src = {samples, 2, shape, NULL, SMOOTHIMG_F32, SMOOTHIMG_HOST, 0};
    struct smoothimg_array dst = src;
    struct smoothimg_filter *filter;

    memset(axis, 0, sizeof axis);
    for (int edge = 0; edge < EDGES; edge++) {
        axis[2 * edge].radius = SMOOTHIMG_MAX_RADIUS;
        axis[2 * edge].edge = (enum smoothimg_edge)edge;
    }
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = (float)draw(1000);
    NEED(smoothimg_filter_create(device, &options, &filter) == SMOOTHIMG_OK);
    dst.data = wanted;
    NEED(smoothimg_filter(processor, filter, &src, &dst, NULL, NULL) == SMOOTHIMG_OK);
    dst.data = got;
    unit_set("EMULATED_CAPABILITY", 7);
    NEED(smoothimg_choose(device, "shared") == SMOOTHIMG_OK);
    CHECK(smoothimg_filter(device, filter, &src, &dst, NULL, NULL) == SMOOTHIMG_OK, "%s",
          smoothimg_message(device));
    CHECK(memcmp(got, wanted, sizeof got) == 0, "five edge rules: wrong samples");
    unsetenv("EMULATED_CAPABILITY");
    smoothimg_filter_free(filter);
}

/* A device refuses windows of more samples than it counts; the processor computes them. */
static void check_windows(void)
{
    enum { AXES = 8, SAMPLES = 1 << AXES };
    const int64_t shape[AXES] = {2, 2, 2, 2, 2, 2, 2, 2};
    struct smoothimg_axis axis[AXES];
    const struct smoothimg_filter_options options = {.axes = AXES, .axis = axis};
    double samples[SAMPLES], result[SAMPLES];
    const struct smoothimg_array src = {samples,       AXES,           shape, NULL,
                                        SMOOTHIMG_F64, SMOOTHIMG_HOST, 0};
    struct smoothimg_array dst = src;
    struct smoothimg_filter *filter;

    memset(axis, 0, sizeof axis);
    for (int i = 0; i < AXES; i++)
        axis[i].radius = 777;
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = 1;
    dst.data = result;
    NEED(smoothimg_filter_create(device, &options, &filter) == SMOOTHIMG_OK);
    NEED(smoothimg_choose(device, "fused") == SMOOTHIMG_OK);
    CHECK(smoothimg_filter(device, filter, &src, &dst, NULL, NULL) == SMOOTHIMG_UNSUPPORTED &&
              strstr(smoothimg_message(device), "2^62 samples"),
          "%s", smoothimg_message(device));
    CHECK(smoothimg_filter(processor, filter, &src, &dst, NULL, NULL) == SMOOTHIMG_OK &&
              result[0] == 1,
          "%g", result[0]);
    smoothimg_filter_free(filter);
}

int main(void)
{
    NEED(smoothimg_open(2, &processor) == SMOOTHIMG_OK);
    NEED(smoothimg_open(2, &device) == SMOOTHIMG_OK);
    NEED(smoothimg_use_device(device, 0) == SMOOTHIMG_OK);
    check_choice();
    check_parts();
    check_memory();
    check_edges();
    check_windows();
    smoothimg_close(device);
    smoothimg_close(processor);
    return unit_result();
}
