/* SPDX-License-Identifier: MIT */
/* Decode, compute, encode, decode: the first bytes choose what is done, the rest is the file. What
 * is demanded of its first image:
 *  - the output decodes to the samples that were written;
 *  - the output made in bands has the same bytes as that of the whole image. */
#include "src/app/stream/bands/bands.h"
#include "src/files/codec/codec.h"
#include "src/files/image/compare.h"
#include "src/bench/run/plane.h"
#include "kernels/common/sample.h"
#include "tests/fuzz/ground.h"
#include "tests/unit/run_variant.h"
#include "src/lib/filter/registry.h"

#include <string.h>

#define MOST_HALO 7
#define MOST_PIXELS 4096
#define MOST_BYTES (1 << 18) /* of an image in memory */
#define MOST_METADATA 2048
enum { INPUT, WHOLE, PARTS };

/* What the first bytes say. */
struct task {
    enum op op;
    struct filter filter;
    struct plane_filter weights;
    struct write_options write;
    int format; /* enum format, or one more: the image's natural one */
    int64_t rows;
    int threads;
    bool piped;
};
#define TASK_BYTES 6

static struct task task_of(const uint8_t *bytes)
{
    const bool smooth = bytes[0] % 4 < 2;
    struct task task = {
        .op = smooth              ? OP_SMOOTH
              : bytes[0] % 4 == 2 ? OP_TRANSPOSE
                                  : OP_REVERSE,
        .filter = {.x = {.halo = smooth ? bytes[1] % (MOST_HALO + 1) : 0,
                         .sigma = bytes[2] & 64 ? 0.3 + bytes[1] / 32 : 0},
                   .edge = (enum edge)(bytes[2] % 5),
                   .norm = bytes[2] & 128 ? NORM_ANALYTIC : NORM_SUM},
        .write = {.png_level = bytes[3] % 10, .plain = bytes[3] & 128, .scale = bytes[3] & 64},
        .format = bytes[4] % (FORMAT_TIFF + 2),
        .rows = bytes[5] % 16, /* 0: as is best */
        .threads = bytes[5] >= 224 ? 2 : 1,
        .piped = bytes[5] & 16,
    };
    struct error error;

    task.filter.y = task.filter.x;
    if (smooth && bytes[0] & 64)
        task.filter.y.halo = bytes[1] / 8 % (MOST_HALO + 1);
    /* Analytic weights that are too large together are refused: then take the others. */
    if (plane_filter_make(&task.filter, &task.weights, &error) != STATUS_OK) {
        task.filter.norm = NORM_SUM;
        DEMAND(plane_filter_make(&task.filter, &task.weights, &error) == STATUS_OK, "%s",
               error.text);
    }
    return task;
}

/* The image after the operation by the best variant of the processor. */
static struct image apply(const struct task *task, const struct image *src)
{
    const struct variant *variant = registry_best(task->op, ON_CPU, NULL);
    const struct asked asked = {.filter = &task->weights, .threads = task->threads};
    struct image dst;
    struct error error;

    DEMAND(run_variant(variant, src, &asked, NULL, &dst, &error) == STATUS_OK, "%s", error.text);
    return dst;
}

static void demand_same(const struct image *wanted, const struct image *got, const char *what)
{
    const struct shape a = image_shape(wanted), b = image_shape(got);

    DEMAND(memcmp(&a, &b, sizeof a) == 0, "%s: another shape", what);
    DEMAND(compare_views(&wanted->view, &got->view).samples == 0, "%s: other samples", what);
}

/* Reads the header of the first image, if it is one that is not too large. */
static bool begin(struct image_reader *reader, const char *path, struct image *header,
                  struct error *error)
{
    struct shape shape;
    bool found;
    enum status status = image_reader_open(reader, path, MOST_PIXELS, error);

    reader->max_metadata = MOST_METADATA;
    if (status == STATUS_OK)
        status = image_reader_begin(reader, header, &found, error);
    shape = image_shape(header);
    if (status == STATUS_OK && found && image_needs(&shape) <= MOST_BYTES)
        return true;
    image_reader_close(reader);
    return false;
}

/* A writer of the task's format, or of the one that holds everything. */
static struct image_writer open_sink(const struct task *task, const struct image *image, int which,
                                     bool own_file)
{
    struct image_writer writer = {.name = "output", .own_file = own_file, .options = task->write};
    struct error error;

    writer.options.tiff_compression = (enum tiff_compression)(task->write.png_level % 3);
    writer.format = task->format > FORMAT_TIFF ? format_natural(image) : (enum format)task->format;
    writer.own_file = own_file || writer.format == FORMAT_TIFF;
    if (image_writer_check(&writer, image, &error) != STATUS_OK) {
        writer.format = image->maxval == FLOAT_SAMPLES ? FORMAT_NPY : FORMAT_PAM;
        writer.own_file = own_file;
        writer.options.plain = false;
    }
    writer.file = fopen(ground_file(which, "", 0), "w+b");
    DEMAND(writer.file, "no output");
    return writer;
}

