/* SPDX-License-Identifier: MIT */
#include "band_files.h"

#include "run.h"
#include "scratch.h"
#include "unit.h"

#include <string.h>

void band_filter(struct filter *filter, uint64_t *weights, int64_t halo, enum edge edge)
{
    struct error error;

    *filter = (struct filter){.halo = halo, .edge = edge};
    NEED(gauss_weights(filter, weights, &error) == STATUS_OK);
}

struct sink band_sink(const char *path, enum format format, bool plain, bool own_file)
{
    struct sink sink = {.file = fopen(path, "wb"),
                        .name = path,
                        .format = format,
                        .own_file = own_file,
                        .options = {.plain = plain, .png_level = 1, .threads = 2}};

    NEED(sink.file);
    return sink;
}

void band_write(const char *path, enum format format, bool plain, const struct image *images,
                int count)
{
    struct sink sink = band_sink(path, format, plain, false);
    struct error error;

    for (int i = 0; i < count; i++)
        NEED(sink_put(&sink, &images[i], &error) == STATUS_OK);
    NEED(fclose(sink.file) == 0);
}

void band_expect(const struct variant *reference, const char *path, enum format format,
                 const struct image *image, const struct filter *filter, const uint64_t *weights)
{
    const struct run_options run = {.weights = weights, .halo = filter->halo, .threads = 1};
    struct sink sink = band_sink(path, format, false, false);
    struct error error;
    struct image result;

    NEED(run_variant(reference, image, &run, 0, &result, &error) == STATUS_OK);
    result.format = image->format;
    NEED(sink_put(&sink, &result, &error) == STATUS_OK);
    NEED(fclose(sink.file) == 0);
    image_free(&result);
}

enum status band_run(const struct bands *bands, const char *from, const char *to,
                     enum format format, enum row_order order, struct error *error)
{
    struct source source;
    struct image about;
    struct bands_times times = {0};
    struct sink sink = band_sink(to, format, false, true);
    bool found = true;
    enum status status = source_open(&source, from, 1000000, error);

    NEED(status == STATUS_OK);
    while (status == STATUS_OK && found) {
        status = source_begin(&source, &about, &found, error);
        if (status == STATUS_OK && found) {
            NEED(source.order == order);
            status = bands_run(bands, &source, &sink, &about, &times, error);
        }
    }
    source_close(&source);
    NEED(fclose(sink.file) == 0);
    return status;
}
