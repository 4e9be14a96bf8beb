/* SPDX-License-Identifier: MIT */
/* Reading PBM, PGM, PPM and PAM: libnetpbm reads the headers and steps from image to image,
 * codec_pnm_raster.c reads the samples. */
#include "codec_pnm.h"
#include "codec_pnm_comments.h"
#include "codec_pnm_fence.h"

#include <netpbm/pam.h>

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool recognises(const unsigned char *head, size_t bytes)
{
    return bytes > 2 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' &&
           (isspace(head[2]) || head[2] == '#');
}

/* As far as libnetpbm is to fill it. Its own macro for this goes through a null pointer. */
#define PAM_BYTES ((int)(offsetof(struct pam, tuple_type) + sizeof((struct pam){0}.tuple_type)))

struct header_call {
    FILE *file;
    struct pam pam;
};

static void read_header(void *context)
{
    struct header_call *call = context;

    pnm_readpaminit(call->file, &call->pam, PAM_BYTES);
}

static bool is_plain(int format)
{
    return format == PBM_FORMAT || format == PGM_FORMAT || format == PPM_FORMAT;
}

static enum format format_of(int format)
{
    switch (PAM_FORMAT_TYPE(format)) {
    case PBM_TYPE:
        return FORMAT_PBM;
    case PGM_TYPE:
        return FORMAT_PGM;
    case PPM_TYPE:
        return FORMAT_PPM;
    default:
        return FORMAT_PAM;
    }
}

/* A plain sample takes a digit, and all but the last a separator, which is left out of account. */
static double min_bits_per_row(const struct pam *pam)
{
    if (pam->format == RPBM_FORMAT)
        return 8.0 * ((pam->width - 1) / 8 + 1);
    return 8.0 * pam->width * pam->depth * (is_plain(pam->format) ? 1 : pam->bytes_per_sample);
}

/* libnetpbm joins several TUPLTYPE lines by newlines; the format says by spaces. */
static void keep_tuple_type(struct image *image, const char *tuple_type)
{
    snprintf(image->tuple_type, sizeof image->tuple_type, "%s", tuple_type);
    for (char *c = image->tuple_type; *c; c++)
        if (*c == '\n')
            *c = ' ';
}

/* A raw raster in a regular file has its samples in known places. */
static int64_t place_of(const struct source *source, const struct raster *raster)
{
    const bool placed = !raster->plain && !raster->bits && source->file_bytes >= 0;

    return placed ? ftello(source->file) : -1;
}

/* The header, and its comments. */
static enum status take_header(struct source *source, struct header_call *call, struct error *error)
{
    struct pnm_tape tape;
    enum status status;

    call->file = pnm_tape_open(&tape, source);
    if (!call->file)
        return fail(error, STATUS_INPUT, "%s: no memory to read it", source->name);
    status = pnm_fenced(source, read_header, call, error);
    return pnm_tape_close(&tape, call->file, status, error);
}

static enum status open_pnm(struct source *source, struct image *about, struct error *error)
{
    struct header_call call = {0};
    const struct pam *pam = &call.pam;
    struct raster *raster;
    enum status status = take_header(source, &call, error);

    if (status != STATUS_OK)
        return status;

    const struct shape shape = {
        .width = pam->width,
        .height = pam->height,
        .channels = (int32_t)pam->depth, /* libnetpbm has checked that width x depth is an int */
        .maxval = (uint32_t)pam->maxval,
    };

    status = source_check_promise(source, &shape, min_bits_per_row(pam), error);
    if (status != STATUS_OK)
        return status;
    raster = malloc(sizeof *raster);
    if (!raster)
        return fail(error, STATUS_INPUT, "%s: no memory to read it", source->name);
    *raster = (struct raster){.source = source,
                              .shape = shape,
                              .plain = is_plain(pam->format),
                              .bits = format_of(pam->format) == FORMAT_PBM};
    raster->offset = place_of(source, raster);
    image_describe(about, &shape);
    about->format = format_of(pam->format);
    if (about->format == FORMAT_PAM)
        keep_tuple_type(about, pam->tuple_type);
    source->reading = raster;
    source->order = raster->offset >= 0 ? ROWS_IN_ANY_ORDER : ROWS_IN_ORDER;
    return STATUS_OK;
}

static enum status read_pnm(const struct source *source, int64_t first, int64_t count,
                            const struct image *image, int64_t to, struct error *error)
{
    struct raster raster = *(const struct raster *)source->reading;

    raster.image = image;
    raster.shift = to - first;
    return pnm_read_rows(&raster, first, count, error);
}

static enum status read_pnm_columns(const struct source *source, int64_t first, int64_t count,
                                    int64_t column, const struct image *image, int64_t to,
                                    struct error *error)
{
    struct raster raster = *(const struct raster *)source->reading;

    raster.image = image;
    raster.shift = to - first;
    raster.column = column;
    return pnm_read_rows(&raster, first, count, error);
}

static enum status finish_pnm(struct source *source, struct error *error)
{
    const struct raster *raster = source->reading;
    const int64_t row_bytes =
        raster->shape.width * raster->shape.channels * sample_bytes_of(raster->shape.maxval);

    if (raster->offset < 0 ||
        fseeko(source->file, raster->offset + raster->shape.height * row_bytes, SEEK_SET) == 0)
        return STATUS_OK;
    return fail(error, STATUS_INPUT, "%s: cannot be read: %s", source->name, strerror(errno));
}

static void drop_pnm(struct source *source)
{
    free(source->reading);
    source->reading = NULL;
}

struct next_call {
    FILE *file;
    int at_end;
};

static void find_next(void *context)
{
    struct next_call *call = context;

    pm_nextimage(call->file, &call->at_end);
}

/* A pipe has no position to name. */
static enum status junk(const struct source *source, unsigned char byte, struct error *error)
{
    const int64_t position = ftello(source->file);
    char where[64] = "";

    if (position >= 0)
        snprintf(where, sizeof where, " at offset %lld", (long long)position);
    return fail(error, STATUS_INPUT,
                "%s: the byte %02x%s follows the image, where the file should end or the next "
                "image begin",
                source->name, byte, where);
}

static enum status more_pnm(struct source *source, bool *more, struct error *error)
{
    struct next_call call = {.file = source->file};
    unsigned char head[SOURCE_HEAD_BYTES];
    size_t bytes;
    enum status status = pnm_fenced(source, find_next, &call, error);

    *more = false;
    if (status != STATUS_OK || call.at_end)
        return status;
    bytes = source_peek(source, head);
    *more = recognises(head, bytes);
    if (*more)
        return STATUS_OK;
    return junk(source, head[0], error);
}

const struct codec codec_pnm = {
    .name = "PNM",
    .recognises = recognises,
    .open = open_pnm,
    .read = read_pnm,
    .read_columns = read_pnm_columns,
    .finish = finish_pnm,
    .drop = drop_pnm,
    .more = more_pnm,
    .wants = pnm_wants,
    .begin = pnm_begin,
    .put = pnm_put,
    .put_columns = pnm_put_columns,
    .end = pnm_end,
    .discard = pnm_discard,
    .fits = pnm_fits,
};
