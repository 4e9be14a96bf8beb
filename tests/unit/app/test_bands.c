/* SPDX-License-Identifier: MIT */
/* Bands of rows against the whole image: files must be the same, byte for byte, whatever the edge
 * rule, the shape, the halo, the height of the bands, the threads, and the kinds of both files. */
#include "kernels/common/engine.h"
#include "tests/unit/app/band_files.h"
#include "src/files/light/light.h"
#include "src/files/mask/mask.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tests/unit/run_variant.h"

#include <string.h>
#include <unistd.h>

extern const struct variant variant_smooth_cpu, variant_smooth_reference;
extern const struct variant variant_reverse_reference;

/* What is tested, and what says which result is right. */
struct pair {
    struct dispatcher *fast;
    const struct variant *reference;
};

static struct pair smooths = {.reference = &variant_smooth_reference};
static struct pair reverses = {.reference = &variant_reverse_reference};

/* How the source is written, and so how its rows can be read. */
static const struct kind {
    enum format format;
    bool plain;
    enum row_order order;
} kinds[] = {{FORMAT_PAM, false, ROWS_IN_ANY_ORDER},
             {FORMAT_PGM, true, ROWS_IN_ORDER},
             {FORMAT_PPM, true, ROWS_IN_ORDER},
             {FORMAT_PNG, false, ROWS_IN_ORDER}};

static const struct shape shapes[] = {
    {1, 1, 1, 255},  {7, 1, 1, 255},  {1, 23, 1, 1},     {5, 2, 1, 65535}, {9, 40, 1, 255},
    {66, 31, 1, 77}, {13, 9, 3, 255}, {6, 17, 3, 65535}, {3, 33, 2, 300},
};

static const struct {
    int64_t x, y;
} halos[] = {{0, 0}, {1, 1}, {4, 4}, {50, 50}, {0, 4}, {7, 0}, {2, 11}};

static bool holds(const struct kind *kind, const struct shape *shape)
{
    if (kind->format == FORMAT_PNG) /* its maxval is what it can say, and it is read as 8 or 16 */
        return shape->maxval == 255 || shape->maxval == 65535;
    return kind->format == FORMAT_PAM || shape->channels == (kind->format == FORMAT_PGM ? 1 : 3);
}

static void check_heights(const struct pair *pair, const struct filter *filter,
                          const struct filter_weights *weights, const struct kind *kind,
                          const struct shape *shape)
{
    const char *in = scratch_path("in"), *wanted = scratch_path("wanted"),
               *out = scratch_path("out");
    const enum format format = FORMAT_PAM;
    struct image image = scratch_image(shape->width, shape->height, shape->channels, shape->maxval,
                                       filter_halo(filter), (unsigned)shape->height);
    struct error error;

    image.format = kind->format;
    band_write(in, kind->format, kind->plain, &image, 1);
    halo_fill(&image, filter->edge, filter->x.halo, filter->y.halo);
    band_expect(pair->reference, wanted, format, &image, pair == &smooths ? weights : NULL);
    for (int64_t rows = 0; rows <= 50; rows = rows < 5 ? rows + 1 : rows * 2)
        for (int threads = rows == 2 || rows == 5 ? 3 : 1; threads >= 1; threads -= 2) {
            const struct bands bands = {.dispatcher = pair->fast,
                                        .operations = band_operations(
                                            pair->reference->op, pair == &smooths ? weights : NULL),
                                        .threads = threads,
                                        .rows = rows};

            CHECK(band_run(&bands, in, out, format, kind->order, &error) == STATUS_OK, "%s",
                  error.text);
            CHECK(same_files(out, wanted),
                  "%s, kind %d, %lld x %lld, %d channels, maxval %u, halo %lld,%lld, edge %d, "
                  "bands of "
                  "%lld, "
                  "%d threads",
                  pair == &smooths ? "smooth" : "reverse", (int)(kind - kinds),
                  (long long)shape->width, (long long)shape->height, (int)shape->channels,
                  shape->maxval, (long long)filter->x.halo, (long long)filter->y.halo,
                  (int)filter->edge, (long long)rows, threads);
        }
    image_free(&image);
}

static void check_shapes(const struct pair *pair, const struct filter *filter,
                         const struct filter_weights *weights)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            if (holds(&kinds[k], &shapes[s]))
                check_heights(pair, filter, weights, &kinds[k], &shapes[s]);
}

static void test_results(void)
{
    static struct filter_weights weights;
    struct filter filter;

    for (int edge = EDGE_CLAMP; edge <= EDGE_ZERO; edge++)
        for (size_t h = 0; h < sizeof halos / sizeof *halos; h++) {
            band_filter(&filter, &weights, halos[h].x, halos[h].y, (enum edge)edge);
            check_shapes(&smooths, &filter, &weights);
        }
    band_filter(&filter, &weights, 0, 0, EDGE_CLAMP);
    check_shapes(&reverses, &filter, &weights);
}

