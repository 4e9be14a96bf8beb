/* SPDX-License-Identifier: MIT */
/* Bands of rows against the whole image: files must be the same, byte for byte, whatever the edge
 * rule, the shape, the halo, the height of the bands, the threads, and the kinds of both files. */
#include "bands.h"
#include "gauss.h"
#include "run.h"
#include "scratch.h"
#include "unit.h"

#include <string.h>
#include <unistd.h>

extern const struct variant variant_smooth_cpu, variant_smooth_reference;
extern const struct variant variant_reverse_cpu, variant_reverse_reference;

/* What is tested, and what says which result is right. */
struct pair {
    const struct variant *fast, *reference;
};

static const struct pair smooths = {&variant_smooth_cpu, &variant_smooth_reference};
static const struct pair reverses = {&variant_reverse_cpu, &variant_reverse_reference};

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

static const int64_t halos[] = {0, 1, 4, 50};

static void make_filter(struct filter *filter, uint64_t *weights, int64_t halo, enum edge edge)
{
    struct error error;

    *filter = (struct filter){.halo = halo, .edge = edge};
    NEED(gauss_weights(filter, weights, &error) == STATUS_OK);
}

static struct sink open_sink(const char *path, enum format format, bool plain, bool own_file)
{
    struct sink sink = {.file = fopen(path, "wb"),
                        .name = path,
                        .format = format,
                        .own_file = own_file,
                        .options = {.plain = plain, .png_level = 1, .threads = 2}};

    NEED(sink.file);
    return sink;
}

static void write_images(const char *path, const struct kind *kind, const struct image *images,
                         int count)
{
    struct sink sink = open_sink(path, kind->format, kind->plain, false);
    struct error error;

    for (int i = 0; i < count; i++)
        NEED(sink_put(&sink, &images[i], &error) == STATUS_OK);
    NEED(fclose(sink.file) == 0);
}

/* The whole image by the definition, into the path. */
static void expect(const struct variant *reference, const char *path, enum format format,
                   const struct image *image, const struct filter *filter, const uint64_t *weights)
{
    const struct run_options run = {.weights = weights, .halo = filter->halo, .threads = 1};
    struct sink sink = open_sink(path, format, false, false);
    struct error error;
    struct image result;

    NEED(run_variant(reference, image, &run, 0, &result, &error) == STATUS_OK);
    result.format = image->format;
    NEED(sink_put(&sink, &result, &error) == STATUS_OK);
    NEED(fclose(sink.file) == 0);
    image_free(&result);
}

/* All images of the path, by bands. */
static enum status go(const struct bands *bands, const char *from, const char *to,
                      enum format format, const struct kind *kind, struct error *error)
{
    struct source source;
    struct image about;
    struct bands_times times = {0};
    struct sink sink = open_sink(to, format, false, true);
    bool found = true;
    enum status status = source_open(&source, from, 1000000, error);

    NEED(status == STATUS_OK);
    while (status == STATUS_OK && found) {
        status = source_begin(&source, &about, &found, error);
        if (status == STATUS_OK && found) {
            CHECK(source.order == kind->order, "%s is read in order %d", from, source.order);
            status = bands_run(bands, &source, &sink, &about, &times, error);
        }
    }
    source_close(&source);
    NEED(fclose(sink.file) == 0);
    return status;
}

static bool same_files(const char *a, const char *b)
{
    size_t counts[2];
    unsigned char *bytes[2] = {scratch_read(a, &counts[0]), scratch_read(b, &counts[1])};
    const bool same = counts[0] == counts[1] && memcmp(bytes[0], bytes[1], counts[0]) == 0;

    free(bytes[0]);
    free(bytes[1]);
    return same;
}

static bool holds(const struct kind *kind, const struct shape *shape)
{
    if (kind->format == FORMAT_PNG) /* its maxval is what it can say, and it is read as 8 or 16 */
        return shape->maxval == 255 || shape->maxval == 65535;
    return kind->format == FORMAT_PAM || shape->channels == (kind->format == FORMAT_PGM ? 1 : 3);
}

