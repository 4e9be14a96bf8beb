/* SPDX-License-Identifier: MIT */
#include "tests/unit/scratch.h"
#include "tests/unit/framed.h"
#include "kernels/common/sample.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATHS 16

static char folder[512];
static pid_t owner;

static void remove_folder(void)
{
    char command[1200];

    if (getpid() != owner)
        return;
    snprintf(command, sizeof command, "chmod -R u+w '%s' && rm -rf '%s'", folder, folder);
    if (system(command) != 0)
        fprintf(stderr, "%s could not be removed\n", folder);
}

void scratch_make(void)
{
    const char *parent = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/smoothimg-test.XXXXXX", parent ? parent : "/tmp");
    NEED(mkdtemp(folder));
    owner = getpid();
    atexit(remove_folder);
}

const char *scratch_path(const char *name)
{
    static _Thread_local char paths[PATHS][1024];
    static _Thread_local unsigned next;
    char *path = paths[next++ % PATHS];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void scratch_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    NEED(file);
    NEED(fwrite(bytes, 1, count, file) == count);
    NEED(fclose(file) == 0);
}

unsigned char *scratch_read(const char *path, size_t *count)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    unsigned char *bytes;

    NEED(file && fstat(fileno(file), &info) == 0);
    *count = (size_t)info.st_size;
    bytes = malloc(*count + 1);
    NEED(bytes && fread(bytes, 1, *count, file) == *count);
    fclose(file);
    return bytes;
}

void scratch_check(const char *path, const char *want)
{
    size_t count;
    unsigned char *bytes = scratch_read(path, &count);

    CHECK(count == strlen(want) && memcmp(bytes, want, count) == 0, "%s holds '%.*s', not '%s'",
          path, (int)count, (char *)bytes, want);
    free(bytes);
}

int scratch_entries(void)
{
    DIR *directory = opendir(folder);
    int entries = 0;

    NEED(directory);
    while (readdir(directory))
        entries++;
    closedir(directory);
    return entries - 2; /* without the entries . and .. */
}

struct image scratch_image(int64_t width, int64_t height, int32_t channels, uint32_t maxval,
                           int64_t around, unsigned seed)
{
    const struct shape shape = {width, height, channels, maxval};
    struct image image;
    struct error error;

    NEED(framed_alloc(&image, &shape, around, &error) == STATUS_OK);
    memset(image.memory, 0xa5, image.memory_bytes);
    for (int64_t y = 0; y < height; y++)
        for (int64_t i = 0; i < width * channels; i++) {
            uint32_t value;

            seed = seed * 1664525u + 1013904223u;
            value = maxval == FLOAT_SAMPLES ? seed : (seed >> 8) % (maxval + 1);
            if (maxval != FLOAT_SAMPLES && i % 7 == 0)
                value = y % 2 ? maxval : 0;
            sample_set(&image.view, y, i / channels, (int32_t)(i % channels), value);
        }
    return image;
}
