/* SPDX-License-Identifier: MIT */
/* smoothimg.h called wrongly: with NULL in the place of each pointer, with sizes that there cannot
 * be, without a filter since none could be made. Each call returns the status that is documented,
 * with a message, and writes nothing. In the host's memory; with -DDEVICE in the emulated one's. */
#include "src/lib/smoothimg.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef DEVICE
#include "src/lib/gpu/arrays.h"
#define MEMORY SMOOTHIMG_CUDA
static struct gpu *gpu;
#else
#define MEMORY SMOOTHIMG_HOST
#endif

#define SIZE 8          /* pixels, samples: of each axis */
#define BYTES (64 * 16) /* of each image and array, of which SIZE x SIZE samples are used */

static char *src_bytes, *dst_bytes;

static char *allocate(void)
{
#ifdef DEVICE
    struct error error;
    void *memory;

    NEED(gpu_array_make(gpu, BYTES, "a test", &memory, &error) == STATUS_OK);
#else
    void *memory = calloc(1, BYTES);

    NEED(memory);
#endif
    return memory;
}

static void read_bytes(char *to, char *from)
{
#ifdef DEVICE
    struct error error;

    NEED(gpu_array_get(gpu, to, from, BYTES, &error) == STATUS_OK);
#else
    memcpy(to, from, BYTES);
#endif
}

static void erase(char *bytes)
{
#ifdef DEVICE
    static const char zeros[BYTES];
    struct error error;

    NEED(gpu_array_put(gpu, bytes, zeros, BYTES, &error) == STATUS_OK);
#else
    memset(bytes, 0, BYTES);
#endif
}

static bool is_all_zero(char *bytes)
{
    static const char zeros[BYTES];
    char copy[BYTES];

    read_bytes(copy, bytes);
    return memcmp(copy, zeros, BYTES) == 0;
}

/* --- Every argument of every function. The pointers come first, and are set to NULL one at a time;
 * what they point to is here too, and gets one wrong member at a time. */

struct arguments {
    struct smoothimg_context *context;
    struct smoothimg_context **opened;
    const struct smoothimg_filter_options *options;
    struct smoothimg_filter **made;
    const struct smoothimg_filter *filter;
    const struct smoothimg_image *src, *dst;
    const struct smoothimg_array_filter_options *array_options;
    struct smoothimg_array_filter **array_made;
    const struct smoothimg_array_filter *array_filter;
    const struct smoothimg_array *from, *to;
    const int64_t *first;

    struct smoothimg_filter_options filter_options;
    struct smoothimg_image images[2];
    struct smoothimg_axis axes[2];
    struct smoothimg_array_filter_options array_filter_options;
    struct smoothimg_array arrays[2];
    int64_t shapes[2][2], strides[2][2], firsts[2];
};

enum function {
    OPEN,
    USE_DEVICE,
    FILTER_CREATE,
    RESERVE,
    SMOOTH,
    TRANSPOSE,
    REVERSE,
    ARRAY_FILTER_CREATE,
    FILTER_ARRAY,
    WAIT,
    CHOOSE
};

static const char *const names[] = {"smoothimg_open",          "smoothimg_use_device",
                                    "smoothimg_filter_create", "smoothimg_reserve",
                                    "smoothimg_smooth",        "smoothimg_transpose",
                                    "smoothimg_reverse",       "smoothimg_array_filter_create",
                                    "smoothimg_filter_array",  "smoothimg_wait",
                                    "smoothimg_choose"};

static struct smoothimg_context *context, *opened;
static struct smoothimg_filter *filter, *made;
static struct smoothimg_array_filter *array_filter, *array_made;

