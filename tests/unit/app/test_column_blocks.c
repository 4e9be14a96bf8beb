/* SPDX-License-Identifier: MIT */
/* Column blocks against the whole image transposed: files must be the same, byte for byte,
 * whatever the shape, the samples, the width of the column blocks, the threads, the memory, and the
 * kind of the output. */
#include "tests/unit/scratch.h"
#include "src/app/stream/column_blocks/column_blocks.h"
#include "tests/unit/unit.h"
#include "tests/unit/run_variant.h"

#include <string.h>
#include <unistd.h>

extern const struct variant variant_transpose_cpu, variant_transpose_reference;

static const struct shape shapes[] = {
    {1, 1, 1, 255},     {7, 1, 1, 255},   {1, 23, 1, 1},      {5, 2, 1, 65535},  {70, 65, 1, 77},
    {13, 130, 1, 300},  {67, 3, 2, 255},  {64, 64, 2, 40000}, {33, 200, 3, 255}, {130, 9, 3, 65535},
    {31, 129, 4, 1000}, {66, 70, 4, 255}, {257, 100, 1, 255}, {19, 21, 7, 255},
};

static struct image_writer open_sink(const char *path, enum format format, int png_level)
{
    struct image_writer writer = {.file = fopen(path, "wb"),
                                  .name = path,
                                  .format = format,
                                  .own_file = true,
                                  .options = {.png_level = png_level, .threads = 2}};

    NEED(writer.file);
    return writer;
}

static void write_image(const char *path, enum format format, int png_level,
                        const struct image *image)
{
    struct image_writer writer = open_sink(path, format, png_level);
    struct error error;

    NEED(image_writer_put(&writer, image, &error) == STATUS_OK);
    NEED(fclose(writer.file) == 0);
}

static enum status go(const struct column_blocks *blocks, const char *from, const char *to,
                      enum format format, int png_level, struct error *error)
{
    struct image_reader reader;
    struct image header;
    struct bands_times times = {0};
    struct image_writer writer = open_sink(to, format, png_level);
    struct column_block_plan plan;
    bool found;
    enum status status;

    NEED(image_reader_open(&reader, from, 1000000, error) == STATUS_OK);
    NEED(image_reader_begin(&reader, &header, &found, error) == STATUS_OK && found);
    NEED(image_reader_has_columns(&reader));
    plan = column_blocks_plan(blocks, &writer, &header);
    status = column_blocks_run(blocks, &plan, &reader, &writer, &header, &times, error);
    CHECK(status != STATUS_OK || (reader.images == 1 && writer.images == 1), "images not counted");
    CHECK(times.halo == 0 && times.read > 0, "%g s of halo, %g s of reading", times.halo,
          times.read);
    image_reader_close(&reader);
    NEED(fclose(writer.file) == 0);
    return status;
}

static void check_widths(const struct shape *shape, const char *in, const char *wanted,
                         enum format format, int png_level)
{
    static const int64_t widths[] = {0, 1, 2, 3, 17, 64, 1000};
    const char *out = scratch_path("out");
    struct error error;

    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int threads = 1; threads <= 5; threads += 2) {
            const struct column_blocks blocks = {.variant = &variant_transpose_cpu,
                                                 .threads = threads,
                                                 .max_bytes = 1 << 30,
                                                 .columns = widths[i]};

            CHECK(go(&blocks, in, out, format, png_level, &error) == STATUS_OK, "%s", error.text);
            CHECK(same_files(out, wanted),
                  "%lld x %lld, %d channels, maxval %u, %s, level %d, blocks of %lld, %d threads",
                  (long long)shape->width, (long long)shape->height, (int)shape->channels,
                  shape->maxval, format_word(format), png_level, (long long)widths[i], threads);
        }
}

static void check_shape(const struct shape *shape, enum format format, int png_level)
{
    const struct request request = {.threads = 1};
    const char *in = scratch_path("in"), *wanted = scratch_path("wanted");
    struct image image = scratch_image(shape->width, shape->height, shape->channels, shape->maxval,
                                       0, (unsigned)shape->width);
    struct image turned;
    struct error error;

    write_image(in, FORMAT_PAM, 1, &image);
    NEED(run_variant(&variant_transpose_reference, &image, &request, NULL, 0, &turned, &error) ==
         STATUS_OK);
    write_image(wanted, format, png_level, &turned);
    check_widths(shape, in, wanted, format, png_level);
    image_free(&image);
    image_free(&turned);
}