/* Images of different sizes one behind the other, in both files. */
static void test_several(void)
{
    static struct filter_weights weights;
    struct filter filter;
    const char *in = scratch_path("in"), *wanted = scratch_path("wanted"),
               *out = scratch_path("out");
    struct image images[] = {scratch_image(20, 9, 1, 255, 1, 1), scratch_image(3, 30, 1, 999, 1, 2),
                             scratch_image(1, 1, 3, 255, 1, 3)};
    struct image_writer writer = band_writer(wanted, FORMAT_PAM, false, false);
    struct bands bands = {.dispatcher = smooths.fast,
                          .operations = band_operations(OP_SMOOTH, &weights)};
    const struct request request = {.filter = &weights, .threads = 1};
    struct error error;

    band_filter(&filter, &weights, 1, 1, EDGE_CLAMP);
    band_write(in, FORMAT_PAM, false, images, 3);
    for (int i = 0; i < 3; i++) {
        struct image result;

        halo_fill(&images[i], EDGE_CLAMP, images[i].halo, images[i].halo);
        NEED(run_variant(&variant_smooth_reference, &images[i], &request, NULL, 0, &result,
                         &error) == STATUS_OK);
        NEED(image_writer_put(&writer, &result, &error) == STATUS_OK);
        image_free(&result);
        image_free(&images[i]);
    }
    NEED(fclose(writer.file) == 0);
    bands.threads = 2;
    bands.rows = 4;
    CHECK(band_run(&bands, in, out, FORMAT_PAM, ROWS_IN_ANY_ORDER, &error) == STATUS_OK, "%s",
          error.text);
    CHECK(same_files(out, wanted), "three images in a file");
}

/* A 4 x 40 image whose sample is above the maxval in one column of rows `bad`..39. */
static void write_bad(const char *path, bool plain, int bad)
{
    FILE *file = fopen(path, "wb");

    NEED(file && fputs(plain ? "P2 4 40 9\n" : "P5 4 40 9\n", file) >= 0);
    for (int i = 0; i < 4 * 40; i++) {
        const int sample = i % 4 == 2 && i / 4 >= bad ? 10 : 1;

        NEED((plain ? fprintf(file, "%d ", sample) > 0 : fputc(sample, file) == sample));
    }
    NEED(fclose(file) == 0);
}

/* Of several samples above maxval the first is named, whichever thread finds one. */
static void test_first_fault(void)
{
    static struct filter_weights weights;
    struct filter filter;
    const char *in = scratch_path("bad"), *out = scratch_path("out");
    struct error error;

    for (int i = 0; i < 4 * 40; i++) {
        const bool plain = i % 2 != 0, wrap = i % 4 / 2 != 0;
        const struct bands bands = {.dispatcher = smooths.fast,
                                    .operations = band_operations(OP_SMOOTH, &weights),
                                    .threads = 3,
                                    .rows = 2};
        char wanted[80];

        band_filter(&filter, &weights, 4, 4, wrap ? EDGE_WRAP : EDGE_CLAMP);
        write_bad(in, plain, i / 4);
        snprintf(wanted, sizeof wanted, "column 3 of 4, row %d of 40 is 10, above", i / 4 + 1);
        CHECK(band_run(&bands, in, out, FORMAT_PGM, kinds[plain].order, &error) == STATUS_INPUT,
              "row %d", i / 4);
        CHECK(strstr(error.text, wanted), "'%s' without '%s'", error.text, wanted);
    }
}