static void check_heights(const struct pair *pair, const struct filter *filter,
                          const uint64_t *weights, const struct kind *kind,
                          const struct shape *shape)
{
    const char *in = scratch_path("in"), *wanted = scratch_path("wanted"),
               *out = scratch_path("out");
    const enum format format = FORMAT_PAM;
    struct image image = scratch_image(shape->width, shape->height, shape->channels, shape->maxval,
                                       filter->halo, (unsigned)shape->height);
    struct error error;

    image.format = kind->format;
    write_images(in, kind, &image, 1);
    halo_fill(&image, filter->edge);
    expect(pair->reference, wanted, format, &image, filter, weights);
    for (int64_t rows = 0; rows <= 50; rows = rows < 5 ? rows + 1 : rows * 2)
        for (int threads = rows == 2 || rows == 5 ? 3 : 1; threads >= 1; threads -= 2) {
            const struct bands bands = {.variant = pair->fast,
                                        .weights = weights,
                                        .halo = filter->halo,
                                        .edge = filter->edge,
                                        .threads = threads,
                                        .rows = rows};

            CHECK(go(&bands, in, out, format, kind, &error) == STATUS_OK, "%s", error.text);
            CHECK(same_files(out, wanted),
                  "%s, kind %d, %lld x %lld, %d channels, maxval %u, halo %lld, edge %d, bands of "
                  "%lld, "
                  "%d threads",
                  pair->fast == smooths.fast ? "smooth" : "reverse", (int)(kind - kinds),
                  (long long)shape->width, (long long)shape->height, (int)shape->channels,
                  shape->maxval, (long long)filter->halo, (int)filter->edge, (long long)rows,
                  threads);
        }
    image_free(&image);
}

static void check_shapes(const struct pair *pair, const struct filter *filter,
                         const uint64_t *weights)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            if (holds(&kinds[k], &shapes[s]))
                check_heights(pair, filter, weights, &kinds[k], &shapes[s]);
}

static void test_results(void)
{
    static uint64_t weights[2 * MAX_HALO + 1];
    struct filter filter;

    for (int edge = EDGE_CLAMP; edge <= EDGE_ZERO; edge++)
        for (size_t h = 0; h < sizeof halos / sizeof *halos; h++) {
            make_filter(&filter, weights, halos[h], (enum edge)edge);
            check_shapes(&smooths, &filter, weights);
        }
    make_filter(&filter, weights, 0, EDGE_CLAMP);
    check_shapes(&reverses, &filter, weights);
}

/* Images of different sizes one behind the other, in both files. */
static void test_several(void)
{
    static uint64_t weights[3];
    struct filter filter;
    const char *in = scratch_path("in"), *wanted = scratch_path("wanted"),
               *out = scratch_path("out");
    struct image images[] = {scratch_image(20, 9, 1, 255, 1, 1), scratch_image(3, 30, 1, 999, 1, 2),
                             scratch_image(1, 1, 3, 255, 1, 3)};
    struct sink sink = open_sink(wanted, FORMAT_PAM, false, false);
    struct bands bands = {.variant = &variant_smooth_cpu, .weights = weights, .halo = 1};
    const struct run_options run = {.weights = weights, .halo = 1, .threads = 1};
    struct error error;

    make_filter(&filter, weights, 1, EDGE_CLAMP);
    write_images(in, &kinds[0], images, 3);
    for (int i = 0; i < 3; i++) {
        struct image result;

        halo_fill(&images[i], EDGE_CLAMP);
        NEED(run_variant(&variant_smooth_reference, &images[i], &run, 0, &result, &error) ==
             STATUS_OK);
        NEED(sink_put(&sink, &result, &error) == STATUS_OK);
        image_free(&result);
        image_free(&images[i]);
    }
    NEED(fclose(sink.file) == 0);
    bands.threads = 2;
    bands.rows = 4;
    CHECK(go(&bands, in, out, FORMAT_PAM, &kinds[0], &error) == STATUS_OK, "%s", error.text);
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
    static uint64_t weights[9];
    struct filter filter;
    const char *in = scratch_path("bad"), *out = scratch_path("out");
    struct error error;

    for (int i = 0; i < 4 * 40; i++) {
        const bool plain = i % 2 != 0, wrap = i % 4 / 2 != 0;
        const struct bands bands = {.variant = &variant_smooth_cpu,
                                    .weights = weights,
                                    .halo = 4,
                                    .edge = wrap ? EDGE_WRAP : EDGE_CLAMP,
                                    .threads = 3,
                                    .rows = 2};
        char wanted[80];

        make_filter(&filter, weights, 4, bands.edge);
        write_bad(in, plain, i / 4);
        snprintf(wanted, sizeof wanted, "column 3 of 4, row %d of 40 is 10, above", i / 4 + 1);
        CHECK(go(&bands, in, out, FORMAT_PGM, &kinds[plain], &error) == STATUS_INPUT, "row %d",
              i / 4);
        CHECK(strstr(error.text, wanted), "'%s' without '%s'", error.text, wanted);
    }
}

