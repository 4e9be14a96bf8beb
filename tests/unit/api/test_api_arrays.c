/* SPDX-License-Identifier: MIT */
/* smoothimg_filter on arrays that lie in memory in any way: which engine computes them, and what is
 * refused, in which words. (tests/random compares the samples.) In the host's memory; with -DDEVICE
 * in the emulated device's. */
#include "tests/unit/api/samples.h"

#ifdef DEVICE
#include "src/lib/gpu/gpu.h"
static struct gpu *gpu;
#endif

#define AXES 5 /* batch, height, width, channels, batch: at most */

static struct smoothimg_context *context;

/* An array in new memory. */
struct place {
    struct smoothimg_array array;
    int64_t shape[AXES], strides[AXES];
    char *memory;
    int64_t size;
};

static int64_t bytes_of(enum smoothimg_type type)
{
    static const int64_t bytes[] = {1, 2, 4, 1, 1, 2, 4, 4, 8, 8, 2, 8};

    return bytes[type];
}

static void allocate(struct place *place, int byte)
{
    void *bytes = malloc((size_t)place->size);

    NEED(bytes);
    memset(bytes, byte, (size_t)place->size);
    place->memory = bytes;
#ifdef DEVICE
    struct error error;
    void *memory;

    NEED(gpu_array_make(gpu, place->size, "a test", &memory, &error) == STATUS_OK);
    NEED(gpu_array_put(gpu, memory, bytes, place->size, &error) == STATUS_OK);
    free(bytes);
    place->memory = memory;
    place->array.memory = SMOOTHIMG_CUDA;
#endif
}

static void place_drop(struct place *place)
{
#ifdef DEVICE
    gpu_array_free(gpu, place->memory);
#else
    free(place->memory);
#endif
}

static bool is_untouched(const struct place *place)
{
    char *bytes = malloc((size_t)place->size);
    bool is_poison = true;

    NEED(bytes);
#ifdef DEVICE
    struct error error;

    NEED(gpu_array_get(gpu, bytes, place->memory, place->size, &error) == STATUS_OK);
#else
    memcpy(bytes, place->memory, (size_t)place->size);
#endif
    for (int64_t i = 0; i < place->size; i++)
        is_poison = is_poison && bytes[i] == (char)POISON;
    free(bytes);
    return is_poison;
}

/* lie: how the array lies in memory: its axes from the outermost to the innermost, "-" before one
 * that runs backwards, "." before one with a gap of a sample between its places, "=" before one
 * whose places are all the same one; NULL: the last axis is the innermost. byte: all its memory. */
static void place_make(struct place *place, int axes, const int64_t *shape,
                       enum smoothimg_type type, const char *lie, int byte)
{
    int64_t step = bytes_of(type), first = 0;

    if (!lie)
        lie = "01234";
    *place = (struct place){
        .array = {.axes = axes, .shape = place->shape, .strides = place->strides, .type = type}};
    for (size_t i = strlen(lie); i > 0; i--) {
        const int a = lie[i - 1] - '0';
        const char mark = i > 1 ? lie[i - 2] : '0';

        if (a < 0 || a >= axes)
            continue;
        place->shape[a] = shape[a];
        step += mark == '.' ? bytes_of(type) : 0;
        place->strides[a] = mark == '-' ? -step : mark == '=' ? 0 : step;
        first += mark == '-' ? step * (shape[a] - 1) : 0;
        step *= mark == '=' ? 1 : shape[a];
    }
    place->size = (step + 63) / 64 * 64;
    allocate(place, byte);
    place->array.data = place->memory + first;
}

static enum smoothimg_status run(const struct smoothimg_filter *filter, const struct place *src,
                                 const struct place *dst, const int64_t *first)
{
    return smoothimg_filter(context, filter, &src->array, &dst->array, first, NULL);
}

/* --- Which engine. */

/* Who computes: the engine of arrays, or those of images. */
enum computed_by { BY_ARRAYS, BY_IMAGES };

/* One smooth of an array of uint8, unless it says more. */
struct row {
    const char *name;
    int64_t shape[AXES], radius[AXES]; /* shape 0: no such axis; radius 0: it is left alone */
    enum computed_by engine;
    const char *src, *dst;          /* as for place_make */
    int64_t first[AXES], end[AXES]; /* of the part; end 0: of the axis */
    enum smoothimg_type type, to;   /* to 0: type */
    int order;                      /* of the first axis */
    enum smoothimg_edge edge;       /* of the first axis; of CONSTANT each sample is 1 */
    enum smoothimg_missing missing;
    enum smoothimg_norm norm;
    uint64_t src_maxval, dst_maxval;
    const char *choice, *refusal; /* NULL: it is computed */
};

