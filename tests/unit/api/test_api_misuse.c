/* SPDX-License-Identifier: MIT */
/* Tests wrong calls of smoothimg.h: with NULL for each pointer, numbers out of range, arrays that
 * do not fit together. Each call must return the documented status and a message, and write
 * nothing. The arrays are in host memory or, with -DDEVICE, in the emulated device's memory. */
#include "tests/unit/api/samples.h"

#include <math.h>

#ifdef DEVICE
#include "src/lib/gpu/gpu.h"
#define MEMORY SMOOTHIMG_CUDA
#define MOVED_BY "vector"
static struct gpu *gpu;
#else
#define MEMORY SMOOTHIMG_HOST
#define MOVED_BY "copy"
#endif

#define SIZE 8          /* samples along each axis */
#define BYTES (64 * 16) /* bytes of each array; its SIZE x SIZE samples are at the beginning */

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

static bool is_all_zero(char *bytes)
{
    static const char zeros[BYTES];
    char copy[BYTES];

#ifdef DEVICE
    struct error error;

    NEED(gpu_array_get(gpu, copy, bytes, BYTES, &error) == STATUS_OK);
#else
    memcpy(copy, bytes, BYTES);
#endif
    return memcmp(copy, zeros, BYTES) == 0;
}

static void set_all(char *bytes, int value)
{
    char copy[BYTES];

    memset(copy, value, BYTES);
#ifdef DEVICE
    struct error error;

    NEED(gpu_array_put(gpu, bytes, copy, BYTES, &error) == STATUS_OK);
#else
    memcpy(bytes, copy, BYTES);
#endif
}

/* --- The arguments of all functions. Each test makes one argument wrong. */

struct arguments {
    struct smoothimg_context *context;
    struct smoothimg_context **opened;
    const struct smoothimg_filter_options *options;
    struct smoothimg_filter **made;
    const struct smoothimg_filter *filter;
    const struct smoothimg_array *src, *dst;
    const int64_t *first;
    const int *order, *flips;
    void *stream;

    struct smoothimg_filter_options filter_options;
    struct smoothimg_axis axes[2];
    struct smoothimg_array arrays[2];
    int64_t shapes[2][2], strides[2][2], firsts[2];
    int axis[2], flip[2];
};

enum function { OPEN, USE_DEVICE, FILTER_CREATE, RESERVE, FILTER, MOVE, WAIT, CHOOSE };

static const char *const names[] = {"open",   "use_device", "filter_create", "reserve",
                                    "filter", "move",       "wait",          "choose"};

static char *src_bytes, *dst_bytes;
static struct smoothimg_context *context, *opened;
static struct smoothimg_filter *filter, *made;

