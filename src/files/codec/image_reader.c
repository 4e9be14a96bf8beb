/* SPDX-License-Identifier: MIT */
/* Opens an input, finds the codec of its format by the first bytes, checks headers for all codecs,
 * and reads the images one after the other. */
#include "src/files/codec/codec.h"
#include "src/files/codec/exif.h"
#include "src/files/codec/rows/samples.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/work_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Opens an input, finds its codec, and closes it. */

/* A buffer of this size needs few system calls and fits in the L2 cache; 1 MiB was no faster. */
#define STREAM_BUFFER_BYTES (1 << 18)

/* 64 TiB. Estimates of memory multiply an image's bytes by the number of images that a filter
 * combines, or by the number of images in a file. With this limit the products fit in 64 bits. */
#define MAX_IMAGE_BYTES ((int64_t)1 << 46)

const struct codec *const codecs[] = {
    [FORMAT_PBM] = &codec_pnm,   [FORMAT_PGM] = &codec_pnm,   [FORMAT_PPM] = &codec_pnm,
    [FORMAT_PAM] = &codec_pnm,   [FORMAT_PNG] = &codec_png,   [FORMAT_NPY] = &codec_npy,
    [FORMAT_TIFF] = &codec_tiff, [FORMAT_JPEG] = &codec_jpeg,
};

const struct codec *codec_find(const unsigned char *head, size_t bytes)
{
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        const struct codec *codec = codecs[i];
        const size_t count = codec->magic_bytes;

        for (const char *const *magic = codec->magics; *magic; magic++)
            if (bytes >= count && memcmp(head, *magic, count) == 0 &&
                (!codec->follow ||
                 (bytes > count && head[count] && strchr(codec->follow, head[count]))))
                return codec;
    }
    return NULL;
}

/* Formats that are recognised but not supported, each with a tool that converts its files. */
static const struct unsupported {
    const char *magic;
    size_t offset; /* where the file has the magic */
    const char *name;
    const char *tool;
} unsupported[] = {
    {"GIF8", 0, "GIF", "giftopnm"},
    {"BM", 0, "BMP", "bmptopnm"},
    {"RIFF", 0, "RIFF (WebP?)", "dwebp -pam"},
    {"SIMPLE", 0, "FITS", "fitstopnm"},
    {"PF", 0, "PFM (floating point)", "pfmtopam"},
    {"Pf", 0, "PFM (floating point)", "pfmtopam"},
    {"ftyp", 4, "AVIF or HEIF", "heif-convert"},
};

/* A file's first bytes, for a message: in quotes, the text up to the first unprintable byte; or, if
 * this text has fewer than two characters, all bytes as hexadecimal numbers. */
struct beginning {
    char text[3 * FORMAT_HEAD_BYTES + 3];
};

static struct beginning beginning_of(const unsigned char *head, size_t bytes)
{
    struct beginning beginning = {""};
    size_t letters = 0;

    while (letters < bytes && head[letters] >= ' ' && head[letters] <= '~')
        letters++;
    if (letters > 1)
        snprintf(beginning.text, sizeof beginning.text, " '%.*s'", (int)letters,
                 (const char *)head);
    for (size_t i = 0; i < bytes && letters <= 1; i++)
        snprintf(beginning.text + 3 * i, 4, " %02x", head[i]);
    return beginning;
}

/* Refuses a file that no codec recognises: names its format, or shows its first bytes. */
static enum status refuse(const struct image_reader *reader, const unsigned char *head,
                          size_t bytes, struct error *error)
{
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++) {
        const struct unsupported *format = &unsupported[i];
        const size_t length = strlen(format->magic);

        if (format->offset + length <= bytes &&
            memcmp(head + format->offset, format->magic, length) == 0)
            return fail(error, STATUS_UNSUPPORTED,
                        "%s: %s is not supported; convert it first, for example with %s",
                        reader->name, format->name, format->tool);
    }
    return fail(error, STATUS_INPUT,
                "%s: not a supported image (starts with%s); supported: PBM, PGM, PPM, PAM, PNG, "
                "JPEG, TIFF and NPY",
                reader->name, beginning_of(head, bytes).text);
}

