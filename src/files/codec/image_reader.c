/* SPDX-License-Identifier: MIT */
/* Reads the images of an input one after the other, through the codec of its format. */
#include "src/files/codec/codec.h"
#include "src/files/codec/rows/samples.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/work_queue.h"

#include <stdlib.h>
#include <string.h>

/* Returns status. On failure adds to *error how many good images came before the bad one. */
static enum status located(const struct image_reader *reader, enum status status,
                           struct error *error)
{
    size_t length;

    if (status == STATUS_OK || reader->images == 0)
        return status;
    length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, " (after %lld good image%s)",
             (long long)reader->images, reader->images > 1 ? "s" : "");
    return status;
}

/* Changes *header to the header of the image in linear light. The curve between samples and light
 * is sRGB's, unless the file gives a gamma and does not say that its samples are sRGB. */
static enum status take_light(struct image_reader *reader, struct image *header,
                              struct error *error)
{
    const uint32_t gamma = reader->curve.is_srgb ? LIGHT_SRGB : reader->curve.gamma;

    if (image_has_associated_alpha(header))
        return fail(
            error, STATUS_UNSUPPORTED,
            "%s: colours multiplied by alpha (associated alpha) have no linear light; leave "
            "out --linear",
            reader->name);
    if (gamma != LIGHT_SRGB && (gamma < LIGHT_MIN_GAMMA || gamma > LIGHT_MAX_GAMMA))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: a gamma of %g (gAMA), and linear light needs one from %g to %g; leave out "
                    "--linear",
                    reader->name, gamma / 1e5, LIGHT_MIN_GAMMA / 1e5, LIGHT_MAX_GAMMA / 1e5);
    reader->light = lights_get(reader->lights, header->maxval, gamma, &reader->own_light);
    if (!reader->light)
        return fail(error, STATUS_INPUT, "%s: no memory for tables of linear light", reader->name);
    reader->has_alpha = image_has_alpha(header);
    header->maxval = LIGHT_MAXVAL;
    header->view.sample_bytes = sample_bytes_of(LIGHT_MAXVAL);
    header->light = reader->light;
    return STATUS_OK;
}

/* Adds the mask's channel to *header. Images of floats get no such channel: their missing pixels
 * become NaN. */
static enum status take_mask(struct image_reader *reader, struct image *header, struct error *error)
{
    const struct mask *mask = reader->mask;
    const long long width = header->view.width, height = header->view.height;

    if (width != mask->width || height != mask->height)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: %lld x %lld pixels, and the mask %s has %lld x %lld; name a mask of the "
                    "image's size",
                    reader->name, width, height, mask->name, (long long)mask->width,
                    (long long)mask->height);
    reader->widened = header->maxval != FLOAT_SAMPLES;
    if (!reader->widened)
        return STATUS_OK;
    header->view.channels++;
    header->mask = mask;
    return STATUS_OK;
}

enum status image_reader_begin(struct image_reader *reader, struct image *header, bool *found,
                               struct error *error)
{
    enum status status = STATUS_OK;

    memset(header, 0, sizeof *header);
    *found = reader->images == 0;
    if (!*found && reader->codec->more)
        status = reader->codec->more(reader, found, error);
    if (status == STATUS_OK && *found) {
        metadata_clear(&reader->metadata);
        free(reader->own_light);
        reader->light = reader->own_light = NULL;
        reader->curve = (struct image_curve){0};
        reader->reading = calloc(1, reader->codec->reading_bytes);
        status = reader->reading ? reader->codec->open(reader, header, error)
                                 : image_reader_no_memory(reader, error);
    }
    /* Floats are linear light already, by convention. */
    if (status == STATUS_OK && *found && reader->lights && header->maxval != FLOAT_SAMPLES)
        status = take_light(reader, header, error);
    reader->widened = false;
    if (status == STATUS_OK && *found && reader->mask)
        status = take_mask(reader, header, error);
    header->metadata = &reader->metadata;
    *found = *found && status == STATUS_OK;
    return located(reader, status, error);
}

/* Lets the codec read rows, then decodes them to linear light and applies the mask, if the reader
 * has these options. */
static enum status read_rows(const struct image_reader *reader, int64_t first, int64_t count,
                             const struct image *image, int64_t to, struct error *error)
{
    struct image wide = *image, file;
    enum status status;

    wide.light = reader->light;
    wide.mask = reader->widened ? reader->mask : NULL;
    file = image_file(&wide);
    status = reader->codec->read(reader, first, count, &file, to, error);
    if (status == STATUS_OK && (wide.light || wide.mask))
        samples_decode(&wide, reader->has_alpha, first, count, to);
    else if (status == STATUS_OK && reader->mask)
        mask_erase(reader->mask, first, count, image, to);
    return status;
}

enum status image_reader_read(const struct image_reader *reader, int64_t first, int64_t count,
                              const struct image *image, int64_t to, struct error *error)
{
    return located(reader, read_rows(reader, first, count, image, to, error), error);
}

void image_reader_drop(struct image_reader *reader)
{
    if (reader->reading && reader->codec->drop)
        reader->codec->drop(reader->reading);
    free(reader->reading);
    reader->reading = NULL;
}

enum status image_reader_finish(struct image_reader *reader, struct error *error)
{
    const enum status status = reader->codec->finish(reader, error);

    image_reader_drop(reader);
    if (status != STATUS_OK)
        return located(reader, status, error);
    reader->images++;
    return STATUS_OK;
}

/* The image that threads read into memory. Its rows are divided into parts; each thread reads one
 * part after another. */
struct loading {
    const struct image_reader *reader;
    const struct image *image;
    int64_t rows; /* rows of a part; the last one may have fewer */
};

static enum status load_part(void *context, int thread, int64_t part, struct error *error)
{
    const struct loading *loading = context;
    const int64_t first = part * loading->rows, left = loading->image->view.height - first;

    (void)thread;
    return read_rows(loading->reader, first, min(left, loading->rows), loading->image, first,
                     error);
}

static enum status load_rows(const struct image_reader *reader, const struct image *image,
                             int threads, struct error *error)
{
    const int64_t height = image->view.height;
    const int64_t parts = reader->order == ROWS_IN_ANY_ORDER ? threads : 1;
    struct loading loading = {reader, image, (height - 1) / parts + 1};

    return work_queue_run(threads, (height - 1) / loading.rows + 1, load_part, &loading, error);
}

enum status image_reader_load(struct image_reader *reader, const struct image *header, int threads,
                              void *memory, struct image *image, struct error *error)
{
    const struct shape shape = image_shape(header);
    struct error why;
    enum status status = STATUS_OK;

    if (memory)
        image_place(image, &shape, memory);
    else
        status = image_alloc(image, &shape, &why);
    if (status != STATUS_OK)
        return located(reader, fail(error, status, "%s: %s", reader->name, why.text), error);
    image_copy_kind(image, header);
    status = located(reader, load_rows(reader, image, threads, error), error);
    if (status == STATUS_OK)
        status = image_reader_finish(reader, error);
    if (status != STATUS_OK)
        image_free(image);
    return status;
}