/* A file that gets shorter while it is read, and one that cannot take what is written. */
static void test_failures(void)
{
    static struct filter_weights weights;
    const struct bands bands = {.dispatcher = smooths.fast,
                                .operations = band_operations(OP_SMOOTH, &weights),
                                .threads = 2,
                                .rows = 8};
    const char *in = scratch_path("in"), *out = scratch_path("out");
    struct filter filter;
    struct image image = scratch_image(50, 64, 1, 255, 0, 1), header;
    struct bands_times times = {0};
    struct image_reader reader;
    struct image_writer writer = band_writer(out, FORMAT_PGM, false, true);
    struct band_plan plan;
    struct error error;
    bool found;

    band_filter(&filter, &weights, 1, 1, EDGE_CLAMP);
    band_write(in, FORMAT_PAM, false, &image, 1);
    image_free(&image);
    NEED(image_reader_open(&reader, in, 1000000, &error) == STATUS_OK);
    NEED(image_reader_begin(&reader, &header, &found, &error) == STATUS_OK && found);
    NEED(truncate(in, 2000) == 0);
    plan = bands_plan(&bands, &reader, &writer, &header);
    CHECK(bands_run(&bands, &plan, &reader, &writer, &header, &times, &error) == STATUS_INPUT &&
              strstr(error.text, "truncated: the file ends in row"),
          "%s", error.text);
    image_reader_close(&reader);
    NEED(fclose(writer.file) == 0);

    image = scratch_image(50, 64, 1, 255, 0, 1);
    band_write(in, FORMAT_PAM, false, &image, 1);
    image_free(&image);
    writer = band_writer(out, FORMAT_PGM, false, true);
    writer.file = freopen("/dev/full", "wb", writer.file);
    NEED(writer.file && image_reader_open(&reader, in, 1000000, &error) == STATUS_OK);
    NEED(image_reader_begin(&reader, &header, &found, &error) == STATUS_OK && found);
    plan = bands_plan(&bands, &reader, &writer, &header);
    CHECK(bands_run(&bands, &plan, &reader, &writer, &header, &times, &error) == STATUS_OUTPUT &&
              strstr(error.text, "cannot be written"),
          "%s", error.text);
    image_reader_close(&reader);
    fclose(writer.file);
}

static struct band_plan plan_within(const struct bands *bands, int64_t width, int64_t height,
                                    enum format format, enum row_order order)
{
    const struct shape shape = {width, height, 1, 255};
    const struct image_reader reader = {.order = order};
    struct image_writer writer = band_writer(scratch_path("out"), format, false, true);
    struct image header;
    struct band_plan plan;
    int64_t block;

    image_describe(&header, &shape);
    block = image_writer_requirements(&writer, &header).block_rows;
    plan = bands_plan(bands, &reader, &writer, &header);
    CHECK(plan.rows % block == 0 && plan.rows > 0, "%lld rows", (long long)plan.rows);
    if (bands->max_bytes > 0 && plan.bytes > bands->max_bytes)
        CHECK(plan.threads == 1 && plan.rows == block, "%d threads, %lld rows", plan.threads,
              (long long)plan.rows);
    fclose(writer.file);
    return plan;
}

/* Of several threads each has its band, its result, and what the variant works in. */
static void test_estimate(void)
{
    static struct filter_weights weights;
    struct bands bands = {.dispatcher = smooths.fast,
                          .operations = band_operations(OP_SMOOTH, &weights),
                          .threads = 1,
                          .rows = 20};
    const struct shape whole = {100, 1000, 1, 65535}, band = {100, 20, 1, 65535};
    const struct image_reader reader = {.order = ROWS_IN_ANY_ORDER};
    const struct image_writer writer = {.format = FORMAT_PAM, .own_file = true};
    struct filter filter;
    struct image header, src, dst;
    struct error error;
    struct job job = {.maxval = band.maxval, .threads = 1};
    int64_t one, least;

    band_filter(&filter, &weights, 50, 50, EDGE_CLAMP);
    job_set_filter(&job, &weights);
    NEED(image_alloc(&src, &band, 50, &error) == STATUS_OK);
    NEED(image_alloc(&dst, &band, 0, &error) == STATUS_OK);
    job.src = src.view;
    job.dst = dst.view;
    least = (int64_t)(src.memory_bytes + dst.memory_bytes +
                      scratch_bytes_of(&variant_smooth_cpu, &job));
    image_describe(&header, &whole);
    one = bands_plan(&bands, &reader, &writer, &header).bytes;
    CHECK(one >= least, "%lld bytes, and not %lld", (long long)one, (long long)least);
    bands.threads = 3;
    CHECK(bands_plan(&bands, &reader, &writer, &header).bytes == 3 * one, "three threads");
    image_free(&src);
    image_free(&dst);
}

/* A limit of memory makes bands smaller and then threads fewer, down to one row of one thread. */
static void test_limit(void)
{
    static struct filter_weights weights;
    struct bands bands = {.dispatcher = smooths.fast,
                          .operations = band_operations(OP_SMOOTH, &weights)};
    struct filter filter;
    struct band_plan plan, last = {0};
    int64_t most;

    band_filter(&filter, &weights, 10, 10, EDGE_CLAMP);
    for (int format = FORMAT_PGM; format <= FORMAT_PNG; format += FORMAT_PNG - FORMAT_PGM)
        for (int order = ROWS_IN_ORDER; order <= ROWS_IN_ANY_ORDER; order += 2) {
            bands.threads = 7;
            bands.max_bytes = INT64_MAX;
            most =
                plan_within(&bands, 1000, 100000, (enum format)format, (enum row_order)order).bytes;
            for (bands.max_bytes = most; bands.max_bytes > 1; bands.max_bytes /= 2) {
                plan =
                    plan_within(&bands, 1000, 100000, (enum format)format, (enum row_order)order);
                if (bands.max_bytes < most)
                    CHECK(plan.threads <= last.threads &&
                              (plan.rows <= last.rows || plan.threads < last.threads),
                          "less memory, more work at a time");
                last = plan;
            }
            CHECK(plan.threads == 1, "%d threads", plan.threads);
        }
    bands.max_bytes = 0;
    plan = plan_within(&bands, 1000, 100000, FORMAT_PGM, ROWS_IN_ANY_ORDER);
    CHECK(plan.threads == 7 && plan.rows > 1, "no limit is one");
    bands.threads = 3;
    plan = plan_within(&bands, 1000, 20, FORMAT_PGM, ROWS_IN_ANY_ORDER);
    CHECK(plan.threads == 1 && plan.rows == 20, "%d threads for 20 rows", plan.threads);
}