/* A sample as a format's reader gives it back: PNG may scale it. */
static uint32_t kept(const struct task *task, const struct image *image, enum format format,
                     uint32_t sample)
{
    const uint32_t maxval = image->maxval;
    const bool small = image->view.channels == 1 && (maxval == 1 || maxval == 3 || maxval == 15);
    const uint32_t full = maxval > 255 ? 65535 : 255;

    if (format != FORMAT_PNG)
        return sample;
    if (small)
        return sample * (255 / maxval);
    return task->write.scale && maxval != full ? (sample * full + maxval / 2) / maxval : sample;
}

static uint32_t sample_at(const struct image *image, int64_t y, int64_t i)
{
    const int32_t channels = image->view.channels;

    return sample_get(&image->view, y, i / channels, (int32_t)(i % channels));
}

/* `back` is what was read of the file into which *image was written. */
static void demand_kept(const struct task *task, const struct image *image,
                        const struct image *back)
{
    const int64_t samples = image->view.width * image->view.channels;

    if (format_same_family(back->format, FORMAT_PAM)) { /* which keeps maxval */
        demand_same(image, back, "written and read");
        return;
    }
    DEMAND(back->view.width == image->view.width && back->view.height == image->view.height &&
               back->view.channels == image->view.channels,
           "%s: another shape", format_word(back->format));
    for (int64_t y = 0; y < image->view.height; y++)
        for (int64_t i = 0; i < samples; i++)
            DEMAND(sample_at(back, y, i) == kept(task, image, back->format, sample_at(image, y, i)),
                   "%s: another sample in row %d", format_word(back->format), (int)y);
}

/* Into a stream, in order; and back. */
static void write_and_read(const struct task *task, const struct image *image)
{
    struct image_writer writer = open_sink(task, image, WHOLE, false);
    struct image_reader reader;
    struct image back;
    struct error error;
    bool found;

    DEMAND(image_writer_put(&writer, image, &error) == STATUS_OK, "%s", error.text);
    image_writer_close(&writer);
    DEMAND(fclose(writer.file) == 0, "not written");
    DEMAND(image_reader_open(&reader, ground_path(WHOLE), MOST_PIXELS, &error) == STATUS_OK &&
               image_reader_next(&reader, &back, &found, &error) == STATUS_OK && found,
           "%s", error.text);
    demand_kept(task, image, &back);
    image_free(&back);
    DEMAND(image_reader_next(&reader, &back, &found, &error) == STATUS_OK && !found, "two for one");
    image_reader_close(&reader);
}

/* From the source, without the image as a whole, into a file. False if this cannot be done so. */
static bool run_parts(const struct task *task, struct image_reader *reader,
                      struct image_writer *writer, const struct image *header)
{
    const struct stream_options options = {.work = {.ops = {(int)task->op},
                                                    .op_count = 1,
                                                    .filter = task->filter,
                                                    .offset = MIDDLE_OFFSET,
                                                    .variant = "cpu",
                                                    .threads = task->threads}};
    struct budget budget;
    struct stream_context context = {
        .options = &options, .budget = &budget, .threads = task->threads};
    struct report report = NO_REPORT;
    struct passage passage = {.context = &context,
                              .reader = reader,
                              .writer = writer,
                              .header = header,
                              .report = &report};
    struct band_plan plan;
    struct error error;

    if (!image_writer_takes_bands(writer) || task->op == OP_TRANSPOSE)
        return false;
    budget_open(&budget, 0);
    DEMAND(computer_open(&options.work, &context.computer, &error) == STATUS_OK, "%s", error.text);
    passage.operations = operations_of(&context, header);
    passage.operations.weighted = false;
    passage.result = operations_result(&passage.operations, header);
    plan = bands_plan(&passage, task->rows);
    DEMAND(bands_run(&plan, &error) == STATUS_OK, "in parts: %s", error.text);
    computer_close(context.computer);
    budget_close(&budget);
    return true;
}

/* The result of the whole image is in file WHOLE. */
static void demand_parts(const struct task *task, const uint8_t *file, size_t size,
                         const struct image *result)
{
    struct image_writer writer = open_sink(task, result, PARTS, true);
    struct image_reader reader;
    struct image header;
    struct error error;
    const char *path = task->piped ? ground_pipe(file, size) : ground_path(INPUT);
    bool done;

    DEMAND(begin(&reader, path, &header, &error), "%s", error.text);
    done = run_parts(task, &reader, &writer, &header);
    image_reader_close(&reader);
    image_writer_close(&writer);
    DEMAND(fclose(writer.file) == 0, "not written");
    if (task->piped)
        ground_pipe_close();
    if (done)
        ground_demand_same(WHOLE, PARTS, "in parts");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct image_reader reader;
    struct image header, image, result;
    struct error error;
    struct task task;
    enum status status;

    if (size <= TASK_BYTES || size > GROUND_PIPE_BYTES)
        return 0;
    if (!begin(&reader, ground_file(INPUT, data + TASK_BYTES, size - TASK_BYTES), &header, &error))
        return 0;
    task = task_of(data);
    task.piped = task.piped && reader.codec != &codec_tiff;
    status = image_reader_load(&reader, &header, task.threads, NULL, &image, &error);
    if (status == STATUS_OK) {
        result = apply(&task, &image);
        write_and_read(&task, &result);
        demand_parts(&task, data + TASK_BYTES, size - TASK_BYTES, &result);
        image_free(&result);
    }
    image_free(&image);
    image_reader_close(&reader); /* the images' metadata is there */
    return 0;
}
