/* SPDX-License-Identifier: MIT */
/* The images of a source, one after the other: header, rows, end. */
#include "codec.h"

#include "parallel.h"

#include <stdlib.h>
#include <string.h>

/* Where an image of several is bad, the good ones before it say where to look. */
static enum status told(const struct source *source, enum status status, struct error *error)
{
    const size_t length = status == STATUS_OK ? 0 : strlen(error->text);

    if (status != STATUS_OK && source->images > 0)
        snprintf(error->text + length, sizeof error->text - length, " (after %lld good image%s)",
                 (long long)source->images, source->images > 1 ? "s" : "");
    return status;
}

enum status source_begin(struct source *source, struct image *about, bool *found,
                         struct error *error)
{
    enum status status = STATUS_OK;

    memset(about, 0, sizeof *about);
    *found = true;
    if (source->images > 0)
        status = source->codec->more(source, found, error);
    if (status == STATUS_OK && *found) {
        metadata_clear(&source->metadata);
        status = source->codec->open(source, about, error);
    }
    about->metadata = source->max_metadata > 0 ? &source->metadata : NULL;
    *found = *found && status == STATUS_OK;
    return told(source, status, error);
}

enum status source_read(const struct source *source, int64_t first, int64_t count,
                        const struct image *image, int64_t to, struct error *error)
{
    return told(source, source->codec->read(source, first, count, image, to, error), error);
}

bool source_has_columns(const struct source *source)
{
    return source->order == ROWS_IN_ANY_ORDER && source->codec->read_columns;
}

enum status source_read_columns(const struct source *source, int64_t first, int64_t count,
                                int64_t column, const struct image *image, int64_t to,
                                struct error *error)
{
    return told(source, source->codec->read_columns(source, first, count, column, image, to, error),
                error);
}

enum status source_first_fault(struct source *source, const struct shape *shape,
                               struct error *error)
{
    const struct shape line = {shape->width, 1, shape->channels, shape->maxval};
    struct image row;
    struct error found;
    enum status status = image_alloc(&row, &line, 0, &found);

    for (int64_t y = 0; y < shape->height && status == STATUS_OK; y++) {
        status = source_read(source, y, 1, &row, 0, &found);
        if (status == STATUS_INPUT)
            *error = found;
    }
    image_free(&row);
    return STATUS_INPUT;
}

enum status source_finish(struct source *source, struct error *error)
{
    const enum status status = source->codec->finish(source, error);

    source->codec->drop(source);
    if (status != STATUS_OK)
        return told(source, status, error);
    source->images++;
    return STATUS_OK;
}

/* All rows of an image, each thread its share of them. */
struct loading {
    const struct source *source;
    const struct image *image;
    struct share {
        enum status status;
        struct error error;
    } * shares;
};

static void load_share(const void *context, int thread, int64_t first, int64_t last)
{
    const struct loading *loading = context;
    struct share *share = &loading->shares[thread];

    share->status = loading->source->codec->read(loading->source, first, last - first,
                                                 loading->image, first, &share->error);
}

/* Of several faults the uppermost is told: each thread stops at its first. */
static enum status load_rows(const struct source *source, const struct image *image, int threads,
                             struct error *error)
{
    const int64_t height = image->view.height;
    const int count = source->order == ROWS_IN_ANY_ORDER ? threads : 1;
    const struct loading loading = {source, image, calloc((size_t)count, sizeof(struct share))};
    enum status status = STATUS_OK;

    if (!loading.shares)
        return fail(error, STATUS_INPUT, "%s: no memory to read it", source->name);
    parallel_rows(count, height, load_share, &loading);
    for (int i = count - 1; i >= 0; i--)
        if (loading.shares[i].status != STATUS_OK) {
            status = loading.shares[i].status;
            *error = loading.shares[i].error;
        }
    free(loading.shares);
    return status;
}

enum status source_load(struct source *source, const struct image *about, int64_t halo, int threads,
                        struct image *image, struct error *error)
{
    const struct shape shape = image_shape(about);
    struct error why;
    enum status status = image_alloc(image, &shape, halo, &why);

    if (status != STATUS_OK)
        return told(source, fail(error, status, "%s: %s", source->name, why.text), error);
    image_copy_kind(image, about);
    status = told(source, load_rows(source, image, threads, error), error);
    if (status == STATUS_OK)
        status = source_finish(source, error);
    if (status != STATUS_OK)
        image_free(image);
    return status;
}

enum status source_next(struct source *source, int64_t halo, struct image *image, bool *found,
                        struct error *error)
{
    struct image about;
    enum status status = source_begin(source, &about, found, error);

    memset(image, 0, sizeof *image);
    if (status == STATUS_OK && *found)
        status = source_load(source, &about, halo, 1, image, error);
    *found = *found && status == STATUS_OK;
    return status;
}
