/* SPDX-License-Identifier: MIT */
/* Inputs and outputs as streams of images: which codec serves them, and the checks that all codecs
 * share. */
#include "codec.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keeps the system calls rare, and fits in the second-level cache: 1 MiB was no faster. */
#define STREAM_BUFFER_BYTES (1 << 18)

static const struct codec *const codecs[] = {&codec_pnm, &codec_png};

static const struct codec *codec_of(const unsigned char *head, size_t bytes)
{
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (codecs[i]->recognises(head, bytes))
            return codecs[i];
    return NULL;
}

/* Kinds of image that people have and that are not read here, with a tool that converts them. */
static const struct foreign {
    const char *magic;
    size_t offset;
    const char *name;
    const char *tool;
} foreigns[] = {
    {"\xff\xd8\xff", 0, "a JPEG image", "jpegtopnm"},
    {"GIF8", 0, "a GIF image", "giftopnm"},
    {"II*", 0, "a TIFF image", "tifftopnm"},
    {"MM", 0, "a TIFF image", "tifftopnm"},
    {"BM", 0, "a BMP image", "bmptopnm"},
    {"RIFF", 0, "a RIFF file (a WebP image?)", "dwebp -pam"},
    {"SIMPLE", 0, "a FITS image", "fitstopnm"},
    {"PF", 0, "a PFM image, whose samples are not integers", "pfmtopam"},
    {"Pf", 0, "a PFM image, whose samples are not integers", "pfmtopam"},
    {"ftyp", 4, "an AVIF or HEIF image", "heif-convert"},
};

static enum status refuse(const struct source *source, const unsigned char *head, size_t bytes,
                          struct error *error)
{
    char hex[3 * SOURCE_HEAD_BYTES + 1] = "";

    for (size_t i = 0; i < sizeof foreigns / sizeof *foreigns; i++) {
        const struct foreign *kind = &foreigns[i];
        size_t length = strlen(kind->magic);

        if (kind->offset + length <= bytes && !memcmp(head + kind->offset, kind->magic, length))
            return fail(error, STATUS_UNSUPPORTED,
                        "%s: this is %s; PBM, PGM, PPM, PAM and PNG are supported: convert it "
                        "first, for example with %s",
                        source->name, kind->name, kind->tool);
    }
    for (size_t i = 0; i < bytes; i++)
        snprintf(hex + 3 * i, 4, " %02x", head[i]);
    return fail(error, STATUS_INPUT,
                "%s: no image that is known: it begins with the bytes%s; PBM, PGM, PPM, PAM and "
                "PNG are supported",
                source->name, hex);
}

size_t source_peek(struct source *source, unsigned char head[SOURCE_HEAD_BYTES])
{
    size_t bytes = fread(head, 1, SOURCE_HEAD_BYTES, source->file);

    /* ISO C promises to take back one byte. glibc and the BSDs take any number, musl takes 8. */
    for (size_t i = bytes; i > 0; i--)
        ungetc(head[i - 1], source->file);
    return bytes;
}

static enum status find_codec(struct source *source, struct error *error)
{
    unsigned char head[SOURCE_HEAD_BYTES];
    size_t bytes = source_peek(source, head);

    if (ferror(source->file))
        return fail(error, STATUS_INPUT, "%s: cannot be read: %s", source->name, strerror(errno));
    if (bytes == 0)
        return fail(error, STATUS_INPUT, "%s: the file is empty, where an image was expected",
                    source->name);
    source->codec = codec_of(head, bytes);
    return source->codec ? STATUS_OK : refuse(source, head, bytes, error);
}

const char *source_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Standard input is duplicated, so that every source is closed in the same way. */
static FILE *open_stream(const char *path)
{
    int fd;
    FILE *file;

    if (strcmp(path, "-") != 0)
        return fopen(path, "rbe");
    fd = dup(STDIN_FILENO);
    if (fd < 0)
        return NULL;
    file = fdopen(fd, "rb");
    if (!file)
        close(fd);
    return file;
}

enum status source_open(struct source *source, const char *path, int64_t max_pixels,
                        struct error *error)
{
    struct stat about;
    enum status status;

