/* SPDX-License-Identifier: MIT */
#include "tests/unit/app/band_files.h"

#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tests/unit/run_variant.h"

#include <string.h>

void band_filter(struct filter *filter, struct filter_weights *weights, int64_t halo_x,
                 int64_t halo_y, enum edge edge)
{
    struct error error;

    *filter = (struct filter){.x = {.halo = halo_x}, .y = {.halo = halo_y}, .edge = edge};
    NEED(filter_weights_make(filter, weights, &error) == STATUS_OK);
}

struct dispatcher *band_dispatcher(enum op op, const char *variant, int threads, int64_t device)
{
    static struct dispatch_options options[64]; /* the dispatcher keeps a pointer to them */
    static int used;
    struct dispatch_options *mine = &options[used++ % 64];
    struct dispatcher *dispatcher;
    struct error error;

    *mine = (struct dispatch_options){
        .ops = {(int)op}, .op_count = 1, .variant = variant, .threads = threads, .device = device};
    NEED(dispatcher_open(mine, &dispatcher, &error) == STATUS_OK);
    return dispatcher;
}

struct operations band_operations(enum op op, const struct filter_weights *weights)
{
    static const int ops[] = {OP_SMOOTH, OP_TRANSPOSE, OP_REVERSE}; /* by their numbers */

    return (struct operations){
        .ops = &ops[op], .count = 1, .request = {.filter = weights, .threads = 1}};
}

struct image_writer band_writer(const char *path, enum format format, bool plain, bool own_file)
{
    struct image_writer writer = {.file = fopen(path, "wb"),
                                  .name = path,
                                  .format = format,
                                  .own_file = own_file,
                                  .options = {.plain = plain, .png_level = 1, .threads = 2}};

    NEED(writer.file);
    return writer;
}

void band_write(const char *path, enum format format, bool plain, const struct image *images,
                int count)
{
    struct image_writer writer = band_writer(path, format, plain, false);
    struct error error;

    for (int i = 0; i < count; i++)
        NEED(image_writer_put(&writer, &images[i], &error) == STATUS_OK);
    NEED(fclose(writer.file) == 0);
}

void band_expect(const struct variant *reference, const char *path, enum format format,
                 const struct image *image, const struct filter_weights *weights)
{
    const struct request request = {.filter = weights, .threads = 1};
    struct image_writer writer = band_writer(path, format, false, false);
    struct error error;
    struct image result;

    NEED(run_variant(reference, image, &request, NULL, 0, &result, &error) == STATUS_OK);
    result.format = image->format;
    NEED(image_writer_put(&writer, &result, &error) == STATUS_OK);
    NEED(fclose(writer.file) == 0);
    image_free(&result);
}

enum status band_run(const struct bands *bands, const char *from, const char *to,
                     enum format format, enum row_order order, struct error *error)
{
    struct image_reader reader;
    struct image header;
    struct bands_times times = {0};
    struct image_writer writer = band_writer(to, format, false, true);
    bool found = true;
    enum status status = image_reader_open(&reader, from, 1000000, error);

    NEED(status == STATUS_OK);
    while (status == STATUS_OK && found) {
        status = image_reader_begin(&reader, &header, &found, error);
        if (status == STATUS_OK && found) {
            const struct band_plan plan = bands_plan(bands, &reader, &writer, &header);

            NEED(reader.order == order);
            status = bands_run(bands, &plan, &reader, &writer, &header, &times, error);
        }
    }
    image_reader_close(&reader);
    NEED(fclose(writer.file) == 0);
    return status;
}
