/* SPDX-License-Identifier: MIT */
/* The functions by which libtiff reads and writes a file, and those that receive libtiff's
 * messages. */
#include "src/files/codec/tiff/tiff.h"

#include "kernels/common/numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* When libtiff reads, one allocation may at first take up to LIST_GROWTH times the file's length,
 * plus CODEC_BYTES. LIST_GROWTH is enough for any list of numbers, since a number takes 8 bytes in
 * memory and at least one byte in the file. CODEC_BYTES are enough for the state of a codec. */
#define LIST_GROWTH 8
#define CODEC_BYTES (1 << 20)

tmsize_t tiff_handle_move(struct tiff_handle *handle, bool writes, int64_t offset, void *bytes,
                          tmsize_t count)
{
    tmsize_t done = 0;

    while (done < count) {
        char *rest = (char *)bytes + done;
        const size_t left = (size_t)(count - done);
        const ssize_t moved = writes ? pwrite(handle->fd, rest, left, offset + done)
                                     : pread(handle->fd, rest, left, offset + done);

        if (moved < 0 && errno == EINTR)
            continue;
        if (moved < 0 && handle->reason == 0)
            handle->reason = errno;
        if (moved <= 0)
            break;
        done += moved;
    }
    return done;
}

static tmsize_t read_proc(thandle_t context, void *bytes, tmsize_t count)
{
    struct tiff_handle *handle = context;
    const tmsize_t done = tiff_handle_move(handle, false, handle->position, bytes, count);

    handle->position += done;
    return done;
}

static tmsize_t write_proc(thandle_t context, void *bytes, tmsize_t count)
{
    struct tiff_handle *handle = context;
    tmsize_t done = count;

    if (!handle->keeps_free)
        done = tiff_handle_move(handle, true, handle->position, bytes, count);
    handle->position += done;
    if (handle->position > handle->bytes)
        handle->bytes = handle->position;
    return done;
}

static toff_t seek_proc(thandle_t context, toff_t offset, int whence)
{
    struct tiff_handle *handle = context;
    const int64_t from = whence == SEEK_END   ? handle->bytes
                         : whence == SEEK_CUR ? handle->position
                                              : 0;
    int64_t to;

    if (__builtin_add_overflow(from, (int64_t)offset, &to) || to < 0)
        return (toff_t)-1;
    handle->position = to;
    return (toff_t)to;
}

static int close_proc(thandle_t context)
{
    (void)context;
    return 0;
}

static toff_t size_proc(thandle_t context)
{
    return (toff_t)((const struct tiff_handle *)context)->bytes;
}

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Stores libtiff's message, without the file's name and the full stop, in printable ASCII. */
__attribute__((format(printf, 4, 0))) static void
take_text(const char *name, char *text, size_t room, const char *format, va_list arguments)
{
    const size_t name_length = strlen(name);
    size_t length;

    vsnprintf(text, room, format, arguments);
    if (strncmp(text, name, name_length) == 0 && strncmp(text + name_length, ": ", 2) == 0)
        memmove(text, text + name_length + 2, strlen(text + name_length + 2) + 1);
    length = strlen(text);
    while (length > 0 && (text[length - 1] == '.' || text[length - 1] == '\n'))
        text[--length] = '\0';
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

/* True for a warning after which samples may be missing or wrong. */
static bool is_serious(const char *text)
{
    return begins_with(text, "Discarding") || begins_with(text, "Out of memory") ||
           begins_with(text, "Registering");
}

/* True if the text is about the value of a tag that does not describe samples. */
static bool is_bad_metadata(const char *text)
{
    return begins_with(text, "Bad value") &&
           (strstr(text, "\"Orientation\"") || strstr(text, "\"ResolutionUnit\"") ||
            strstr(text, "\"XResolution\"") || strstr(text, "\"YResolution\""));
}

/* True for an error after which libtiff only skips a tag: one that it does not know, or one whose
 * value it refuses. Errors of tags that describe samples have other texts. */
static bool is_harmless(const char *text)
{
    return is_bad_metadata(text) || begins_with(text, "Null count for") ||
           begins_with(text, "Bad LONG8 value") || begins_with(text, "Bad SLONG8 value") ||
           begins_with(text, "Defined set_field_type of custom tag");
}

__attribute__((format(printf, 4, 0))) static int
take_error(TIFF *tif, void *context, const char *module, const char *format, va_list arguments)
{
    struct tiff_handle *handle = context;
    char text[sizeof handle->fault];

    (void)tif;
    (void)module;
    take_text(handle->name, text, sizeof text, format, arguments);
    if (is_harmless(text))
        metadata_note(&handle->warnings, NULL, text);
    else if (!handle->fault[0])
        memcpy(handle->fault, text, sizeof text);
    return 1;
}

/* Stores libtiff's warning: as a fault if samples may be missing or wrong, else in
 * handle->warnings. Drops warnings about tags that libtiff does not know. */
__attribute__((format(printf, 4, 0))) static int
take_warning(TIFF *tif, void *context, const char *module, const char *format, va_list arguments)
{
    struct tiff_handle *handle = context;
    char text[120];

    (void)tif;
    (void)module;
    take_text(handle->name, text, sizeof text, format, arguments);
    if (is_serious(text) && !handle->fault[0])
        snprintf(handle->fault, sizeof handle->fault, "%s", text);
    else if (!begins_with(text, "Unknown field"))
        metadata_note(&handle->warnings, NULL, text);
    return 1;
}

enum status tiff_fault(struct tiff_handle *handle, const char *where, struct error *error)
{
    const enum status status = handle->status;
    const char *in = where ? " in " : "", *part = where ? where : "";
    const char *what = handle->fault[0] ? handle->fault : "libtiff gives no reason";

    if (handle->reason != 0)
        fail(error, status, "%s: cannot be %s: %s", handle->name,
             status == STATUS_INPUT ? "read" : "written", strerror(handle->reason));
    else if (status == STATUS_INPUT)
        fail(error, status, "%s: damaged%s%s: %s", handle->name, in, part, what);
    else
        fail(error, status, "%s: cannot be written: libtiff: %s", handle->name, what);
    handle->reason = 0;
    handle->fault[0] = '\0';
    return status;
}

enum status tiff_handle_check(struct tiff_handle *handle, struct error *error)
{
    return handle->reason == 0 && !handle->fault[0] ? STATUS_OK : tiff_fault(handle, NULL, error);
}

static TIFF *open_libtiff(struct tiff_handle *handle, const char *mode)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFF *tif = NULL;

    if (!options)
        return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, take_error, handle);
    TIFFOpenOptionsSetWarningHandlerExtR(options, take_warning, handle);
    if (*mode == 'r')
        TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)handle->most);
    tif = TIFFClientOpenExt(handle->name, mode, handle, read_proc, write_proc, seek_proc,
                            close_proc, size_proc, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tif;
}