#define ALPHA .missing = SMOOTHIMG_ALPHA
#define WITH_ALPHA "with weighting by alpha "
#define SIDE_BY_SIDE WITH_ALPHA "the pixels of a row lie side by side, and rows after each other"
#define CHANNELS WITH_ALPHA "a pixel has all of its channels, side by side and alpha last"

// clang-format off
static const struct row rows[] = {
    {"an image", {30, 40}, {2, 2}, .engine = BY_IMAGES},
    {"of doubles", {30, 40}, {2, 2}, .engine = BY_ARRAYS, .type = SMOOTHIMG_F64},
    {"of uint16", {30, 40}, {2, 2}, .engine = BY_IMAGES, .type = SMOOTHIMG_U16},
    {"of floats", {30, 40}, {2, 2}, .engine = BY_IMAGES, .type = SMOOTHIMG_F32},
    {"to floats", {30, 40}, {2, 2}, .engine = BY_ARRAYS, .to = SMOOTHIMG_F32},
    {"two filters", {30, 40}, {1, 3}, .engine = BY_IMAGES},
    {"analytic", {30, 40}, {2, 3}, .engine = BY_IMAGES, .norm = SMOOTHIMG_ANALYTIC},
    {"analytic of three axes", {9, 10, 8}, {2, 3, 1}, .engine = BY_ARRAYS, .norm = SMOOTHIMG_ANALYTIC},
    {"a derivative", {30, 40}, {2, 2}, .engine = BY_ARRAYS, .order = 1},
    {"two edge rules", {30, 40}, {2, 2}, .engine = BY_ARRAYS, .edge = SMOOTHIMG_WRAP},
    {"three axes", {9, 10, 11}, {2, 2, 2}, .engine = BY_ARRAYS},
    {"Fortran's order", {30, 40}, {1, 3}, .engine = BY_IMAGES, .src = "10", .dst = "10"},
    {"Fortran's order of floats", {3, 20, 30}, {0, 1, 3}, .engine = BY_IMAGES, .src = "210", .dst = "210", .type = SMOOTHIMG_F32},
    {"Fortran's order into C's", {30, 40}, {2, 2}, .engine = BY_ARRAYS, .src = "10"},
    {"backwards", {30, 40}, {1, 3}, .engine = BY_IMAGES, .src = "-0-1", .dst = "-0-1"},
    {"backwards, Fortran's order", {30, 40}, {1, 3}, .engine = BY_IMAGES, .src = "1-0", .dst = "1-0"},
    {"backwards in one", {30, 40}, {2, 2}, .engine = BY_ARRAYS, .src = "0-1"},
    {"channels", {20, 30, 3}, {2, 2}, .engine = BY_IMAGES},
    {"one row as all", {30, 40}, {2, 2}, .engine = BY_ARRAYS, .src = "=01"},
    {"one column as all", {30, 40}, {2, 2}, .engine = BY_ARRAYS, .src = "0=1"},
    {"one sample as all", {300}, {2}, .engine = BY_ARRAYS, .src = "=0"},
    {"one batch as all", {3, 30, 40}, {0, 2, 2}, .engine = BY_ARRAYS, .src = "=012"},
    {"one channel as all", {30, 40, 3}, {2, 2}, .engine = BY_ARRAYS, .src = "01=2"},
    {"one place that is all", {1, 40}, {2, 2}, .engine = BY_IMAGES, .src = "=01"},
    {"a part of one row as all", {30, 40}, {0, 2}, .engine = BY_ARRAYS, .src = "=01", .first = {3}, .end = {4}},
    {"channels, rows with gaps", {20, 30, 3}, {2, 2}, .engine = BY_IMAGES, .src = ".012", .dst = ".012"},
    {"pixels with gaps", {20, 30}, {2, 2}, .engine = BY_ARRAYS, .src = "0.1"},
    {"batches before", {2, 3, 20, 30}, {0, 0, 2, 2}, .engine = BY_IMAGES},
    {"batches before and after", {2, 20, 30, 3, 2}, {0, 2, 2}, .engine = BY_IMAGES},
    {"batches with gaps", {2, 3, 20, 30}, {0, 0, 2, 2}, .engine = BY_IMAGES, .src = ".0.123", .dst = "0.1.23"},
    {"a batch between", {20, 4, 30}, {2, 0, 2}, .engine = BY_IMAGES},
    {"rows alone", {4, 20, 30}, {0, 0, 2}, .engine = BY_IMAGES},
    {"columns alone", {4, 20, 30}, {0, 2}, .engine = BY_IMAGES},
    {"the outermost alone", {14, 20, 30}, {2}, .engine = BY_IMAGES},
    {"narrow rows with gaps, columns alone", {30, 4}, {2}, .engine = BY_IMAGES, .dst = ".01"},
    {"nothing smoothed", {20, 30}, {-1}, .engine = BY_IMAGES},
    {"a maxval", {20, 30}, {2, 2}, .engine = BY_IMAGES, .src_maxval = 255, .dst_maxval = 255},
    {"the type's maxval of one", {20, 30}, {2, 2}, .engine = BY_IMAGES, .dst_maxval = 255},
    {"the type's maxval of a derivative", {20, 30}, {2, 2}, .engine = BY_ARRAYS, .order = 1, .dst_maxval = 255},
    {"a greater maxval of dst", {20, 30}, {2, 2}, .engine = BY_ARRAYS, .src_maxval = 255, .to = SMOOTHIMG_U16, .dst_maxval = 300},
    {"a maxval, three axes", {9, 10, 11}, {2, 2, 2}, .engine = BY_ARRAYS, .type = SMOOTHIMG_U16, .src_maxval = 4095, .dst_maxval = 4095},
    {"NaN of integers", {7, 8, 9}, {2, 2, 2}, .engine = BY_ARRAYS, .missing = SMOOTHIMG_NAN},
    {"without NaN", {20, 30}, {2, 2}, .engine = BY_IMAGES, .type = SMOOTHIMG_F32, .missing = SMOOTHIMG_NAN},
    {"alpha", {20, 30, 4}, {2, 2}, .engine = BY_IMAGES, ALPHA},
    {"alpha, Fortran's rows", {3, 20, 30, 2}, {0, 2, 1}, .engine = BY_IMAGES, .src = "0213", .dst = "0213", ALPHA},
    {"alpha, rows alone", {20, 30, 4}, {0, 2}, .engine = BY_IMAGES, ALPHA},
    {"alpha, columns alone", {20, 30, 2}, {2}, .engine = BY_IMAGES, ALPHA},
    {"alpha, one column alone", {20, 1, 2}, {2}, .engine = BY_IMAGES, .src = ".012", .dst = ".012", ALPHA},
    {"alpha, nothing smoothed", {20, 30, 2}, {-1, -1}, .engine = BY_IMAGES, ALPHA},

    {"rows", {30, 40}, {2, 2}, .engine = BY_IMAGES, .first = {9}, .end = {21}},
    {"rows at the end", {3, 30, 40}, {0, 2, 2}, .engine = BY_IMAGES, .first = {1, 29}, .end = {3}},
    {"Fortran's rows", {30, 40}, {1, 3}, .engine = BY_IMAGES, .src = "10", .dst = "10", .first = {0, 7}},
    {"rows backwards", {30, 40}, {2, 2}, .engine = BY_IMAGES, .src = "-01", .dst = "-01", .first = {3}, .end = {7}},
    {"all beside it", {30, 40, 3}, {2, 3}, .engine = BY_IMAGES, .first = {3, 4}, .end = {27, 37}},
    {"all beside it, backwards", {30, 40}, {1, 2}, .engine = BY_IMAGES, .src = "-1-0", .dst = "-1-0", .first = {2, 2}, .end = {20, 38}},
    {"too little beside it", {30, 40}, {2, 2}, .engine = BY_IMAGES, .first = {3, 1}, .end = {27, 38}},
    {"a corner", {30, 40}, {2, 2}, .engine = BY_IMAGES, .end = {20, 30}},
    {"some rows alone", {30, 40}, {0, 2}, .engine = BY_IMAGES, .first = {3}, .end = {17}},
    {"one row alone", {30, 40, 3}, {0, 2}, .engine = BY_IMAGES, .first = {3, 2}, .end = {4, 38}},
    {"some columns alone", {30, 40}, {2}, .engine = BY_IMAGES, .first = {0, 3}, .end = {30, 17}},
    {"a part of some columns alone", {30, 40}, {2}, .engine = BY_IMAGES, .first = {2, 3}, .end = {28, 17}},
    {"a channel", {30, 40, 3}, {2, 2}, .engine = BY_ARRAYS, .first = {0, 0, 1}, .end = {30, 40, 2}},
    {"images between the rows of each other", {5, 10, 13}, {1}, .engine = BY_IMAGES, .src = "0.12", .dst = "0.12",
     .first = {3, 0, 6}, .end = {4, 4, 12}, .type = SMOOTHIMG_F32},
    {"parts of several images", {4, 7, 17}, {0, 0, 1}, .engine = BY_IMAGES, .first = {0, 2, 13}, .end = {4, 4, 15},
     .type = SMOOTHIMG_F32},
    {"the last pixels of memory", {16, 8}, {0, -1}, .engine = BY_IMAGES, .first = {10, 6}, .type = SMOOTHIMG_F32,
     .missing = SMOOTHIMG_NAN},
    {"alpha, all beside it", {30, 40, 2}, {2, 2}, .engine = BY_IMAGES, .first = {2, 2}, .end = {28, 38}, ALPHA},
    {"alpha, a column", {30, 40, 2}, {2}, .engine = BY_IMAGES, .first = {2, 2}, .end = {28, 3}, ALPHA},

    {"doubles without NaN", {9, 9}, {2, 2}, .type = SMOOTHIMG_F64, .missing = SMOOTHIMG_NAN,
     .refusal = "with leaving NaN out samples are uint8, uint16 or float32"},
    {"alpha of floats", {9, 9, 4}, {2, 2}, .type = SMOOTHIMG_F32, ALPHA,
     .refusal = "src: floats are not weighted by alpha; use a filter without it, which smooths each "
                "channel by itself"},
    {"alpha to floats", {9, 9, 4}, {2, 2}, .to = SMOOTHIMG_F32, ALPHA,
     .refusal = WITH_ALPHA "the result has the type of the source"},
    {"alpha, a derivative", {9, 9, 4}, {2, 2}, .order = 1, ALPHA, .refusal = WITH_ALPHA "there are no derivatives"},
    {"alpha, edge rules", {9, 9, 4}, {2, 2}, .edge = SMOOTHIMG_WRAP, ALPHA,
     .refusal = WITH_ALPHA "both axes have the same edge rule"},
    {"alpha, a constant", {9, 9, 4}, {2, 0}, .edge = SMOOTHIMG_CONSTANT, ALPHA,
     .refusal = WITH_ALPHA "the constant outside is 0"},
    {"alpha, three axes", {9, 9, 9, 4}, {2, 2, 2}, ALPHA, .refusal = WITH_ALPHA "one or two axes are smoothed"},
    {"alpha, pixels with gaps", {9, 9, 4}, {2, 2}, .dst = "0.12", ALPHA, .refusal = SIDE_BY_SIDE},
    {"alpha, channels with gaps", {9, 9, 4}, {2, 2}, .dst = "01.2", ALPHA, .refusal = CHANNELS},
    {"alpha, channels backwards", {9, 9, 4}, {2, 2}, .src = "01-2", .dst = "01-2", ALPHA, .refusal = CHANNELS},
    {"alpha, some channels", {9, 1, 4}, {2, 2}, .end = {9, 1, 3}, ALPHA, .refusal = CHANNELS},
    {"alpha, backwards in one", {9, 9, 4}, {2, 2}, .dst = "0-12", ALPHA,
     .refusal = WITH_ALPHA "along each axis the strides of both arrays have the same sign"},
    {"alpha, one row as all", {9, 9, 4}, {2, 2}, .src = "=012", ALPHA,
     .refusal = WITH_ALPHA "along each axis the strides of both arrays have the same sign"},
    {"alpha, smoothed too", {9, 9, 4}, {2, 0, 2}, ALPHA,
     .refusal = WITH_ALPHA "the last axis, of colours and alpha, is not smoothed"},
    {"alpha, no other axis", {9}, {-1}, ALPHA, .refusal = WITH_ALPHA "one or two axes are smoothed"},
    {"alpha, arrays", {9, 9, 4}, {2, 2}, ALPHA, .choice = "arrays",
     .refusal = WITH_ALPHA "the engine of arrays is not chosen"},
    {"a maxval of dst", {9, 9}, {2, 2}, .dst_maxval = 99, .refusal = "with a maxval of dst src and dst have one maxval"},
    {"a maxval of a derivative", {9, 9}, {2, 2}, .order = 1, .src_maxval = 99, .dst_maxval = 99,
     .refusal = "with a maxval of dst there are no derivatives"},
};
// clang-format on

