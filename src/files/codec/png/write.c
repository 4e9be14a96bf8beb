/* SPDX-License-Identifier: MIT */
/* Writing PNG. The bytes depend on nothing but the image and the options: no time, no program name,
 * no number of threads. libpng writes the chunks; what is in the IDAT chunks comes in pieces, of
 * which each is a chunk. */
#include "codec_png.h"
#include "codec_png_known.h"
#include "codec_png_piece.h"

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <zlib.h> /* adler32_combine */

#define CHUNK_BYTES ((size_t)1 << 30) /* at most, in an IDAT chunk */
#define ZLIB_BYTES (1 << 19)

/* An image in work. libpng jumps back into whichever function has called it last. */
struct writing {
    struct png_trouble trouble; /* its error is that of the call */
    struct sink *sink;
    struct shape shape;
    const struct metadata *metadata; /* of an image that was PNG, or NULL */
    struct changes changes;
    struct png_rows rows;
    png_structp png;
    png_infop info;

    pthread_mutex_t mutex;    /* over what follows, and over libpng */
    struct png_piece *pieces; /* owned: those that have come too early for the file */
    int64_t count, next;      /* how many there are; the first that is not in the file yet */
    uLong adler;              /* of all that is */
};

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    const struct writing *writing = png_get_io_ptr(png);

    if (sink_write(writing->sink, bytes, count, writing->trouble.error) != STATUS_OK)
        png_longjmp(png, 1);
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

static int colour_type_of(int32_t channels)
{
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};

    return types[channels - 1];
}

static int bits_for(uint32_t maxval)
{
    int bits = 0;

    while (maxval >> bits)
        bits++;
    return bits;
}

/* Says that of the file's bits only the lowest hold the samples, which stand there unscaled. */
static void write_significant_bits(const struct writing *writing)
{
    const png_byte bits = (png_byte)bits_for(writing->shape.maxval);
    const png_color_8 significant = {
        .red = bits, .green = bits, .blue = bits, .gray = bits, .alpha = bits};

    png_set_sBIT(writing->png, writing->info, &significant);
}

/* Called inside libpng's jump: may be left at any call of libpng. */
static void write_header(struct writing *writing)
{
    const png_structp png = writing->png;
    const struct shape *shape = &writing->shape;

    png_set_write_fn(png, writing, write_bytes, flush_nothing);
    png_set_user_limits(png, INT_MAX, INT_MAX);
    png_set_IHDR(png, writing->info, (png_uint_32)shape->width, (png_uint_32)shape->height,
                 writing->rows.depth, colour_type_of(shape->channels), PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (shape->maxval != (1u << writing->rows.depth) - 1 && !writing->rows.stretched)
        write_significant_bits(writing);
    png_write_info(png, writing->info);
    png_known_write(png, writing->metadata, &writing->changes, false);
}

enum status png_codec_fits(const struct sink *sink, const struct image *image, struct error *error)
{
    if (sink->images > 0)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: a PNG file holds one image, and the input has several; name the output "
                    ".pgm, .ppm or .pam",
                    sink->name);
    if (image->view.channels > 4)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: PNG holds 1 to 4 channels, and the image has %d; name the output .pam",
                    sink->name, (int)image->view.channels);
    if (image->view.width > INT_MAX || image->view.height > INT_MAX)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: PNG holds sides of up to %d, and the image has %lld x %lld pixels; name "
                    "the output .pam",
                    sink->name, INT_MAX, (long long)image->view.width,
                    (long long)image->view.height);
    return STATUS_OK;
}

static enum status open_libpng(struct writing *writing)
{
    const struct png_trouble *trouble = &writing->trouble;

    writing->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writing->trouble,
                                           png_trouble_error, png_trouble_warning);
    if (writing->png)
        writing->info = png_create_info_struct(writing->png);
    if (!writing->info)
        return fail(trouble->error, STATUS_OUTPUT, "%s: no memory for libpng", trouble->name);
    if (setjmp(png_jmpbuf(writing->png)) != 0)
        return STATUS_OUTPUT;
    write_header(writing);
    return STATUS_OK;
}

static enum status no_memory(const struct sink *sink, struct error *error)
{
    return fail(error, STATUS_OUTPUT, "%s: no memory to compress it", sink->name);
}

/* A piece is there twice while it is made, filtered and compressed, and a third time if it has to
 * wait for its turn. zlib's own state is about ZLIB_BYTES. */
struct sink_wants png_codec_wants(const struct sink *sink, const struct image *about)
{
    const struct png_rows rows = png_rows_of(about, sink->options.scale);
    struct sink_wants wants = {
        .unit = png_piece_rows(&rows),
        .lead = png_piece_lead(&rows, sink->options.png_level),
    };

    wants.bytes = 3 * (wants.unit + 4) * (int64_t)(rows.row_bytes + 1) + ZLIB_BYTES;
    return wants;
}