/* Finds why libtiff did not open the file: opens the file without reading a directory, then reads
 * the first directory. */
static void find_fault(struct tiff_handle *handle, struct error *error)
{
    handle->position = 0; /* libtiff reads the header from here */
    handle->tif = open_libtiff(handle, "rhm");
    if (!handle->tif) {
        tiff_fault(handle, NULL, error);
        return;
    }
    TIFFSetDirectory(handle->tif, 0);
    tiff_kind_fault(handle, error);
    TIFFClose(handle->tif);
}

/* libtiff has no call that changes the limit of an open file. */
enum status tiff_handle_allow(struct tiff_handle *handle, int64_t bytes, struct error *error)
{
    const uint64_t directory = TIFFCurrentDirOffset(handle->tif);

    if (bytes <= handle->most)
        return STATUS_OK;
    handle->most = bytes;
    TIFFClose(handle->tif);
    handle->position = 0;
    handle->tif = open_libtiff(handle, "rchm");
    return handle->tif && TIFFSetSubDirectory(handle->tif, directory)
               ? STATUS_OK
               : tiff_fault(handle, NULL, error);
}

struct tiff_handle *tiff_handle_open(const char *name, FILE *file, int64_t bytes, const char *mode,
                                     struct error *error)
{
    const enum status status = *mode == 'r' ? STATUS_INPUT : STATUS_OUTPUT;
    struct tiff_handle *handle = calloc(1, sizeof *handle);

    if (!handle) {
        fail(error, status, "%s: no memory for libtiff", name);
        return NULL;
    }
    *handle =
        (struct tiff_handle){.name = name, .status = status, .fd = fileno(file), .bytes = bytes};
    handle->most = LIST_GROWTH * min(bytes, INT64_MAX / LIST_GROWTH - CODEC_BYTES) + CODEC_BYTES;
    handle->tif = open_libtiff(handle, mode);
    if (handle->tif)
        return handle;
    if (status == STATUS_INPUT)
        find_fault(handle, error);
    else
        tiff_fault(handle, NULL, error);
    free(handle);
    return NULL;
}

/* Closes the file as if it had been opened for reading. Otherwise libtiff would write the directory
 * of an unfinished image; libtiff 4.5 does so without checking that this directory has its lists of
 * strips. */
void tiff_handle_close(void *state)
{
    struct tiff_handle *handle = state;

    if (!handle->tif)
        return;
    TIFFSetMode(handle->tif, O_RDONLY);
    TIFFClose(handle->tif);
}