size_t image_reader_peek(struct image_reader *reader, unsigned char head[FORMAT_HEAD_BYTES])
{
    size_t bytes = fread(head, 1, FORMAT_HEAD_BYTES, reader->file);

    /* Pushes back up to FORMAT_HEAD_BYTES bytes. ISO C guarantees only one byte of ungetc, but
     * glibc and the BSDs allow any number, and musl allows 8. */
    for (size_t i = bytes; i > 0; i--)
        ungetc(head[i - 1], reader->file);
    return bytes;
}

void image_reader_note_rest(struct image_reader *reader, const char *another)
{
    unsigned char head[FORMAT_HEAD_BYTES];
    const size_t bytes = image_reader_peek(reader, head);

    reader->another = codec_find(head, bytes) == reader->codec;
    if (reader->another)
        metadata_note(&reader->metadata.faults, NULL, another);
    else if (bytes > 0)
        metadata_note(&reader->metadata.faults, NULL, "other bytes after the end, not read");
}

const char *image_reader_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Opens the path. For "-", duplicates standard input, so that every reader closes its file in the
 * same way. */
static enum status open_stream(struct image_reader *reader, const char *path, struct error *error)
{
    struct stat info;

    if (strcmp(path, "-") == 0) {
        /* If the program started with standard input closed, main() has opened it for writing.
         * Reading from standard input must then fail. */
        const bool closed = (fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE) == O_WRONLY;
        const int fd = closed ? -1 : dup(STDIN_FILENO);

        reader->file = fd < 0 ? NULL : fdopen(fd, "rb");
        if (fd >= 0 && !reader->file)
            close(fd);
        if (closed)
            errno = EBADF;
    } else {
        reader->file = fopen(path, "rbe");
    }
    if (!reader->file || fstat(fileno(reader->file), &info) != 0)
        return fail(error, STATUS_INPUT, "%s: cannot be opened: %s", reader->name,
                    error_reason(errno));
    if (S_ISDIR(info.st_mode))
        return fail(error, STATUS_INPUT, "%s: is a folder, not an image", reader->name);
    /* Files in /proc are regular and report a size of 0, so a size of 0 counts as unknown. */
    if (S_ISREG(info.st_mode) && info.st_size > 0)
        reader->file_bytes = info.st_size;
    reader->buffer = malloc(STREAM_BUFFER_BYTES);
    if (reader->buffer)
        setvbuf(reader->file, reader->buffer, _IOFBF, STREAM_BUFFER_BYTES);
    return STATUS_OK;
}

enum status image_reader_open(struct image_reader *reader, const char *path, int64_t max_pixels,
                              struct error *error)
{
    unsigned char head[FORMAT_HEAD_BYTES];
    size_t bytes;
    enum status status;

    *reader = (struct image_reader){
        .name = image_reader_name(path),
        .max_pixels = max_pixels,
        .max_side = MAX_SIDE_DEFAULT,
        .max_channels = MAX_CHANNELS_DEFAULT,
        .file_bytes = -1,
    };
    status = open_stream(reader, path, error);
    if (status == STATUS_OK) {
        bytes = image_reader_peek(reader, head);
        reader->codec = codec_find(head, bytes);
        if (ferror(reader->file))
            status =
                fail(error, STATUS_INPUT, "%s: cannot be read: %s", reader->name, strerror(errno));
        else if (bytes == 0)
            status = fail(error, STATUS_INPUT, "%s: the file is empty", reader->name);
        else if (!reader->codec)
            status = refuse(reader, head, bytes, error);
    }
    if (status != STATUS_OK)
        image_reader_close(reader);
    return status;
}

/* Frees the codec's state of the current image. */
static void drop(struct image_reader *reader)
{
    if (reader->reading && reader->codec->drop)
        reader->codec->drop(reader->reading);
    free(reader->reading);
    reader->reading = NULL;
}

void image_reader_close(struct image_reader *reader)
{
    drop(reader);
    if (reader->kept && reader->codec->close)
        reader->codec->close(reader->kept);
    free(reader->kept);
    if (reader->file)
        fclose(reader->file);
    free(reader->buffer);
    free(reader->own_light);
    metadata_clear(&reader->metadata);
    memset(reader, 0, sizeof *reader);
}