static void test_results(void)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_shape(&shapes[i], FORMAT_PAM, 1);
        if (shapes[i].channels <= 4) {
            check_shape(&shapes[i], FORMAT_PNG, 1);
            check_shape(&shapes[i], FORMAT_PNG, 4);
        }
    }
}

/* Strips of several blocks of a PNG, which see the rows above them. */
static void test_lead(void)
{
    const char *in = scratch_path("in"), *wanted = scratch_path("wanted"),
               *out = scratch_path("out");
    const struct request request = {.threads = 1};
    struct image image = scratch_image(150, 3000, 1, 255, 0, 5), turned;
    struct error error;

    write_image(in, FORMAT_PAM, 1, &image);
    NEED(run_variant(&variant_transpose_reference, &image, &request, NULL, 0, &turned, &error) ==
         STATUS_OK);
    for (int level = 1; level <= 4; level += 3) {
        const struct column_blocks blocks = {
            .variant = &variant_transpose_cpu, .threads = 3, .max_bytes = 1 << 30, .columns = 50};

        write_image(wanted, FORMAT_PNG, level, &turned);
        CHECK(go(&blocks, in, out, FORMAT_PNG, level, &error) == STATUS_OK, "%s", error.text);
        CHECK(same_files(out, wanted), "level %d", level);
    }
    image_free(&image);
    image_free(&turned);
}

/* However small the limit: the result is the same, and what is taken is said beforehand. */
static void test_memory(void)
{
    const char *in = scratch_path("in"), *wanted = scratch_path("wanted"),
               *out = scratch_path("out");
    const struct request request = {.threads = 1};
    struct image image = scratch_image(900, 700, 1, 255, 0, 9), turned;
    int64_t last = INT64_MAX;
    struct error error;

    write_image(in, FORMAT_PAM, 1, &image);
    NEED(run_variant(&variant_transpose_reference, &image, &request, NULL, 0, &turned, &error) ==
         STATUS_OK);
    write_image(wanted, FORMAT_PGM, 1, &turned);
    for (int64_t limit = 8 << 20; limit > 1000; limit /= 4) {
        const struct column_blocks blocks = {
            .variant = &variant_transpose_cpu, .threads = 2, .max_bytes = limit};
        struct image_writer writer = open_sink(out, FORMAT_PGM, 1);
        const int64_t bytes = column_blocks_plan(&blocks, &writer, &image).bytes;

        NEED(fclose(writer.file) == 0);
        CHECK(bytes <= limit || limit < 1 << 20, "%lld of %lld", (long long)bytes,
              (long long)limit);
        CHECK(bytes <= last, "%lld, and with a higher limit %lld", (long long)bytes,
              (long long)last);
        last = bytes;
        CHECK(go(&blocks, in, out, FORMAT_PGM, 1, &error) == STATUS_OK, "%s", error.text);
        CHECK(same_files(out, wanted), "with a limit of %lld", (long long)limit);
    }
    image_free(&image);
    image_free(&turned);
}

/* Threads that there is no memory for do not work: neither beyond the limit, nor at the price of
 * column blocks so narrow that the file is read many times more often than by one thread. */