/* The plan to reverse an image of a raw file, by one thread, in bands of so many rows (0: the
 * plan's own). */
static struct band_plan plan_of(const struct image *header, enum format format, int64_t rows)
{
    const struct bands bands = {.dispatcher = reverses.fast,
                                .operations = band_operations(OP_REVERSE, NULL),
                                .threads = 1,
                                .rows = rows};
    struct image_writer writer = band_writer(scratch_path("out"), format, false, true);
    const struct image_reader reader = {.order = ROWS_IN_ANY_ORDER};
    struct band_plan plan;

    plan = bands_plan(&bands, &reader, &writer, header);
    NEED(fclose(writer.file) == 0);
    return plan;
}

/* What a plan reserves is a source and a result. And rows that the writer encodes, with and without
 * a mask's channel or linear light, as it encodes them. */
static void test_reserved(void)
{
    enum { ROWS = 40 };
    const struct shape shape = {500, 4000, 2, 255}, band = {500, ROWS, 2, 255};
    const int64_t image = image_needs(&band, 0), rows = ROWS * 500 * 2;
    static const struct mask mask;   /* only whether there is one counts */
    static const struct light light; /* likewise */
    struct image header, masked, lit;

    image_describe(&header, &shape);
    masked = lit = header;
    masked.mask = &mask;
    lit.light = &light;
    CHECK(plan_of(&header, FORMAT_PAM, ROWS).bytes == 2 * image, "%lld",
          (long long)plan_of(&header, FORMAT_PAM, ROWS).bytes);
    CHECK(plan_of(&masked, FORMAT_PAM, ROWS).bytes == 2 * image + rows, "with a mask");
    CHECK(plan_of(&lit, FORMAT_PAM, ROWS).bytes == 2 * image + rows, "in linear light");
}

/* As many rows as fill the cache, or, where that takes longer than computing, those that the writer
 * compresses at once; more where rows around them are computed again. */
static void test_heights(void)
{
    static struct filter_weights weights;
    const struct shape shape = {4096, 5000, 1, 255};
    const struct bands wide = {.dispatcher = smooths.fast,
                               .operations = band_operations(OP_SMOOTH, &weights),
                               .threads = 1};
    const struct image_reader reader = {.order = ROWS_IN_ANY_ORDER};
    struct filter filter;
    struct image_writer writer = band_writer(scratch_path("out"), FORMAT_PNG, false, true);
    struct image header;

    image_describe(&header, &shape);
    CHECK(plan_of(&header, FORMAT_PAM, 0).rows == (1 << 20) / 4096, "%lld rows of a raw file",
          (long long)plan_of(&header, FORMAT_PAM, 0).rows);
    CHECK(plan_of(&header, FORMAT_PNG, 0).rows ==
              image_writer_requirements(&writer, &header).block_rows,
          "%lld rows of PNG", (long long)plan_of(&header, FORMAT_PNG, 0).rows);
    band_filter(&filter, &weights, 0, 100, EDGE_CLAMP);
    writer.format = FORMAT_PAM;
    CHECK(bands_plan(&wide, &reader, &writer, &header).rows == 100 * BAND_MIN_HALOS,
          "%lld rows at halo 100", (long long)bands_plan(&wide, &reader, &writer, &header).rows);
    NEED(fclose(writer.file) == 0);
}

int main(void)
{
    scratch_make();
    smooths.fast = band_dispatcher(OP_SMOOTH, "cpu", 8, 0);
    reverses.fast = band_dispatcher(OP_REVERSE, "cpu", 8, 0);
    test_results();
    test_several();
    test_first_fault();
    test_failures();
    test_estimate();
    test_limit();
    test_reserved();
    test_heights();
    dispatcher_close(smooths.fast);
    dispatcher_close(reverses.fast);
    return unit_result();
}