static int axes_of(const struct row *row)
{
    int axes = 0;

    while (axes < AXES && row->shape[axes] > 0)
        axes++;
    return axes;
}

static struct smoothimg_filter *filter_of_row(const struct row *row)
{
    struct smoothimg_axis axis[AXES] = {{0}};
    const struct smoothimg_filter_options options = {.axes = axes_of(row),
                                                     .axis = axis,
                                                     .norm = row->norm,
                                                     .missing = row->missing,
                                                     .outside =
                                                         row->edge == SMOOTHIMG_CONSTANT ? 1 : 0};
    struct smoothimg_filter *filter;

    for (int a = 0; a < AXES; a++)
        axis[a].radius = row->radius[a];
    axis[0].order = row->order;
    axis[0].edge = row->edge;
    NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
    return filter;
}

static void places_make(struct place *src, struct place *dst, const struct row *row)
{
    const int axes = axes_of(row);
    int64_t part[AXES];

    for (int a = 0; a < axes; a++)
        part[a] = (row->end[a] > 0 ? row->end[a] : row->shape[a]) - row->first[a];
    place_make(src, axes, row->shape, row->type, row->src, 1);
    place_make(dst, axes, part, row->to ? row->to : row->type, row->dst, POISON);
    src->array.maxval = row->src_maxval;
    dst->array.maxval = row->dst_maxval;
}