/* Sets valid arguments, with which each function but smoothimg_use_device() succeeds. */
static void set_sound(struct arguments *sound)
{
    *sound = (struct arguments){.context = context,
                                .opened = &opened,
                                .options = &sound->filter_options,
                                .made = &made,
                                .filter = filter,
                                .src = &sound->arrays[0],
                                .dst = &sound->arrays[1],
                                .first = sound->firsts,
                                .order = sound->axis,
                                .flips = sound->flip,
                                .filter_options = {.axes = 2, .terms = 1, .axis = sound->axes},
                                .axes = {{.radius = 2, .sigma = 1}, {.radius = 3}},
                                .shapes = {{SIZE, SIZE}, {SIZE, SIZE}},
                                .strides = {{SIZE, 1}, {SIZE, 1}},
                                .axis = {1, 0}};
    for (int i = 0; i < 2; i++)
        sound->arrays[i] = (struct smoothimg_array){.data = i == 0 ? src_bytes : dst_bytes,
                                                    .axes = 2,
                                                    .shape = sound->shapes[i],
                                                    .strides = sound->strides[i],
                                                    .memory = MEMORY};
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

static enum smoothimg_status call_function(enum function function, const struct arguments *a)
{
    switch (function) {
    case OPEN:
        return open_and_close(a->opened);
    case USE_DEVICE:
        return smoothimg_use_device(a->context, 1000);
    case FILTER_CREATE:
        return make_and_free(a);
    case RESERVE:
        return smoothimg_reserve(a->context, a->filter, a->src, a->dst);
    case FILTER:
        return smoothimg_filter(a->context, a->filter, a->src, a->dst, a->first, a->stream);
    case MOVE:
        return smoothimg_move(a->context, a->order, a->flips, a->src, a->dst, a->stream);
    case WAIT:
        return smoothimg_wait(a->context);
    case CHOOSE:
        return smoothimg_choose(a->context, NULL);
    }
    return SMOOTHIMG_OK;
}

/* Calls the function. Checks the status, and that the message contains `words` unless these are
 * NULL. A failed call must write nothing. */
static void check_call(enum function function, const struct arguments *arguments,
                       enum smoothimg_status wanted, const char *words, const char *what)
{
    enum smoothimg_status status;
    const char *got;

    set_all(dst_bytes, 0);
    status = call_function(function, arguments);
    got = smoothimg_message(arguments->context);
    CHECK(status == wanted, "%s, %s: status %d: %s", names[function], what, (int)status, got);
    CHECK(!words || strstr(got, words), "%s, %s: %s\nwanted: %s", names[function], what, got,
          words);
    CHECK(status == SMOOTHIMG_OK || (is_all_zero(dst_bytes) && strlen(got) > 9),
          "%s, %s: something was written, or there is no message", names[function], what);
}

/* --- NULL for a pointer. */

/* A function, the offset in struct arguments of one of its pointers, and the message if this
 * pointer is NULL. Without a message, the function accepts NULL. */
static const struct {
    enum function function;
    size_t pointer;
    const char *message;
} nulls[] = {
#define AT(MEMBER) offsetof(struct arguments, MEMBER)
    {USE_DEVICE, AT(context), "context is NULL"},
    {FILTER_CREATE, AT(context), "context is NULL"},
    {RESERVE, AT(context), "context is NULL"},
    {FILTER, AT(context), "context is NULL"},
    {MOVE, AT(context), "context is NULL"},
    {WAIT, AT(context), "context is NULL"},
    {CHOOSE, AT(context), "context is NULL"},
    {FILTER_CREATE, AT(options), "options is NULL"},
    {FILTER_CREATE, AT(made), "filter is NULL"},
    {FILTER_CREATE, AT(filter_options.axis), "axis is NULL, and the arrays have 2"},
    {RESERVE, AT(filter), NULL},
    {RESERVE, AT(src), "src is NULL"},
    {RESERVE, AT(dst), "dst is NULL"},
    {RESERVE, AT(arrays[0].data), NULL},
    {RESERVE, AT(arrays[1].data), NULL},
    {RESERVE, AT(arrays[0].shape), "src: shape is NULL"},
    {RESERVE, AT(arrays[1].strides), NULL},
    {FILTER, AT(filter), "filter is NULL"},
    {FILTER, AT(src), "src is NULL"},
    {FILTER, AT(dst), "dst is NULL"},
    {FILTER, AT(arrays[0].data), "src: data is NULL"},
    {FILTER, AT(arrays[1].data), "dst: data is NULL"},
    {FILTER, AT(arrays[0].shape), "src: shape is NULL"},
    {FILTER, AT(arrays[1].shape), "dst: shape is NULL"},
    {FILTER, AT(arrays[0].strides), NULL},
    {FILTER, AT(first), NULL},
    {MOVE, AT(src), "src is NULL"},
    {MOVE, AT(dst), "dst is NULL"},
    {MOVE, AT(arrays[0].data), "src: data is NULL"},
    {MOVE, AT(arrays[1].data), "dst: data is NULL"},
    {MOVE, AT(arrays[0].shape), "src: shape is NULL"},
    {MOVE, AT(arrays[1].shape), "dst: shape is NULL"},
    {MOVE, AT(arrays[1].strides), NULL},
    {MOVE, AT(flips), NULL},
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
    CHECK(strcmp(smoothimg_chosen(NULL), "") == 0, "chosen");
    for (int i = 0; i < 2; i++) { /* closing or freeing NULL does nothing, also twice */
        smoothimg_close(NULL);
        smoothimg_filter_free(NULL);
    }
}

/* If an array has no samples, its `data` may be NULL; if it has no axes, its `shape` may be
 * NULL. */
static void check_nothing(void)
{
    struct arguments arguments;
    struct smoothimg_filter *none;

    set_sound(&arguments);
    arguments.shapes[0][1] = arguments.shapes[1][1] = 0;
    arguments.arrays[0].data = arguments.arrays[1].data = NULL;
    check_call(FILTER, &arguments, SMOOTHIMG_OK, NULL, "no samples");
    check_call(RESERVE, &arguments, SMOOTHIMG_OK, NULL, "no samples");
    arguments.order = NULL;
    check_call(MOVE, &arguments, SMOOTHIMG_OK, NULL, "no samples");
    CHECK(is_all_zero(dst_bytes), "written");

    set_sound(&arguments);
    arguments.filter_options = (struct smoothimg_filter_options){0};
    check_call(FILTER_CREATE, &arguments, SMOOTHIMG_OK, NULL, "no axes");
    NEED(smoothimg_filter_create(context, arguments.options, &none) == SMOOTHIMG_OK);
    for (int i = 0; i < 2; i++) {
        arguments.arrays[i].axes = 0;
        arguments.arrays[i].shape = NULL, arguments.arrays[i].strides = NULL;
    }
    arguments.filter = none, arguments.first = NULL;
    check_call(FILTER, &arguments, SMOOTHIMG_OK, NULL, "one sample");
    smoothimg_filter_free(none);
}

/* The stride of an axis with at most one sample has no effect. */
static void check_strides_of_nothing(void)
{
    static const int64_t strides[] = {INT64_MIN, INT64_MAX / 8 * 8};
    struct arguments arguments;

    for (int64_t extent = 0; extent < 2; extent++)
        for (int i = 0; i < 4; i++) {
            set_sound(&arguments);
            arguments.shapes[0][0] = arguments.shapes[1][0] = extent;
            arguments.strides[i / 2][0] = strides[i % 2];
            check_call(FILTER, &arguments, SMOOTHIMG_OK, NULL, "an extreme stride");
        }
}

/* --- Numbers out of range. */

#define WHERE(MEMBER) AT(MEMBER), sizeof((struct arguments *)NULL)->MEMBER

static void set(void *member, size_t bytes, int64_t value)
{
    if (bytes == sizeof(int32_t))
        *(int32_t *)member = (int32_t)value;
    else
        *(int64_t *)member = value;
}

/* Limits of integer types, and some numbers between them. */
static const int64_t extremes[] = {INT64_MIN, INT64_MIN / 2, INT32_MIN,     -1,       0,
                                   INT32_MAX, UINT32_MAX,    INT64_MAX / 2, INT64_MAX};
#define EXTREMES (sizeof extremes / sizeof *extremes)

/* Members of struct arguments, with their least and greatest valid values, and what the message
 * about any other value contains. The test tries the two values next to this range, and all of
 * `extremes`. */
static const struct {
    enum function function;
    size_t member, bytes;
    int64_t least, most;
    const char *words;
} ranges[] = {
    {FILTER_CREATE, WHERE(axes[0].radius), -1, SMOOTHIMG_MAX_RADIUS, "axis 0: radius is "},
    {FILTER_CREATE, WHERE(axes[1].edge), 0, SMOOTHIMG_CONSTANT, "axis 1: edge is "},
    /* The order INT32_MAX is refused, too: it is in range, but its weights would be too large. */
    {FILTER_CREATE, WHERE(axes[1].order), 0, INT32_MAX - 1, "order "},
    {FILTER_CREATE, WHERE(filter_options.axes), 0, SMOOTHIMG_MAX_AXES, "axes is "},
    {FILTER_CREATE, WHERE(filter_options.terms), 0, 32, "terms is "},
    {FILTER_CREATE, WHERE(filter_options.combination), 0, SMOOTHIMG_APART, "combination is "},
    {FILTER_CREATE, WHERE(filter_options.norm), 0, SMOOTHIMG_ANALYTIC, "norm is "},
    {FILTER_CREATE, WHERE(filter_options.missing), 0, SMOOTHIMG_NAN, "missing is "},
    {FILTER, WHERE(arrays[0].axes), 2, 2, "src: axes is "},
    {FILTER, WHERE(arrays[1].axes), 2, 2, "dst: axes is "},
    {FILTER, WHERE(arrays[0].type), 0, SMOOTHIMG_F64, "src: type is "},
    {FILTER, WHERE(arrays[1].type), 0, SMOOTHIMG_F64, "dst: type is "},
    {FILTER, WHERE(arrays[0].memory), MEMORY, MEMORY, "memory"},
    {FILTER, WHERE(arrays[1].memory), MEMORY, MEMORY, "memory"},
    {FILTER, WHERE(arrays[0].maxval), 0, UINT8_MAX, "src: maxval is "},
    {FILTER, WHERE(arrays[1].maxval), 0, UINT8_MAX, "dst: maxval is "},
    /* With large sides an array overlaps the other array; with even larger sides it exceeds the
     * address space. In both cases the message contains the array's name. */
    {FILTER, WHERE(shapes[0][0]), SIZE, INT32_MAX - 1, "src"},
    {FILTER, WHERE(shapes[0][1]), SIZE, INT32_MAX - 1, "src"},
    {FILTER, WHERE(shapes[1][0]), 0, SIZE, "dst"},
    {FILTER, WHERE(shapes[1][1]), 0, SIZE, "dst"},
    {FILTER, WHERE(firsts[0]), 0, 0, "dst has 8 places of axis 0, from "},
    {FILTER, WHERE(firsts[1]), 0, 0, "dst has 8 places of axis 1, from "},
    {RESERVE, WHERE(shapes[1][1]), 0, SIZE, "dst"},
    {MOVE, WHERE(arrays[0].axes), 2, 2, "axes is "},
    {MOVE, WHERE(arrays[1].axes), 2, 2, "dst: axes is "},
    {MOVE, WHERE(arrays[1].type), SMOOTHIMG_U8, SMOOTHIMG_U8, "dst: "},
    {MOVE, WHERE(shapes[0][0]), SIZE, SIZE, "src"},
    {MOVE, WHERE(shapes[1][1]), SIZE, SIZE, "dst"},
    {MOVE, WHERE(axis[0]), 1, 1, "the axes of src are 0 to 1, each once"},
    {MOVE, WHERE(axis[1]), 0, 0, "axes[1] is "},
};

/* Members that are strides. The library refuses strides with which an array would exceed the
 * address space. It cannot check whether smaller strides stay in the caller's memory. */
static const struct {
    enum function function;
    size_t member, bytes;
} distances[] = {
    {RESERVE, WHERE(strides[0][0])}, {MOVE, WHERE(strides[0][0])},   {MOVE, WHERE(strides[1][1])},
    {FILTER, WHERE(strides[0][0])},  {FILTER, WHERE(strides[0][1])}, {FILTER, WHERE(strides[1][0])},
    {FILTER, WHERE(strides[1][1])},
};

static void check_member(enum function function, size_t member, size_t bytes, int64_t value,
                         const char *words)
{
    struct arguments arguments;
    char what[80];

    snprintf(what, sizeof what, "member at %d: %lld", (int)member, (long long)value);
    set_sound(&arguments);
    set((char *)&arguments + member, bytes, value);
    check_call(function, &arguments, words ? SMOOTHIMG_INVALID : SMOOTHIMG_OK, words, what);
}

static void check_ranges(void)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const int64_t beside[] = {ranges[i].least - 1, ranges[i].most + 1};

        for (size_t k = 0; k < EXTREMES + 2; k++) {
            const int64_t given = k < EXTREMES ? extremes[k] : beside[k - EXTREMES];
            const int64_t value = ranges[i].bytes == 4 ? (int32_t)given : given;

            check_member(ranges[i].function, ranges[i].member, ranges[i].bytes, value,
                         value >= ranges[i].least && value <= ranges[i].most ? NULL
                                                                             : ranges[i].words);
        }
    }
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
        for (size_t k = 0; k < EXTREMES; k++)
            if (extremes[k] < INT32_MIN || extremes[k] > UINT32_MAX)
                check_member(distances[i].function, distances[i].member, distances[i].bytes,
                             extremes[k], "has more bytes than there can be");
}