    *source = (struct source){
        .name = source_name(path),
        .max_pixels = max_pixels,
        .max_side = MAX_SIDE_DEFAULT,
        .max_channels = MAX_CHANNELS_DEFAULT,
        .file_bytes = -1,
    };
    source->file = open_stream(path);
    if (!source->file || fstat(fileno(source->file), &about) != 0) {
        status =
            fail(error, STATUS_INPUT, "%s: cannot be opened: %s", source->name, strerror(errno));
        goto failed;
    }
    if (S_ISDIR(about.st_mode)) {
        status = fail(error, STATUS_INPUT, "%s: this is a folder, where an image was expected",
                      source->name);
        goto failed;
    }
    /* Files such as those in /proc are regular and say that they have no bytes. */
    if (S_ISREG(about.st_mode) && about.st_size > 0)
        source->file_bytes = about.st_size;
    source->buffer = malloc(STREAM_BUFFER_BYTES);
    if (source->buffer)
        setvbuf(source->file, source->buffer, _IOFBF, STREAM_BUFFER_BYTES);
    status = find_codec(source, error);
    if (status == STATUS_OK)
        return STATUS_OK;
failed:
    source_close(source);
    return status;
}

void source_close(struct source *source)
{
    if (source->reading)
        source->codec->drop(source);
    if (source->file)
        fclose(source->file);
    free(source->buffer);
    metadata_clear(&source->metadata);
    memset(source, 0, sizeof *source);
}

enum status source_recognise(const char *path, bool *is_image, struct error *error)
{
    unsigned char head[SOURCE_HEAD_BYTES];
    FILE *file = fopen(path, "rbe");
    size_t bytes = 0;
    int reason = 0;

    *is_image = false;
    if (file)
        bytes = fread(head, 1, sizeof head, file);
    if (!file || ferror(file))
        reason = errno;
    if (file)
        fclose(file);
    if (reason != 0)
        return fail(error, STATUS_INPUT, "%s: cannot be opened: %s", path, strerror(reason));
    *is_image = codec_of(head, bytes) != NULL;
    return STATUS_OK;
}

static enum status check_limits(const struct source *source, const struct shape *shape,
                                struct error *error)
{
    static const char remedy[] = "if the file is to be trusted";
    const long long width = shape->width, height = shape->height;

    if (width * height > source->max_pixels)
        return fail(error, STATUS_INPUT,
                    "%s: the header promises %lld x %lld = %lld pixels, above the limit of %lld; "
                    "raise it with --max-pixels %s",
                    source->name, width, height, width * height, (long long)source->max_pixels,
                    remedy);
    if (width > source->max_side || height > source->max_side)
        return fail(error, STATUS_INPUT,
                    "%s: the header promises %lld x %lld pixels, a side above the limit of %lld; "
                    "raise it with --max-side %s",
                    source->name, width, height, (long long)source->max_side, remedy);
    if (shape->channels > source->max_channels)
        return fail(error, STATUS_INPUT,
                    "%s: the header promises %d channels, above the limit of %lld; raise it with "
                    "--max-channels %s",
                    source->name, (int)shape->channels, (long long)source->max_channels, remedy);
    return STATUS_OK;
}

enum status source_check_promise(const struct source *source, const struct shape *shape,
                                 double min_bits_per_row, struct error *error)
{
    const long long width = shape->width, height = shape->height;
    const double bytes = min_bits_per_row / 8 * (double)height;
    const int64_t position = ftello(source->file);
    enum status status;

    if (width < 1 || width > INT_MAX || height < 1 || height > INT_MAX || shape->channels < 1)
        return fail(error, STATUS_INPUT,
                    "%s: the header promises %lld x %lld pixels of %d channels; sides of 1 to %d "
                    "and at least 1 channel are supported",
                    source->name, width, height, (int)shape->channels, INT_MAX);
    if (shape->maxval < 1 || shape->maxval > MAX_MAXVAL)
        return fail(error, STATUS_INPUT, "%s: the maxval is %u; 1 to %u are supported",
                    source->name, shape->maxval, MAX_MAXVAL);
    status = check_limits(source, shape, error);
    if (status != STATUS_OK)
        return status;
    if (source->file_bytes >= 0 && position >= 0 && bytes > (double)(source->file_bytes - position))
        return fail(error, STATUS_INPUT,
                    "%s: the header promises %lld x %lld pixels, which take at least %.0f bytes, "
                    "and %lld bytes are there: the file is truncated or its header is wrong",
                    source->name, width, height, bytes, (long long)(source->file_bytes - position));
    return STATUS_OK;
}

enum status source_short(const struct source *source, const char *where, struct error *error)
{
    if (ferror(source->file))
        return fail(error, STATUS_INPUT, "%s: cannot be read: %s", source->name, strerror(errno));
    return fail(error, STATUS_INPUT, "%s: the file ends in %s; it is truncated", source->name,
                where);
}