/* A file that gets shorter while it is read, and one that cannot take what is written. */
static void test_failures(void)
{
    static uint64_t weights[3];
    const struct bands bands = {
        .variant = &variant_smooth_cpu, .weights = weights, .halo = 1, .threads = 2, .rows = 8};
    const char *in = scratch_path("in"), *out = scratch_path("out");
    struct filter filter;
    struct image image = scratch_image(50, 64, 1, 255, 0, 1), about;
    struct bands_times times = {0};
    struct source source;
    struct sink sink = open_sink(out, FORMAT_PGM, false, true);
    struct error error;
    bool found;

    make_filter(&filter, weights, 1, EDGE_CLAMP);
    write_images(in, &kinds[0], &image, 1);
    image_free(&image);
    NEED(source_open(&source, in, 1000000, &error) == STATUS_OK);
    NEED(source_begin(&source, &about, &found, &error) == STATUS_OK && found);
    NEED(truncate(in, 2000) == 0);
    CHECK(bands_run(&bands, &source, &sink, &about, &times, &error) == STATUS_INPUT &&
              strstr(error.text, "of 64; it is truncated"),
          "%s", error.text);
    source_close(&source);
    NEED(fclose(sink.file) == 0);

    image = scratch_image(50, 64, 1, 255, 0, 1);
    write_images(in, &kinds[0], &image, 1);
    image_free(&image);
    sink = open_sink(out, FORMAT_PGM, false, true);
    sink.file = freopen("/dev/full", "wb", sink.file);
    NEED(sink.file && source_open(&source, in, 1000000, &error) == STATUS_OK);
    NEED(source_begin(&source, &about, &found, &error) == STATUS_OK && found);
    CHECK(bands_run(&bands, &source, &sink, &about, &times, &error) == STATUS_OUTPUT &&
              strstr(error.text, "cannot be written"),
          "%s", error.text);
    source_close(&source);
    fclose(sink.file);
}

/* However small the limit: the result is the same, and what is taken is said beforehand. */
static void test_memory(void)
{
    static uint64_t weights[2 * 40 + 1];
    const char *in = scratch_path("in"), *wanted = scratch_path("wanted"),
               *out = scratch_path("out");
    struct image image = scratch_image(400, 900, 1, 255, 40, 3);
    struct filter filter;
    struct error error;
    int64_t last = INT64_MAX;

    make_filter(&filter, weights, 40, EDGE_REFLECT);
    halo_fill(&image, filter.edge);
    for (size_t k = 0; k < 2; k++, last = INT64_MAX) {
        write_images(in, &kinds[k], &image, 1);
        expect(smooths.reference, wanted, FORMAT_PGM, &image, &filter, weights);
        for (int64_t limit = 1 << 22; limit >= 1 << 16; limit /= 2) {
            const struct bands bands = {.variant = smooths.fast,
                                        .weights = weights,
                                        .halo = 40,
                                        .edge = filter.edge,
                                        .threads = 6,
                                        .max_bytes = limit};
            struct sink sink = open_sink(out, FORMAT_PGM, false, true);
            const struct source source = {.order = kinds[k].order};
            const int64_t bytes = bands_bytes(&bands, &source, &sink, &image);

            NEED(fclose(sink.file) == 0);
            CHECK(bytes <= limit || limit < 1 << 19, "%lld of %lld", (long long)bytes,
                  (long long)limit);
            CHECK(bytes <= last, "%lld, and with a higher limit %lld", (long long)bytes,
                  (long long)last);
            last = bytes;
            CHECK(go(&bands, in, out, FORMAT_PGM, &kinds[k], &error) == STATUS_OK, "%s",
                  error.text);
            CHECK(same_files(out, wanted), "with a limit of %lld", (long long)limit);
        }
        CHECK(last > 1 << 16, "the last limit was to be too small");
    }
    image_free(&image);
}

int main(void)
{
    scratch_make();
    test_memory();
    test_results();
    test_several();
    test_first_fault();
    test_failures();
    return unit_result();
}