/* Each of two strides is valid alone, but with both the array would exceed the address space. */
static void check_sum_of_distances(void)
{
    struct arguments arguments;

    for (int i = 0; i < 2; i++) {
        set_sound(&arguments);
        arguments.shapes[0][0] = arguments.shapes[0][1] = 2;
        arguments.shapes[1][0] = arguments.shapes[1][1] = 2;
        arguments.strides[i][0] = INT64_MAX / 8 * 5,
        arguments.strides[i][1] = -arguments.strides[i][0];
        check_call(FILTER, &arguments, SMOOTHIMG_INVALID,
                   i == 0 ? "src: has more bytes than there can be"
                          : "dst: has more bytes than there can be",
                   "two distances");
    }
}

/* Samples that a stride of 0 repeats take no bytes, but their number has a limit too. */
static void check_repeated(void)
{
    struct arguments arguments;

    set_sound(&arguments);
    arguments.shapes[0][0] = INT64_MAX;
    arguments.shapes[0][1] = arguments.shapes[1][1] = 1;
    arguments.strides[0][0] = 0;
    check_call(FILTER, &arguments, SMOOTHIMG_INVALID, "src: axis 0 has the extent", "repeated");
}

/* For arrays with large sides, no size may overflow in reserve(): it succeeds, refuses the arrays,
 * or reports that memory is short. */