static void test_threads(void)
{
    const struct shape shape = {2000, 40000, 3, 255};
    struct image image;
    struct image_writer writer = open_sink(scratch_path("out"), FORMAT_PNG, 1);

    image_describe(&image, &shape);
    for (int64_t limit = 1 << 24; limit <= (int64_t)1 << 34; limit *= 4) {
        struct column_blocks blocks = {
            .variant = &variant_transpose_cpu, .threads = 1, .max_bytes = limit};
        const struct column_block_plan one = column_blocks_plan(&blocks, &writer, &image);

        for (blocks.threads = 2; blocks.threads <= 1024; blocks.threads *= 2) {
            const struct column_block_plan plan = column_blocks_plan(&blocks, &writer, &image);

            CHECK(plan.bytes <= limit, "%d threads: %lld of %lld", blocks.threads,
                  (long long)plan.bytes, (long long)limit);
            CHECK(plan.threads <= blocks.threads && plan.threads >= 1, "%d threads", plan.threads);
            CHECK(plan.threads == blocks.threads || limit < (int64_t)1 << 34, "%d of %d threads",
                  plan.threads, blocks.threads);
            CHECK(3 * plan.columns >= one.columns, "%d threads: %lld columns, one: %lld",
                  blocks.threads, (long long)plan.columns, (long long)one.columns);
        }
    }
    NEED(fclose(writer.file) == 0);
}

/* Of several samples above maxval the uppermost, then the leftmost, is named. */
static void test_first_fault(void)
{
    const char *in = scratch_path("bad"), *out = scratch_path("out");
    struct error error;

    for (int row = 0; row < 40; row += 3) {
        const struct column_blocks blocks = {
            .variant = &variant_transpose_cpu, .threads = 3, .max_bytes = 1 << 24, .columns = 2};
        FILE *file = fopen(in, "wb");
        char wanted[80];

        NEED(file && fputs("P5 30 40 9\n", file) >= 0);
        for (int y = 0; y < 40; y++)
            for (int x = 0; x < 30; x++)
                NEED(fputc(y >= row && (x == 3 || x >= 28 - y + row) ? 10 + x : 1, file) >= 0);
        NEED(fclose(file) == 0);
        snprintf(wanted, sizeof wanted, "column 4 of 30, row %d of 40 is 13, above", row + 1);
        CHECK(go(&blocks, in, out, FORMAT_PGM, 1, &error) == STATUS_INPUT, "row %d", row);
        CHECK(strstr(error.text, wanted), "'%s' without '%s'", error.text, wanted);
    }
}

/* A file that gets shorter while it is read, and one that cannot take what is written. */
static void test_failures(void)
{
    const struct column_blocks blocks = {
        .variant = &variant_transpose_cpu, .threads = 2, .max_bytes = 1 << 24, .columns = 8};
    const char *in = scratch_path("in"), *out = scratch_path("out");
    struct image image = scratch_image(50, 64, 1, 255, 0, 1), header;
    struct bands_times times = {0};
    struct image_reader reader;
    struct image_writer writer = open_sink(out, FORMAT_PGM, 1);
    struct column_block_plan plan;
    struct error error;
    bool found;

    write_image(in, FORMAT_PGM, 1, &image);
    NEED(image_reader_open(&reader, in, 1000000, &error) == STATUS_OK);
    NEED(image_reader_begin(&reader, &header, &found, &error) == STATUS_OK && found);
    NEED(truncate(in, 2000) == 0);
    plan = column_blocks_plan(&blocks, &writer, &header);
    CHECK(column_blocks_run(&blocks, &plan, &reader, &writer, &header, &times, &error) ==
                  STATUS_INPUT &&
              strstr(error.text, "truncated: the file ends in row 40 of 64"),
          "%s", error.text);
    image_reader_close(&reader);
    NEED(fclose(writer.file) == 0);

    write_image(in, FORMAT_PGM, 1, &image);
    image_free(&image);
    writer = open_sink(out, FORMAT_PGM, 1);
    writer.file = freopen("/dev/full", "wb", writer.file);
    NEED(writer.file && image_reader_open(&reader, in, 1000000, &error) == STATUS_OK);
    NEED(image_reader_begin(&reader, &header, &found, &error) == STATUS_OK && found);
    plan = column_blocks_plan(&blocks, &writer, &header);
    CHECK(column_blocks_run(&blocks, &plan, &reader, &writer, &header, &times, &error) ==
                  STATUS_OUTPUT &&
              strstr(error.text, "cannot be written"),
          "%s", error.text);
    image_reader_close(&reader);
    fclose(writer.file);
}

int main(void)
{
    scratch_make();
    test_results();
    test_lead();
    test_memory();
    test_threads();
    test_first_fault();
    test_failures();
    return unit_result();
}