enum status png_codec_begin(struct sink *sink, const struct image *about, struct error *error)
{
    struct writing *writing = calloc(1, sizeof *writing);

    if (!writing)
        return no_memory(sink, error);
    sink->writing = writing;
    writing->trouble = (struct png_trouble){sink->name, STATUS_OUTPUT, error, NULL};
    writing->sink = sink;
    writing->shape = image_shape(about);
    writing->metadata = about->format == FORMAT_PNG ? about->metadata : NULL;
    writing->changes = about->changes;
    writing->rows = png_rows_of(about, sink->options.scale);
    writing->adler = adler32(0, NULL, 0);
    pthread_mutex_init(&writing->mutex, NULL);
    sink->order = ROWS_IN_ANY_ORDER;
    sink->unit = png_piece_rows(&writing->rows);
    sink->lead = png_piece_lead(&writing->rows, sink->options.png_level);
    writing->count = (writing->shape.height - 1) / sink->unit + 1;
    writing->pieces = calloc((size_t)writing->count, sizeof *writing->pieces);
    if (!writing->pieces)
        return no_memory(sink, error);
    return open_libpng(writing);
}

/* The chunks of a piece: with the stream's first bytes before the first of them, and its checksum
 * behind the last. Called inside libpng's jump. */
static void write_piece(const struct writing *writing, const struct png_piece *piece)
{
    uint8_t head[2], tail[4];
    const bool first = writing->next == 0, last = writing->next + 1 == writing->count;

    png_stream_head(writing->sink->options.png_level, head);
    png_save_uint_32(tail, (png_uint_32)writing->adler);
    for (size_t done = 0, now; done < piece->count; done += now) {
        const size_t rest = piece->count - done;
        const bool begins = first && done == 0, ends = last && rest <= CHUNK_BYTES;

        now = rest < CHUNK_BYTES ? rest : CHUNK_BYTES;
        png_write_chunk_start(writing->png, (png_const_bytep) "IDAT",
                              (png_uint_32)(now + (begins ? 2 : 0) + (ends ? 4 : 0)));
        png_write_chunk_data(writing->png, head, begins ? sizeof head : 0);
        png_write_chunk_data(writing->png, piece->bytes + done, now);
        png_write_chunk_data(writing->png, tail, ends ? sizeof tail : 0);
        png_write_chunk_end(writing->png);
    }
}

/* Hands a piece over, and writes those whose turn it is. The mutex is held. */
static enum status deliver(struct writing *writing, int64_t index, const struct png_piece *piece,
                           struct error *error)
{
    writing->pieces[index] = *piece;
    writing->trouble.error = error;
    if (setjmp(png_jmpbuf(writing->png)) != 0)
        return STATUS_OUTPUT;
    while (writing->next < writing->count && writing->pieces[writing->next].bytes) {
        struct png_piece *next = &writing->pieces[writing->next];

        writing->adler = adler32_combine(writing->adler, next->adler, (z_off_t)next->raw_bytes);
        write_piece(writing, next);
        free(next->bytes);
        next->bytes = NULL;
        writing->next++;
    }
    return STATUS_OK;
}

enum status png_codec_put(struct sink *sink, int64_t first, int64_t count,
                          const struct image *image, int64_t from, struct error *error)
{
    struct writing *writing = sink->writing;
    enum status status = STATUS_OK;

    for (int64_t y = first; y < first + count && status == STATUS_OK; y += sink->unit) {
        const int64_t left = first + count - y, rows = left < sink->unit ? left : sink->unit;
        struct png_piece piece;

        if (!png_piece_make(&piece, &writing->rows, sink->options.png_level, image,
                            from + y - first, rows, y < sink->lead ? y : sink->lead,
                            y + rows == writing->shape.height))
            return no_memory(sink, error);
        pthread_mutex_lock(&writing->mutex);
        status = deliver(writing, y / sink->unit, &piece, error);
        pthread_mutex_unlock(&writing->mutex);
    }
    return status;
}

/* Not png_write_end: that would miss libpng's own IDAT. */
enum status png_codec_end(struct sink *sink, struct error *error)
{
    struct writing *writing = sink->writing;

    writing->trouble.error = error;
    if (setjmp(png_jmpbuf(writing->png)) != 0)
        return STATUS_OUTPUT;
    png_known_write(writing->png, writing->metadata, &writing->changes, true);
    png_write_chunk(writing->png, (png_const_bytep) "IEND", NULL, 0);
    return STATUS_OK;
}

void png_codec_discard(struct sink *sink)
{
    struct writing *writing = sink->writing;

    png_destroy_write_struct(&writing->png, &writing->info);
    for (int64_t i = writing->next; writing->pieces && i < writing->count; i++)
        free(writing->pieces[i].bytes);
    free(writing->pieces);
    pthread_mutex_destroy(&writing->mutex);
    free(writing);
    sink->writing = NULL;
}