static void check_computed(const struct row *row, const struct smoothimg_filter *filter,
                           const struct place *src, const struct place *dst)
{
    CHECK(run(filter, src, dst, row->first) == SMOOTHIMG_OK, "%s: %s", row->name,
          smoothimg_message(context));
    CHECK((strcmp(smoothimg_chosen(context), "arrays") != 0) == (row->engine == BY_IMAGES),
          "%s: computed by %s", row->name, smoothimg_chosen(context));
}

/* It is refused with the row's message, nothing is written, and it is not reserved either, unless
 * the same part elsewhere could be computed. */
static void check_refused(const struct row *row, const struct smoothimg_filter *filter,
                          const struct place *src, const struct place *dst)
{
    NEED(smoothimg_choose(context, row->choice) == SMOOTHIMG_OK);
    CHECK(run(filter, src, dst, row->first) == SMOOTHIMG_UNSUPPORTED, "%s: it is served",
          row->name);
    CHECK(strcmp(smoothimg_message(context), row->refusal) == 0, "%s: %s\nwanted: %s", row->name,
          smoothimg_message(context), row->refusal);
    CHECK(is_untouched(dst), "%s: it was written", row->name);
    CHECK(row->first[1] > 0 ||
              smoothimg_reserve(context, filter, &src->array, &dst->array) == SMOOTHIMG_UNSUPPORTED,
          "%s: it is reserved", row->name);
    NEED(smoothimg_choose(context, NULL) == SMOOTHIMG_OK);
}