/* With which each function succeeds. */
static void set_sound(struct arguments *sound)
{
    *sound = (struct arguments){.context = context,
                                .opened = &opened,
                                .options = &sound->filter_options,
                                .made = &made,
                                .filter = filter,
                                .src = &sound->images[0],
                                .dst = &sound->images[1],
                                .array_options = &sound->array_filter_options,
                                .array_made = &array_made,
                                .array_filter = array_filter,
                                .from = &sound->arrays[0],
                                .to = &sound->arrays[1],
                                .first = sound->firsts};
    sound->filter_options = (struct smoothimg_filter_options){.halo_x = 2, .halo_y = 3};
    sound->axes[0] = sound->axes[1] = (struct smoothimg_axis){.halo = 2, .sigma = 1};
    sound->array_filter_options =
        (struct smoothimg_array_filter_options){.axes = 2, .terms = 1, .axis = sound->axes};
    for (int i = 0; i < 2; i++) {
        char *const data = i == 0 ? src_bytes : dst_bytes;

        sound->images[i] = (struct smoothimg_image){
            .data = data, .width = SIZE, .height = SIZE, .channels = 1, .memory = MEMORY};
        sound->arrays[i] = (struct smoothimg_array){.data = data,
                                                    .axes = 2,
                                                    .shape = sound->shapes[i],
                                                    .strides = sound->strides[i],
                                                    .memory = MEMORY};
        sound->shapes[i][0] = sound->shapes[i][1] = SIZE;
        sound->strides[i][0] = SIZE, sound->strides[i][1] = 1;
    }
}

static enum smoothimg_status open_and_close(struct smoothimg_context **into)
{
    const enum smoothimg_status status = smoothimg_open(1, into);

    if (into)
        smoothimg_close(*into);
    return status;
}

static enum smoothimg_status make_and_free(const struct arguments *a)
{
    enum smoothimg_status status;

    made = (void *)&made;
    status = smoothimg_filter_create(a->context, a->options, a->made);
    CHECK(!a->made || (status == SMOOTHIMG_OK) == (made != NULL), "status %d", (int)status);
    if (a->made)
        smoothimg_filter_free(made);
    return status;
}

static enum smoothimg_status make_and_free_arrays(const struct arguments *a)
{
    enum smoothimg_status status;

    array_made = (void *)&array_made;
    status = smoothimg_array_filter_create(a->context, a->array_options, a->array_made);
    CHECK(!a->array_made || (status == SMOOTHIMG_OK) == (array_made != NULL), "status %d",
          (int)status);
    if (a->array_made)
        smoothimg_array_filter_free(array_made);
    return status;
}

static enum smoothimg_status call(enum function function, const struct arguments *a)
{
    switch (function) {
    case OPEN:
        return open_and_close(a->opened);
    case USE_DEVICE: /* the context has one already, or there is none */
        return smoothimg_use_device(a->context, 0);
    case FILTER_CREATE:
        return make_and_free(a);
    case RESERVE:
        return smoothimg_reserve(a->context, a->filter, a->src);
    case SMOOTH:
        return smoothimg_smooth(a->context, a->filter, a->src, a->dst, NULL);
    case TRANSPOSE:
        return smoothimg_transpose(a->context, a->src, a->dst, NULL);
    case REVERSE:
        return smoothimg_reverse(a->context, a->src, a->dst, NULL);
    case ARRAY_FILTER_CREATE:
        return make_and_free_arrays(a);
    case FILTER_ARRAY:
        return smoothimg_filter_array(a->context, a->array_filter, a->from, a->to, a->first, NULL);
    case WAIT:
        return smoothimg_wait(a->context);
    case CHOOSE:
        return smoothimg_choose(a->context, NULL);
    }
    return SMOOTHIMG_OK;
}

/* The call has this status, and this message if it has one; if it fails, it writes nothing. */
static void check_call(enum function function, const struct arguments *arguments,
                       enum smoothimg_status wanted, const char *message, const char *what)
{
    enum smoothimg_status status;

    erase(dst_bytes);
    status = call(function, arguments);
    CHECK(status == wanted, "%s, %s: status %d: %s", names[function], what, (int)status,
          smoothimg_message(arguments->context));
    CHECK(!message || strcmp(smoothimg_message(arguments->context), message) == 0,
          "%s, %s: %s\nwanted: %s", names[function], what, smoothimg_message(arguments->context),
          message);
    CHECK(status == SMOOTHIMG_OK || is_all_zero(dst_bytes), "%s, %s: something was written",
          names[function], what);
    CHECK(status == SMOOTHIMG_OK || strlen(smoothimg_message(arguments->context)) > 9,
          "%s, %s: no message", names[function], what);
}

