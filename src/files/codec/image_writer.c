/* SPDX-License-Identifier: MIT */
/* Which format an output has, and the way to its codec. */
#include "codec.h"

#include "checksum.h"
#include "parallel.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

static const char *const words[] = {
    [FORMAT_PBM] = "PBM", [FORMAT_PGM] = "PGM", [FORMAT_PPM] = "PPM",
    [FORMAT_PAM] = "PAM", [FORMAT_PNG] = "PNG",
};

const char *format_word(enum format format)
{
    return words[format];
}

enum format format_natural(const struct image *image)
{
    const int32_t channels = image->view.channels;

    if (image->format == FORMAT_PAM)
        return FORMAT_PAM;
    if (image->format == FORMAT_PBM && channels == 1 && image->maxval == 1)
        return FORMAT_PBM;
    if (channels == 1)
        return FORMAT_PGM;
    return channels == 3 ? FORMAT_PPM : FORMAT_PAM;
}

const char *format_extension(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return dot && dot > name ? dot + 1 : NULL;
}

bool format_of_extension(const char *extension, const struct image *image, enum format *format)
{
    if (strcasecmp(extension, "pnm") == 0) {
        *format = image ? format_natural(image) : FORMAT_PAM;
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(extension, words[i]) == 0) {
            *format = (enum format)i;
            return true;
        }
    return false;
}

bool format_is_named(const char *path)
{
    const char *extension = format_extension(path);
    enum format unused;

    return extension && format_of_extension(extension, NULL, &unused);
}

enum status sink_write(const struct sink *sink, const void *bytes, size_t count,
                       struct error *error)
{
    if (fwrite(bytes, 1, count, sink->file) == count)
        return STATUS_OK;
    return fail(error, STATUS_OUTPUT, "%s: cannot be written: %s", sink->name, strerror(errno));
}

bool sink_takes_bands(const struct sink *sink)
{
    return sink->own_file && sink->format != FORMAT_PBM && !sink->options.plain;
}

static const struct codec *codec_of(const struct sink *sink)
{
    return sink->format == FORMAT_PNG ? &codec_png : &codec_pnm;
}

struct sink_wants sink_wants(const struct sink *sink, const struct image *about)
{
    return codec_of(sink)->wants(sink, about);
}

enum status sink_check(const struct sink *sink, const struct image *image, struct error *error)
{
    if (sink->options.plain && (sink->format == FORMAT_PAM || sink->format == FORMAT_PNG))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: %s has no plain form, PBM, PGM and PPM have; leave out --plain, or name "
                    "the output .pgm or .ppm",
                    sink->name, format_word(sink->format));
    return codec_of(sink)->fits(sink, image, error);
}

/* An image is all of its input, or, where several are in one, as much as its samples would take. */
static int64_t share_of_row(const struct progress_share *share, const struct image *about)
{
    const int64_t row = (int64_t)image_row_bytes(about), even = share->bytes / about->view.height;

    return row < even ? row : even;
}

enum status sink_begin(struct sink *sink, const struct image *about, struct error *error)
{
    const enum status status = sink_check(sink, about, error);

    if (status != STATUS_OK)
        return status;
    sink->rows_before += sink->height;
    sink->width = about->view.width;
    sink->height = about->view.height;
    sink->share_row = sink->share ? share_of_row(sink->share, about) : 0;
    return codec_of(sink)->begin(sink, about, error);
}

enum status sink_rows(struct sink *sink, int64_t first, int64_t count, const struct image *image,
                      int64_t from, struct error *error)
{
    enum status status;

    if (sink->options.checksum)
        sink->checksum += checksum_rows(image, from, count, (uint64_t)(sink->rows_before + first));
    status = codec_of(sink)->put(sink, first, count, image, from, error);
    if (sink->share)
        progress_share_add(sink->share, count * sink->share_row);
    return status;
}

bool sink_has_columns(const struct sink *sink)
{
    return codec_of(sink)->put_columns && !sink->options.checksum;
}

enum status sink_put_columns(struct sink *sink, int64_t first, int64_t count, int64_t column,
                             const struct image *image, int64_t from, struct error *error)
{
    const enum status status =
        codec_of(sink)->put_columns(sink, first, count, column, image, from, error);

    if (sink->share)
        progress_share_add(sink->share, (int64_t)((double)count * (double)sink->share_row *
                                                  (double)image->view.width / (double)sink->width));
    return status;
}

enum status sink_end(struct sink *sink, struct error *error)
{
    const enum status status = codec_of(sink)->end(sink, error);

    sink_discard(sink);
    sink->images += status == STATUS_OK;
    return status;
}

void sink_discard(struct sink *sink)
{
    if (sink->writing)
        codec_of(sink)->discard(sink);
}

/* All rows of an image that is in memory, by units, which several threads take in turn. */
struct putting {
    struct sink *sink;
    const struct image *image;
    pthread_mutex_t mutex; /* over what follows */
    int64_t next;          /* the row at which the next unit begins */
    enum status status;    /* of the first failure */
    struct error error;
};

/* Takes a unit, after having told how the one before it went. */
static bool take_unit(struct putting *putting, enum status status, const struct error *error,
                      int64_t *first, int64_t *count)
{
    const int64_t height = putting->image->view.height, unit = putting->sink->unit;
    bool taken;

    pthread_mutex_lock(&putting->mutex);
    if (status != STATUS_OK && putting->status == STATUS_OK) {
        putting->status = status;
        putting->error = *error;
    }
    *first = putting->next;
    *count = height - *first < unit ? height - *first : unit;
    taken = *count > 0 && putting->status == STATUS_OK;
    putting->next += taken ? *count : 0;
    pthread_mutex_unlock(&putting->mutex);
    return taken;
}

static void put_units(const void *context, int thread, int64_t unused, int64_t also_unused)
{
    struct putting *putting = *(struct putting *const *)context;
    enum status status = STATUS_OK;
    struct error error;
    int64_t first, count;

    (void)thread, (void)unused, (void)also_unused;
    while (take_unit(putting, status, &error, &first, &count))
        status = sink_rows(putting->sink, first, count, putting->image, first, &error);
}

static enum status put_rows(struct sink *sink, const struct image *image, struct error *error)
{
    const int64_t height = image->view.height;
    const int threads = sink->options.threads > 1 ? sink->options.threads : 1;
    struct putting putting = {.sink = sink, .image = image, .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct putting *const shared = &putting;
    int64_t units;

    /* Without a lead there is nothing to do but to write: threads would wait for each other. */
    if (sink->order != ROWS_IN_ANY_ORDER || sink->lead == 0)
        return sink_rows(sink, 0, height, image, 0, error);
    units = (height - 1) / sink->unit + 1;
    parallel_rows(threads, units < threads ? units : threads, put_units, &shared);
    if (putting.status != STATUS_OK)
        *error = putting.error;
    return putting.status;
}

enum status sink_put(struct sink *sink, const struct image *image, struct error *error)
{
    enum status status = sink_begin(sink, image, error);

    if (status == STATUS_OK)
        status = put_rows(sink, image, error);
    if (status == STATUS_OK)
        return sink_end(sink, error);
    sink_discard(sink);
    return status;
}
