/* SPDX-License-Identifier: MIT */
#include "glance.h"

#include "codec.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 1024

static int64_t big_endian(const unsigned char *bytes)
{
    return (int64_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/* Behind the signature the chunk IHDR: width, height, depth, colour type. */
static bool glance_at_png(const unsigned char *head, size_t bytes, struct glance *glance)
{
    static const int32_t channels[] = {1, 0, 3, 3, 2, 0, 4}; /* by colour type; 3: a palette */

    if (bytes < 26 || memcmp(head + 12, "IHDR", 4) != 0 || head[25] > 6)
        return false;
    glance->png = true;
    glance->images = 1;
    glance->shape = (struct shape){big_endian(head + 16), big_endian(head + 20), channels[head[25]],
                                   head[24] == 16 ? 65535 : 255};
    return true;
}

/* The next number of a header, with white space and comments before it; 0 if there is none. */
static int64_t next_number(const char **text)
{
    int64_t number = 0;

    while (isspace((unsigned char)**text) || **text == '#')
        *text += **text == '#' ? strcspn(*text, "\n") : 1;
    for (; isdigit((unsigned char)**text) && number < INT_MAX; ++*text)
        number = 10 * number + (**text - '0');
    return number;
}

/* The number behind a word of a PAM's header. */
static int64_t number_of(const char *text, const char *word)
{
    const char *found = strstr(text, word);

    if (!found)
        return 0;
    found += strlen(word);
    return next_number(&found);
}

/* text ends in a zero byte. A raw file may hold as many images as have room in it. */
static bool glance_at_pnm(const char *text, int64_t file_bytes, struct glance *glance)
{
    const char kind = text[1];
    struct shape *shape = &glance->shape;
    double raster;

    if (kind == '7') {
        *shape = (struct shape){number_of(text, "\nWIDTH"), number_of(text, "\nHEIGHT"),
                                (int32_t)number_of(text, "\nDEPTH"),
                                (uint32_t)number_of(text, "\nMAXVAL")};
    } else {
        text += 2;
        shape->width = next_number(&text);
        shape->height = next_number(&text);
        shape->channels = kind == '3' || kind == '6' ? 3 : 1;
        shape->maxval = kind == '1' || kind == '4' ? 1 : (uint32_t)next_number(&text);
    }
    raster = (double)shape->width * (double)shape->height * shape->channels *
             (kind == '4' ? 0.125 : sample_bytes_of(shape->maxval));
    glance->png = false;
    glance->images = 1;
    if (kind >= '4' && raster > 0 && (double)file_bytes > 2 * raster)
        glance->images = (int64_t)((double)file_bytes / (raster + 7)); /* and a header each */
    return true;
}

bool glance_at_head(const unsigned char *head, size_t bytes, int64_t file_bytes,
                    struct glance *glance)
{
    char text[HEAD_BYTES + 1];
    bool found = false;

    memset(glance, 0, sizeof *glance);
    if (codec_png.recognises(head, bytes)) {
        found = glance_at_png(head, bytes, glance);
    } else if (codec_pnm.recognises(head, bytes)) {
        snprintf(text, sizeof text, "%.*s", (int)bytes, (const char *)head);
        found = glance_at_pnm(text, file_bytes, glance);
    }
    return found && glance->shape.width > 0 && glance->shape.height > 0 &&
           glance->shape.channels > 0 && glance->shape.maxval > 0;
}

/* Of a regular file; the position stays where it is. */
static bool glance_at_file(int fd, struct glance *glance)
{
    unsigned char head[HEAD_BYTES];
    const off_t position = lseek(fd, 0, SEEK_CUR);
    struct stat about;
    ssize_t bytes;

    if (position < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    bytes = pread(fd, head, sizeof head, position);
    return bytes > 0 && glance_at_head(head, (size_t)bytes, about.st_size - position, glance);
}

bool glance_at(const char *input, struct glance *glance)
{
    struct stat about;
    bool found;
    int fd;

    if (strcmp(input, "-") == 0)
        return glance_at_file(STDIN_FILENO, glance);
    /* Opening a pipe and closing it again would break it for its writer. */
    if (stat(input, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    fd = open(input, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    found = glance_at_file(fd, glance);
    close(fd);
    return found;
}