/* --- NULL */

/* message: NULL: the function does without this pointer. */
static const struct {
    enum function function;
    size_t pointer;
    const char *message;
} nulls[] = {
#define CONTEXT offsetof(struct arguments, context), "context is NULL"
#define OF(MEMBER, NAME) offsetof(struct arguments, MEMBER), NAME " is NULL"
    {USE_DEVICE, CONTEXT},
    {FILTER_CREATE, CONTEXT},
    {RESERVE, CONTEXT},
    {SMOOTH, CONTEXT},
    {TRANSPOSE, CONTEXT},
    {REVERSE, CONTEXT},
    {ARRAY_FILTER_CREATE, CONTEXT},
    {FILTER_ARRAY, CONTEXT},
    {WAIT, CONTEXT},
    {CHOOSE, CONTEXT},
    {FILTER_CREATE, OF(options, "options")},
    {FILTER_CREATE, OF(made, "filter")},
    {RESERVE, offsetof(struct arguments, filter), NULL},
    {RESERVE, OF(src, "like")},
    {SMOOTH, OF(filter, "filter")},
    {SMOOTH, OF(src, "src")},
    {SMOOTH, OF(dst, "dst")},
    {TRANSPOSE, OF(src, "src")},
    {TRANSPOSE, OF(dst, "dst")},
    {REVERSE, OF(src, "src")},
    {REVERSE, OF(dst, "dst")},
    {ARRAY_FILTER_CREATE, OF(array_options, "options")},
    {ARRAY_FILTER_CREATE, OF(array_made, "filter")},
    {ARRAY_FILTER_CREATE, OF(array_filter_options.axis, "axis")},
    {FILTER_ARRAY, OF(array_filter, "filter")},
    {FILTER_ARRAY, OF(from, "src")},
    {FILTER_ARRAY, OF(to, "dst")},
    {FILTER_ARRAY, OF(arrays[0].data, "src: data")},
    {FILTER_ARRAY, OF(arrays[1].data, "dst: data")},
    {FILTER_ARRAY, OF(arrays[0].shape, "src: shape")},
    {FILTER_ARRAY, OF(arrays[1].shape, "dst: shape")},
    {FILTER_ARRAY, offsetof(struct arguments, arrays[0].strides), NULL},
    {FILTER_ARRAY, offsetof(struct arguments, first), NULL},
};

static void check_nulls(void)
{
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++) {
        struct arguments arguments;

        set_sound(&arguments);
        memset((char *)&arguments + nulls[i].pointer, 0, sizeof(void *));
        check_call(nulls[i].function, &arguments,
                   nulls[i].message ? SMOOTHIMG_INVALID : SMOOTHIMG_OK, nulls[i].message, "NULL");
    }
    CHECK(smoothimg_open(1, NULL) == SMOOTHIMG_INVALID, "open");
    CHECK(smoothimg_open(-1, NULL) == SMOOTHIMG_INVALID, "open");
    for (int i = 0; i < 2; i++) { /* what is not there can be closed any number of times */
        smoothimg_close(NULL);
        smoothimg_filter_free(NULL);
        smoothimg_array_filter_free(NULL);
    }
}

/* Of an axis with one sample or none the stride is of no account. */
static void check_strides_of_nothing(void)
{
    struct arguments arguments;

    for (int64_t extent = 0; extent < 2; extent++)
        for (int i = 0; i < 2; i++) {
            set_sound(&arguments);
            arguments.shapes[0][0] = arguments.shapes[1][0] = extent;
            arguments.strides[i][0] = INT64_MIN;
            check_call(FILTER_ARRAY, &arguments, SMOOTHIMG_OK, NULL, "the least stride");
            arguments.strides[i][0] = INT64_MAX / 8 * 8;
            check_call(FILTER_ARRAY, &arguments, SMOOTHIMG_OK, NULL, "the largest stride");
        }
}