enum status image_reader_recognise(const char *path, const struct codec **codec,
                                   struct error *error)
{
    unsigned char head[FORMAT_HEAD_BYTES];
    FILE *file = fopen(path, "rbe");
    const size_t bytes = file ? fread(head, 1, sizeof head, file) : 0;
    const int reason = !file || ferror(file) ? errno : 0;

    *codec = NULL;
    if (file)
        fclose(file);
    if (reason != 0)
        return fail(error, STATUS_INPUT, "%s: cannot be opened: %s", path, strerror(reason));
    *codec = codec_find(head, bytes);
    return STATUS_OK;
}

/* --- Functions that codecs call. */

#define DECLARES "%s: the header declares %lld x %lld"
#define ABOVE_LIMIT(OPTION)                                                                        \
    " above the limit of %lld; raise it with " OPTION " if you trust the file"

enum status image_reader_check_header(const struct image_reader *reader, const struct shape *shape,
                                      double min_bits_per_row, struct error *error)
{
    const long long width = shape->width, height = shape->height;
    const int channels = shape->channels;
    const double bytes = min_bits_per_row / 8 * (double)height; /* may exceed 64 bits */
    const int64_t position = ftello(reader->file), left = reader->file_bytes - position;

    if (width < 1 || width > INT_MAX || height < 1 || height > INT_MAX || channels < 1)
        return fail(error, STATUS_INPUT,
                    DECLARES " pixels of %d channels; sides of 1 to %d and at least 1 channel are "
                             "supported",
                    reader->name, width, height, channels, INT_MAX);
    if (!(shape->maxval == FLOAT_SAMPLES && reader->codec->floats) &&
        (shape->maxval < 1 || shape->maxval > MAX_MAXVAL))
        return fail(error, STATUS_INPUT, "%s: the maxval is %u; 1 to %u are supported",
                    reader->name, shape->maxval, MAX_MAXVAL);
    if (width * height > reader->max_pixels)
        return fail(error, STATUS_INPUT, DECLARES " = %lld pixels," ABOVE_LIMIT("--max-pixels"),
                    reader->name, width, height, width * height, (long long)reader->max_pixels);
    if (width > reader->max_side || height > reader->max_side)
        return fail(error, STATUS_INPUT, DECLARES " pixels, a side" ABOVE_LIMIT("--max-side"),
                    reader->name, width, height, (long long)reader->max_side);
    if (channels > reader->max_channels)
        return fail(error, STATUS_INPUT,
                    "%s: the header declares %d channels," ABOVE_LIMIT("--max-channels"),
                    reader->name, channels, (long long)reader->max_channels);
    if (reader->file_bytes >= 0 && position >= 0 && bytes > (double)left)
        return fail(error, STATUS_INPUT,
                    DECLARES " pixels, which take at least %.0f bytes, but only %lld follow: the "
                             "file is truncated or its header is wrong",
                    reader->name, width, height, bytes, (long long)left);
    if ((double)width * (double)height * channels * sample_bytes_of(shape->maxval) >
        (double)MAX_IMAGE_BYTES)
        return fail(error, STATUS_INPUT,
                    DECLARES " pixels of %d channels, more than the %lld bytes that an image may "
                             "have",
                    reader->name, width, height, channels, (long long)MAX_IMAGE_BYTES);
    return STATUS_OK;
}

enum status image_reader_no_memory(const struct image_reader *reader, struct error *error)
{
    return fail(error, STATUS_INPUT, "%s: no memory to read it", reader->name);
}

enum status image_reader_keep(struct image_reader *reader, const char *name, const char *what,
                              const void *bytes, size_t count, struct error *error)
{
    uint8_t only[EXIF_ORIENTATION_BYTES];

    if (reader->max_metadata == 0 && strcmp(name, "0112") != 0) { /* TIFF's orientation */
        count = strcasecmp(name, "EXIF") == 0 ? exif_only_orientation(bytes, count, only) : 0;
        bytes = only;
        if (count == 0)
            return STATUS_OK;
    }
    if (reader->max_metadata > 0 &&
        reader->metadata.bytes + (int64_t)count + METADATA_ITEM_BYTES > reader->max_metadata)
        return metadata_too_large(reader->name, what, reader->max_metadata, error);
    return metadata_copy(&reader->metadata, name, bytes, count)
               ? STATUS_OK
               : image_reader_no_memory(reader, error);
}