static void check_row(const struct row *row)
{
    struct smoothimg_filter *filter = filter_of_row(row);
    struct place src, dst;

    places_make(&src, &dst, row);
    (row->refusal ? check_refused : check_computed)(row, filter, &src, &dst);
    place_drop(&src), place_drop(&dst);
    smoothimg_filter_free(filter);
}

/* --- What computed, by name. */

#ifndef DEVICE
static void check_chosen(void)
{
    static const struct {
        const char *choice, *chosen;
        int row;
    } names[] = {{NULL, "cpu:u8", 0},
                 {NULL, "arrays", 1},
                 {"reference", "reference", 0},
                 {"reference", "arrays", 1},
                 {"arrays", "arrays", 0}};
    struct smoothimg_context *fresh;

    NEED(smoothimg_open(1, &fresh) == SMOOTHIMG_OK);
    CHECK(strcmp(smoothimg_chosen(fresh), "") == 0, "of no call: %s", smoothimg_chosen(fresh));
    smoothimg_close(fresh);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct smoothimg_filter *filter = filter_of_row(&rows[names[i].row]);
        struct place src, dst;

        places_make(&src, &dst, &rows[names[i].row]);
        NEED(smoothimg_choose(context, names[i].choice) == SMOOTHIMG_OK);
        CHECK(run(filter, &src, &dst, NULL) == SMOOTHIMG_OK, "%s", smoothimg_message(context));
        CHECK(strcmp(smoothimg_chosen(context), names[i].chosen) == 0, "%s, not %s",
              smoothimg_chosen(context), names[i].chosen);
        CHECK(smoothimg_move(context, NULL, NULL, &src.array, &dst.array, NULL) == SMOOTHIMG_OK &&
                  strcmp(smoothimg_chosen(context), "copy") == 0,
              "a copy by %s", smoothimg_chosen(context));
        CHECK(smoothimg_move(context, NULL, NULL, &src.array, &src.array, NULL) ==
                      SMOOTHIMG_INVALID &&
                  strcmp(smoothimg_chosen(context), "copy") == 0,
              "a call that failed changes it to %s", smoothimg_chosen(context));
        smoothimg_filter_free(filter);
        place_drop(&src), place_drop(&dst);
    }
    NEED(smoothimg_choose(context, NULL) == SMOOTHIMG_OK);
}
#endif