/* An array without samples needs no data, and one without axes no shape. */
static void check_nothing(void)
{
    struct arguments arguments;

    set_sound(&arguments);
    arguments.shapes[0][1] = arguments.shapes[1][1] = 0;
    arguments.arrays[0].data = arguments.arrays[1].data = NULL;
    check_call(FILTER_ARRAY, &arguments, SMOOTHIMG_OK, NULL, "no samples");
    CHECK(is_all_zero(dst_bytes), "written");

    set_sound(&arguments);
    arguments.array_filter_options.axes = 0;
    arguments.array_filter_options.axis = NULL;
    check_call(ARRAY_FILTER_CREATE, &arguments, SMOOTHIMG_OK, NULL, "no axes");
    NEED(smoothimg_array_filter_create(context, arguments.array_options, &array_made) ==
         SMOOTHIMG_OK);
    for (int i = 0; i < 2; i++) {
        arguments.arrays[i].axes = 0;
        arguments.arrays[i].shape = NULL, arguments.arrays[i].strides = NULL;
    }
    arguments.array_filter = array_made, arguments.first = NULL;
    check_call(FILTER_ARRAY, &arguments, SMOOTHIMG_OK, NULL, "one sample");
    smoothimg_array_filter_free(array_made);
}

/* --- Sizes */

#define WHERE(MEMBER) offsetof(struct arguments, MEMBER), sizeof((struct arguments *)NULL)->MEMBER

/* Numbers that no argument may be, or that any may be: the least, the most, and their halves. */
static const int64_t extremes[] = {INT64_MIN, INT64_MIN / 2, INT32_MIN,     -1,       0,
                                   INT32_MAX, UINT32_MAX,    INT64_MAX / 2, INT64_MAX};

/* Members of which nothing is valid but what is between least and most. */
static const struct {
    enum function function;
    size_t member, bytes;
    int64_t least, most;
} ranges[] = {
    {FILTER_CREATE, WHERE(filter_options.halo_x), 0, SMOOTHIMG_MAX_HALO},
    {FILTER_CREATE, WHERE(filter_options.halo_y), 0, SMOOTHIMG_MAX_HALO},
    {FILTER_CREATE, WHERE(filter_options.norm), 0, SMOOTHIMG_ANALYTIC},
    {FILTER_CREATE, WHERE(filter_options.edge), 0, SMOOTHIMG_ZERO},
    {SMOOTH, WHERE(images[0].width), SIZE, SIZE},
    {SMOOTH, WHERE(images[1].width), SIZE, SIZE},
    {SMOOTH, WHERE(images[0].height), SIZE, SIZE},
    {SMOOTH, WHERE(images[1].height), SIZE, SIZE},
    {SMOOTH, WHERE(images[0].channels), 1, 1},
    {SMOOTH, WHERE(images[0].count), 0, 1},
    {SMOOTH, WHERE(images[0].border), 0, 0},
    {SMOOTH, WHERE(images[0].type), 0, 0},
    {SMOOTH, WHERE(images[0].memory), MEMORY, MEMORY},
    {SMOOTH, WHERE(images[0].maxval), 0, 0},
    {ARRAY_FILTER_CREATE, WHERE(axes[0].halo), SMOOTHIMG_NO_HALO, SMOOTHIMG_MAX_HALO},
    {ARRAY_FILTER_CREATE, WHERE(axes[1].edge), 0, SMOOTHIMG_ZERO},
    {ARRAY_FILTER_CREATE, WHERE(axes[1].order), 0, 0}, /* too high for the sigma */
    {ARRAY_FILTER_CREATE, WHERE(array_filter_options.axes), 0, 0},
    {ARRAY_FILTER_CREATE, WHERE(array_filter_options.terms), 1, 1},
    {ARRAY_FILTER_CREATE, WHERE(array_filter_options.combination), 0, SMOOTHIMG_MAGNITUDE},
    {FILTER_ARRAY, WHERE(arrays[0].axes), 2, 2},
    {FILTER_ARRAY, WHERE(arrays[1].axes), 2, 2},
    {FILTER_ARRAY, WHERE(arrays[0].type), 0, SMOOTHIMG_F64},
    {FILTER_ARRAY, WHERE(arrays[0].memory), MEMORY, MEMORY},
    {FILTER_ARRAY, WHERE(shapes[0][0]), SIZE, SIZE},
    {FILTER_ARRAY, WHERE(shapes[0][1]), SIZE, SIZE},
    {FILTER_ARRAY, WHERE(shapes[1][0]), 0, SIZE},
    {FILTER_ARRAY, WHERE(shapes[1][1]), 0, SIZE},
    {FILTER_ARRAY, WHERE(firsts[0]), 0, 0},
    {FILTER_ARRAY, WHERE(firsts[1]), 0, 0},
};