enum status image_reader_short(const struct image_reader *reader, const char *where,
                               struct error *error)
{
    if (ferror(reader->file))
        return fail(error, STATUS_INPUT, "%s: cannot be read: %s", reader->name, strerror(errno));
    return fail(error, STATUS_INPUT, "%s: truncated: the file ends in %s", reader->name, where);
}

/* --- Reads the images one after the other: the header, the rows, then the end. */

/* Adds to *error, which says why an image cannot be read, how many images were read before it.
 * Returns `status`. */
static enum status located(const struct image_reader *reader, enum status status,
                           struct error *error)
{
    const size_t length = strlen(error->text);

    if (reader->images > 0)
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
    struct light *const own = reader->own_light;

    if (image_alpha(header) == ASSOCIATED_ALPHA)
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
    if (own && own->maxval == header->maxval && own->gamma == gamma) {
        reader->light = own;
    } else {
        free(own);
        reader->own_light = NULL;
        reader->light = lights_get(reader->lights, header->maxval, gamma, &reader->own_light);
    }
    if (!reader->light)
        return fail(error, STATUS_INPUT, "%s: no memory for tables of linear light", reader->name);
    reader->has_alpha = image_alpha(header) == STRAIGHT_ALPHA;
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
    if (header->view.channels == INT32_MAX)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: %d channels, and the mask %s would be one more than are supported; leave "
                    "out --mask",
                    reader->name, INT32_MAX, mask->name);
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
    if (!*found && !reader->at_end && reader->codec->more)
        status = reader->codec->more(reader, found, error);
    if (status == STATUS_OK && *found) {
        metadata_clear_items(&reader->metadata);
        reader->light = NULL;
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
    return status == STATUS_OK ? STATUS_OK : located(reader, status, error);
}

/* Lets the codec read rows, then decodes the rows to linear light and applies the mask, if the
 * reader has these options. */
enum status image_reader_read(const struct image_reader *reader, int64_t first, int64_t count,
                              const struct image *image, int64_t to, struct error *error)
{
    struct image wide = *image, file;
    enum status status;

    wide.light = reader->light;
    wide.mask = reader->widened ? reader->mask : NULL;
    file = image_file(&wide);
    status = reader->codec->read(reader, first, count, &file, to, error);
    if (status != STATUS_OK)
        return located(reader, status, error);
    if (wide.light || wide.mask)
        samples_decode(&wide, reader->has_alpha, first, count, to);
    else if (reader->mask)
        mask_erase(reader->mask, first, count, image, to);
    return STATUS_OK;
}

enum status image_reader_finish(struct image_reader *reader, struct error *error)
{
    const enum status status = reader->codec->finish(reader, error);

    drop(reader);
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
    return image_reader_read(loading->reader, first, min(left, loading->rows), loading->image,
                             first, error);
}

static enum status load_rows(const struct image_reader *reader, const struct image *image,
                             int threads, struct error *error)
{
    const int64_t height = image->view.height;
    const int64_t parts = reader->order == ROWS_IN_ANY_ORDER ? threads : 1;
    struct loading loading = {reader, image, (height - 1) / parts + 1};

    return work_queue_run(threads, (height - 1) / loading.rows + 1, false, load_part, &loading,
                          error);
}

enum status image_reader_load(struct image_reader *reader, const struct image *header, int threads,
                              void *memory, struct image *image, struct error *error)
{
    const struct shape shape = image_shape(header);
    struct error why;
    enum status status = STATUS_OK;

    image_lay_out(image, &shape);
    image->view.origin = memory;
    if (!memory)
        status = image_alloc(image, &shape, &why);
    if (status != STATUS_OK)
        return located(reader, fail(error, status, "%s: %s", reader->name, why.text), error);
    image_copy_kind(image, header);
    status = load_rows(reader, image, threads, error);
    if (status == STATUS_OK)
        status = image_reader_finish(reader, error);
    if (status != STATUS_OK)
        image_free(image);
    return status;
}
