/* SPDX-License-Identifier: MIT */
#include "tests/unit/scratch.h"
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

static unsigned char *read_file(const char *path, size_t *count)
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

bool scratch_holds(const char *path, const char *want)
{
    size_t count;
    unsigned char *bytes = read_file(path, &count);
    const bool holds = count == strlen(want) && memcmp(bytes, want, count) == 0;

    if (!holds)
        fprintf(stderr, "%s holds '%.*s', not '%s'\n", path, (int)count, (char *)bytes, want);
    free(bytes);
    return holds;
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