/* Distances in memory: the caller answers for those that fit the address space. */
static const struct {
    enum function function;
    size_t member, bytes;
} distances[] = {
    {SMOOTH, WHERE(images[0].pitch)},     {SMOOTH, WHERE(images[1].pitch)},
    {RESERVE, WHERE(images[0].pitch)},    {TRANSPOSE, WHERE(images[0].pitch)},
    {FILTER_ARRAY, WHERE(strides[0][0])}, {FILTER_ARRAY, WHERE(strides[0][1])},
    {FILTER_ARRAY, WHERE(strides[1][0])}, {FILTER_ARRAY, WHERE(strides[1][1])},
};

static void set(void *member, size_t bytes, int64_t value)
{
    if (bytes == sizeof(int32_t))
        *(int32_t *)member = (int32_t)value;
    else
        *(int64_t *)member = value;
}

static void check_member(enum function function, size_t member, size_t bytes, int64_t value,
                         enum smoothimg_status wanted)
{
    struct arguments arguments;
    char what[80];

    snprintf(what, sizeof what, "member at %d: %lld", (int)member, (long long)value);
    set_sound(&arguments);
    set((char *)&arguments + member, bytes, value);
    check_call(function, &arguments, wanted, NULL, what);
}

static void check_extremes(void)
{
    const size_t count = sizeof extremes / sizeof *extremes;

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (size_t k = 0; k < count; k++) {
            const int64_t value = ranges[i].bytes == 4 ? (int32_t)extremes[k] : extremes[k];

            check_member(ranges[i].function, ranges[i].member, ranges[i].bytes, value,
                         value >= ranges[i].least && value <= ranges[i].most ? SMOOTHIMG_OK
                                                                             : SMOOTHIMG_INVALID);
        }
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
        for (size_t k = 0; k < count; k++)
            if (extremes[k] < INT32_MIN || extremes[k] > UINT32_MAX)
                check_member(distances[i].function, distances[i].member, distances[i].bytes,
                             extremes[k], SMOOTHIMG_INVALID);
}

/* What is large, and can be, needs no more memory than there is; or there is too little. */
static void check_large(void)
{
    static const int64_t sides[] = {INT64_MAX, INT64_MAX / 16, INT64_C(1) << 52, INT64_C(1) << 40,
                                    INT32_MAX};
    const size_t tried = MEMORY == SMOOTHIMG_CUDA ? 3 : 5; /* the emulated device takes hours */
    struct arguments arguments;

    for (size_t i = 0; i < tried; i++)
        for (int tall = 0; tall < 2; tall++)
            for (int type = 0; type <= SMOOTHIMG_F32; type++) {
                enum smoothimg_status status;

                set_sound(&arguments);
                *(tall ? &arguments.images[0].height : &arguments.images[0].width) = sides[i];
                arguments.images[0].type = (enum smoothimg_type)type;
                arguments.images[0].data = NULL;
                status = smoothimg_reserve(context, filter, arguments.src);
                CHECK(status == SMOOTHIMG_OK || status == SMOOTHIMG_NO_MEMORY ||
                          status == SMOOTHIMG_INVALID,
                      "%lld %s, type %d: status %d: %s", (long long)sides[i],
                      tall ? "rows" : "pixels", type, (int)status, smoothimg_message(context));
            }
}