static void check_large(void)
{
    static const int64_t sides[] = {INT32_MAX, INT64_C(1) << 40, INT64_MAX / 16, INT64_MAX};

    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int axis = 0; axis < 2; axis++)
            for (int type = 0; type <= SMOOTHIMG_F64; type++) {
                struct arguments arguments;
                enum smoothimg_status status;

                set_sound(&arguments);
                for (int which = 0; which < 2; which++) {
                    arguments.shapes[which][axis] = sides[i];
                    arguments.arrays[which].type = (enum smoothimg_type)type;
                    arguments.arrays[which].strides = NULL;
                }
                status = smoothimg_reserve(context, filter, arguments.src, arguments.dst);
                CHECK(status == SMOOTHIMG_OK || status == SMOOTHIMG_NO_MEMORY ||
                          status == SMOOTHIMG_INVALID,
                      "%lld places of axis %d, type %d: status %d: %s", (long long)sides[i], axis,
                      type, (int)status, smoothimg_message(context));
            }
}

/* Filters of one axis with numbers at or beyond their limits. */
static void check_filters(void)
{
    static const struct {
        struct smoothimg_axis axis;
        struct smoothimg_filter_options options;
        const char *words; /* what the message contains; NULL: the filter is valid */
    } rows[] = {
        {{.sigma = 256}, {0}, NULL},
        {{.sigma = 256.25}, {0}, "axis 0: sigma 256.25 calls for a radius of 1025"},
        {{.sigma = 1e300}, {0}, "axis 0: sigma 1e+300 calls for a radius of 4e+300"},
        {{.radius = 1024, .sigma = 1e300}, {0}, NULL},
        {{.radius = -1, .sigma = 1e300}, {0}, NULL},
        {{.radius = 1024, .sigma = 0.1}, {0}, NULL},
        {{.radius = 4, .sigma = 1e300, .order = INT32_MAX}, {0}, NULL}, /* all weights are 0 */
        {{.radius = 4, .sigma = 1e9, .order = INT32_MAX / 4}, {0}, NULL},
        {{.sigma = -1}, {0}, "axis 0: sigma is -1"},
        {{.radius = 9, .sigma = NAN}, {0}, "axis 0: sigma is nan"},
        {{.order = 2}, {0}, "axis 0: order is 2, of a Gaussian without a sigma"},
        {{.sigma = 1, .scale = 2}, {0}, "axis 0: scale is 2"},
        {{.scale = -1}, {0}, NULL},
        {{.sigma = 1, .scale = -.5}, {0}, "axis 0: scale is -0.5"},
        {{.sigma = 1, .order = 1, .scale = -0x1p-20}, {0}, NULL},
        {{.sigma = 1, .order = 1, .scale = -0x1p21}, {0}, "axis 0: scale is -2.09715e+06"},
        {{.sigma = 1, .order = 1, .scale = NAN}, {0}, "axis 0: scale is nan"},
        {{.sigma = 1, .order = 1}, {.norm = SMOOTHIMG_ANALYTIC}, "axis 0: order is 1"},
        {{.radius = 4, .sigma = .09},
         {.norm = SMOOTHIMG_ANALYTIC},
         "the analytic norm with sigma 0.09"},
        {{.sigma = 1},
         {.outside = 1.5, .outside_i64 = -7},
         "outside is 1.5, outside_i64 -7 and outside_u64 0; set one of them"},
        {{.sigma = 1}, {.outside = INFINITY}, "outside is inf; it has to be a number"},
        {{.sigma = 1}, {.adjoint = 2}, "adjoint is 2; it has to be 0 to 1"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arguments arguments;

        set_sound(&arguments);
        arguments.axes[0] = rows[i].axis;
        arguments.filter_options = rows[i].options;
        arguments.filter_options.axes = 1;
        arguments.filter_options.axis = arguments.axes;
        check_call(FILTER_CREATE, &arguments, rows[i].words ? SMOOTHIMG_INVALID : SMOOTHIMG_OK,
                   rows[i].words, "an axis");
    }
}

/* Tests filters that have no adjoint, filters whose adjoint is a sum of too many filters, and valid
 * ones. */
static void check_adjoints(void)
{
    static const struct {
        struct smoothimg_axis axis; /* the same for all 4 axes */
        struct smoothimg_filter_options options;
        const char *words; /* NULL: the filter is made */
    } rows[] = {
        {{.sigma = 1}, {.combination = SMOOTHIMG_MAGNITUDE}, "an adjoint is that of a sum"},
        {{.sigma = 1}, {.combination = SMOOTHIMG_APART}, "an adjoint is that of a sum"},
        {{.sigma = 1}, {.missing = SMOOTHIMG_NAN}, "an adjoint is that of a sum"},
        {{.sigma = 1, .edge = SMOOTHIMG_MIRROR}, {0}, "the adjoint is a sum of 81 filters"},
        {{.sigma = 1, .order = 1}, {0}, NULL},
        {{.sigma = 1, .edge = SMOOTHIMG_NEAREST}, {0}, NULL},
        {{.radius = 1024, .edge = SMOOTHIMG_NEAREST}, {0}, NULL},
        {{.radius = 1024, .edge = SMOOTHIMG_MIRROR},
         {0},
         "axis 0: the adjoint with SMOOTHIMG_MIRROR has a radius of at most 1023"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct smoothimg_axis axes[4];
        struct smoothimg_filter_options options = rows[i].options;
        struct arguments arguments;

        for (int a = 0; a < 4; a++)
            axes[a] = rows[i].axis;
        options.axes = 4;
        options.axis = axes;
        options.adjoint = 1;
        set_sound(&arguments);
        arguments.options = &options;
        check_call(FILTER_CREATE, &arguments, rows[i].words ? SMOOTHIMG_UNSUPPORTED : SMOOTHIMG_OK,
                   rows[i].words, "an adjoint");
    }
}

/* Tests filters for arrays of SMOOTHIMG_MAX_AXES axes. A filter can filter at most 32 of them. */
static void check_many_axes(void)
{
    struct smoothimg_axis axes[SMOOTHIMG_MAX_AXES];
    struct smoothimg_filter_options options = {.axes = SMOOTHIMG_MAX_AXES, .axis = axes};
    struct arguments arguments;

    for (int a = 0; a < SMOOTHIMG_MAX_AXES; a++)
        axes[a] = (struct smoothimg_axis){.sigma = a < SMOOTHIMG_MAX_FILTERED};
    set_sound(&arguments);
    arguments.options = &options;
    check_call(FILTER_CREATE, &arguments, SMOOTHIMG_OK, NULL, "32 axes");
    axes[SMOOTHIMG_MAX_AXES - 1].sigma = 1;
    check_call(FILTER_CREATE, &arguments, SMOOTHIMG_INVALID, "more than 32 axes are filtered",
               "33 axes");
}

/* Arguments that are wrong for the kind of memory. In device memory, addresses and strides must be
 * multiples of a sample's size. For host memory no stream may be given, and without a device no
 * array may be in device memory. */
static void check_memory(void)
{
    struct arguments arguments;

#ifdef DEVICE
    char text[200];

    set_sound(&arguments);
    arguments.arrays[1].type = arguments.arrays[0].type = SMOOTHIMG_U16;
    arguments.strides[0][1] = 2, arguments.strides[1][1] = 2;
    arguments.strides[0][0] = 2 * SIZE, arguments.strides[1][0] = 2 * SIZE + 1;
    check_call(FILTER, &arguments, SMOOTHIMG_INVALID,
               "dst: the stride of axis 0 is 17; on a device samples lie at multiples of their 2 "
               "bytes",
               "a stride");
    arguments.strides[1][0] = 2 * SIZE;
    arguments.arrays[0].data = src_bytes + 1;
    snprintf(text, sizeof text,
             "src: begins at %p; on a device samples lie at multiples of their 2 bytes",
             (void *)(src_bytes + 1));
    check_call(FILTER, &arguments, SMOOTHIMG_INVALID, text, "an address");
    check_call(MOVE, &arguments, SMOOTHIMG_INVALID, text, "an address");
    check_call(USE_DEVICE, &arguments, SMOOTHIMG_INVALID,
               "device 1000: the context has a device already", "a second device");
#else
    char text[100];

    set_sound(&arguments);
    arguments.stream = context;
    snprintf(text, sizeof text,
             "stream is %p; it has to be NULL for what lies in the host's memory", (void *)context);
    check_call(FILTER, &arguments, SMOOTHIMG_INVALID, text, "a stream");
    check_call(MOVE, &arguments, SMOOTHIMG_INVALID, text, "a stream");
    set_sound(&arguments);
    arguments.arrays[0].memory = arguments.arrays[1].memory = SMOOTHIMG_CUDA;
    for (enum function function = RESERVE; function <= MOVE; function++)
        check_call(function, &arguments, SMOOTHIMG_INVALID,
                   "what lies in a device's memory needs smoothimg_use_device()", "no device");
#endif
}

/* If one of two results cannot be computed, the library writes neither. */
static void check_refused_term(void)
{
    static const struct smoothimg_axis axes[] = {[0].sigma = 1, [3].sigma = 1};
    const struct smoothimg_filter_options options = {
        .axes = 2, .terms = 2, .axis = axes, .combination = SMOOTHIMG_APART};
    struct smoothimg_filter *apart;

    NEED(smoothimg_filter_create(context, &options, &apart) == SMOOTHIMG_OK);
    for (int kind = 0; kind < 7; kind++) {
        const enum smoothimg_status failed = kind == 2 ? SMOOTHIMG_UNSUPPORTED : SMOOTHIMG_INVALID;
        const char *words = kind < 4 ? NULL : kind < 6 ? "another shape or type" : "overlap";
        struct arguments arguments;
        struct smoothimg_array results[2];

        set_sound(&arguments);
        results[0] = results[1] = arguments.arrays[1];
        results[1].data = kind == 1 ? src_bytes : dst_bytes + SIZE * SIZE - (kind == 6);
        results[1].maxval = kind == 2 ? 99 : 0;
        results[1].axes = kind == 3 ? 3 : 2;
        results[1].type = kind == 4 ? SMOOTHIMG_I8 : SMOOTHIMG_U8;
        results[1].shape = kind == 5 ? arguments.strides[1] : results[0].shape; /* SIZE x 1 */
        arguments.filter = apart;
        arguments.dst = results;
        check_call(FILTER, &arguments, kind > 0 ? failed : SMOOTHIMG_OK, words, "two results");
    }
    smoothimg_filter_free(apart);
}

/* A call may compute only a part of the result. Then dst must not overlap src at all, not even in
 * rows or columns of src on which the part does not depend. */
static void check_part_in_src(void)
{
    for (int axis = 0; axis < 2; axis++) {
        struct smoothimg_axis smooth[2] = {{0}};
        const struct smoothimg_filter_options options = {.axes = 2, .axis = smooth};
        struct smoothimg_filter *along;
        struct arguments arguments;

        smooth[axis].radius = 2;
        NEED(smoothimg_filter_create(context, &options, &along) == SMOOTHIMG_OK);
        set_sound(&arguments);
        arguments.filter = along;
        arguments.shapes[1][1 - axis] = 2;
        arguments.arrays[1].data = src_bytes + (axis == 0 ? 5 : 5 * SIZE);
        check_call(FILTER, &arguments, SMOOTHIMG_INVALID, NULL, "a part in src");
        smoothimg_filter_free(along);
    }
}

static void check_chosen_is(const char *wanted)
{
    CHECK(strcmp(smoothimg_chosen(context), wanted) == 0, "%s, not %s", smoothimg_chosen(context),
          wanted);
}

/* smoothimg_chosen() names the engine (the implementation of a variant) that computed the last
 * result. The name is empty in a fresh context, and a failed call does not change it. */
static void check_chosen(void)
{
    struct arguments arguments;
    struct smoothimg_context *fresh;

    NEED(smoothimg_open(1, &fresh) == SMOOTHIMG_OK);
    CHECK(strcmp(smoothimg_chosen(fresh), "") == 0, "of no call: %s", smoothimg_chosen(fresh));
    smoothimg_close(fresh);
    NEED(smoothimg_choose(context, "arrays") == SMOOTHIMG_OK);
    NEED(smoothimg_choose(context, "none") == SMOOTHIMG_INVALID); /* this call changes nothing */
    set_sound(&arguments);
    check_call(FILTER, &arguments, SMOOTHIMG_OK, NULL, "by arrays");
    check_chosen_is("arrays");
    NEED(smoothimg_choose(context, NULL) == SMOOTHIMG_OK);
    arguments.order = NULL;
    check_call(MOVE, &arguments, SMOOTHIMG_OK, NULL, "a copy");
    check_chosen_is(MOVED_BY);
    arguments.dst = arguments.src;
    check_call(MOVE, &arguments, SMOOTHIMG_INVALID, NULL, "into itself");
    check_chosen_is(MOVED_BY);
}

/* Each function succeeds with valid arguments, also after failed calls. */
static void check_sound(void)
{
    struct arguments arguments;

    for (enum function function = OPEN; function <= CHOOSE; function++) {
        set_sound(&arguments);
        if (function != USE_DEVICE)
            check_call(function, &arguments, SMOOTHIMG_OK, NULL, "all is sound");
    }
}

int main(void)
{
    struct arguments arguments;

#ifdef DEVICE
    struct error error;

    unit_set("EMULATED_MEMORY", 1 << 26); /* 64 MiB, so that large arrays fail at once */
    NEED(gpu_open(0, &gpu, &error) == STATUS_OK);
#endif
    NEED(smoothimg_open(2, &context) == SMOOTHIMG_OK);
    CHECK(strcmp(smoothimg_message(context), "") == 0, "%s", smoothimg_message(context));
#ifdef DEVICE
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
    for (int device = 0; device < 2; device++)
        CHECK(smoothimg_use_device(context, device) == SMOOTHIMG_INVALID &&
                  strstr(smoothimg_message(context), "the context has a device already"),
              "a second device: %s", smoothimg_message(context));
#endif
    src_bytes = allocate(), dst_bytes = allocate();
    set_all(src_bytes, 1);
    set_sound(&arguments);
    NEED(smoothimg_filter_create(context, arguments.options, &filter) == SMOOTHIMG_OK);
    check_sound();

    check_nulls();
    check_nothing();
    check_strides_of_nothing();
    check_ranges();
    check_sum_of_distances();
    check_repeated();
    check_large();
    check_filters();
    check_adjoints();
    check_many_axes();
    check_memory();
    check_refused_term();
    check_part_in_src();
    check_chosen();
    check_sound();
    smoothimg_filter_free(filter);
    smoothimg_close(context);
    return unit_result();
}