/* --- Calls that are wrong as a whole. */

#define TERMS 3

/* Where one of several results cannot be computed, none is written. */
static void check_refused_term(void)
{
    static const int64_t shape[] = {17, 23};
    const struct smoothimg_axis axes[TERMS * 2] = {[0].sigma = 1, [3].sigma = 1, [4].sigma = 2};
    const struct smoothimg_filter_options options = {
        .axes = 2, .terms = TERMS, .axis = axes, .combination = SMOOTHIMG_APART};
    struct smoothimg_filter *apart;
    struct place src, dst[TERMS];

    NEED(smoothimg_filter_create(context, &options, &apart) == SMOOTHIMG_OK);
    place_make(&src, 2, shape, SMOOTHIMG_U8, NULL, 1);
    for (int kind = 0; kind < 3; kind++) {
        struct smoothimg_array results[TERMS];

        for (int t = 0; t < TERMS; t++) {
            place_make(&dst[t], 2, shape, SMOOTHIMG_U8, NULL, POISON);
            results[t] = dst[t].array;
        }
        if (kind == 0)
            results[2].data = src.array.data;
        else if (kind == 1)
            results[2].maxval = 99;
        else
            results[2].axes = 3;
        CHECK(smoothimg_filter(context, apart, &src.array, results, NULL, NULL) ==
                  (kind == 1 ? SMOOTHIMG_UNSUPPORTED : SMOOTHIMG_INVALID),
              "kind %d: %s", kind, smoothimg_message(context));
        CHECK(is_untouched(&dst[0]), "kind %d: something was written", kind);
        for (int t = 0; t < TERMS; t++)
            place_drop(&dst[t]);
    }
    smoothimg_filter_free(apart);
    place_drop(&src);
}

/* A part's result in the rows, or the columns, of src that the part does not depend on: it would
 * change src. */
static void check_part_in_src(void)
{
    const int64_t shape[] = {30, 40};

    for (int axis = 0; axis < 2; axis++) {
        struct smoothimg_axis smooth[2] = {{0}};
        const struct smoothimg_filter_options options = {.axes = 2, .axis = smooth};
        const int64_t part[] = {axis == 0 ? 30 : 5, axis == 0 ? 10 : 40};
        const int64_t first[] = {axis == 0 ? 0 : 3, axis == 0 ? 3 : 0};
        struct smoothimg_filter *filter;
        struct smoothimg_array dst;
        struct place src;

        smooth[axis].radius = 2;
        NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
        place_make(&src, 2, shape, SMOOTHIMG_U8, NULL, 1);
        dst = src.array;
        dst.data = src.memory + (axis == 0 ? 20 : 20 * 40);
        dst.shape = part;
        CHECK(smoothimg_filter(context, filter, &src.array, &dst, first, NULL) == SMOOTHIMG_INVALID,
              "along axis %d", axis);
        smoothimg_filter_free(filter);
        place_drop(&src);
    }
}

int main(void)
{
    NEED(smoothimg_open(2, &context) == SMOOTHIMG_OK);
#ifdef DEVICE
    struct error error;

    NEED(gpu_open(0, &gpu, &error) == STATUS_OK);
    NEED(smoothimg_use_device(context, 0) == SMOOTHIMG_OK);
#endif
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
    check_refused_term();
    check_part_in_src();
#ifndef DEVICE
    check_chosen();
#endif
    smoothimg_close(context);
    return unit_result();
}