/* Filters of arrays whose numbers are out of range together. */
static void check_array_filters(void)
{
    static const struct {
        struct smoothimg_axis axis;
        const char *message; /* NULL: it is allowed */
    } rows[] = {
        {{.sigma = 256}, NULL},
        {{.sigma = 256.25},
         "axis 0: sigma 256.25 calls for a halo of 1025 samples; the largest is 1024, which can be "
         "set"},
        {{.sigma = 1e300},
         "axis 0: sigma 1e+300 calls for a halo of 4e+300 samples; the largest is 1024, which can "
         "be set"},
        {{.halo = 1024, .sigma = 1e300}, NULL},
        {{.halo = SMOOTHIMG_NO_HALO, .sigma = 1e300}, NULL},
        {{.halo = 4, .sigma = 1e300, .order = INT32_MAX}, NULL}, /* weights that are all 0 */
        {{.halo = 4, .sigma = 1e9, .order = INT32_MAX / 4}, NULL},
        {{.halo = -2}, "axis 0: halo is -2; it has to be -1 to 1024"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arguments arguments;

        set_sound(&arguments);
        arguments.array_filter_options.axes = 1;
        arguments.axes[0] = rows[i].axis;
        check_call(ARRAY_FILTER_CREATE, &arguments,
                   rows[i].message ? SMOOTHIMG_INVALID : SMOOTHIMG_OK, rows[i].message, "an axis");
    }
}

/* A filter that could not be made is NULL, and NULL is refused. */
static void check_filter_that_failed(void)
{
    struct arguments arguments;

    set_sound(&arguments);
    arguments.filter_options.halo_x = -1;
    CHECK(smoothimg_filter_create(context, arguments.options, &made) == SMOOTHIMG_INVALID, "made");
    arguments.filter = made;
    check_call(SMOOTH, &arguments, SMOOTHIMG_INVALID, "filter is NULL", "a filter that failed");
    arguments.axes[0].sigma = -1;
    CHECK(smoothimg_array_filter_create(context, arguments.array_options, &array_made) ==
              SMOOTHIMG_INVALID,
          "made");
    arguments.array_filter = array_made;
    check_call(FILTER_ARRAY, &arguments, SMOOTHIMG_INVALID, "filter is NULL", "as well");
}

/* A context of which calls failed computes as before. */
static void check_sound(void)
{
    struct arguments arguments;

    for (int function = OPEN; function <= CHOOSE; function++) {
        set_sound(&arguments);
        if (function != USE_DEVICE)
            check_call((enum function)function, &arguments, SMOOTHIMG_OK, NULL, "all is sound");
    }
}

static void make_filters(void)
{
    const struct smoothimg_axis axes[2] = {{.halo = 2, .sigma = 1}, {.halo = 2, .sigma = 1}};

    NEED(smoothimg_filter_create(context,
                                 &(struct smoothimg_filter_options){.halo_x = 2, .halo_y = 3},
                                 &filter) == SMOOTHIMG_OK);
    NEED(smoothimg_array_filter_create(
             context, &(struct smoothimg_array_filter_options){.axes = 2, .terms = 1, .axis = axes},
             &array_filter) == SMOOTHIMG_OK);
}

int main(void)
{
#ifdef DEVICE
    struct error error;

    NEED(gpu_open(0, &gpu, &error) == STATUS_OK);
#endif
    NEED(smoothimg_open(2, &context) == SMOOTHIMG_OK);
#ifdef DEVICE
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
#endif
    src_bytes = allocate(), dst_bytes = allocate();
    erase(src_bytes);
    make_filters();
    check_sound();
    check_nulls();
    check_nothing();
    check_strides_of_nothing();
    check_extremes();
    check_large();
    check_array_filters();
    check_filter_that_failed();
    check_sound();
    smoothimg_filter_free(filter);
    smoothimg_array_filter_free(array_filter);
    smoothimg_close(context);
    return unit_result();
}
