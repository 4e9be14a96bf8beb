/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/ground.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* libnetpbm leaks a little memory when it refuses a header. LeakSanitizer must not report this. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libnetpbm\n";
}

/* Options of AddressSanitizer. Huge allocations return NULL, as with malloc, instead of ending the
 * target. At most 8 MiB of freed memory are kept from reuse: they fit into the cache, so that
 * targets run fast. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:quarantine_size_mb=8";
}

static int fds[GROUND_FILES];
static char paths[GROUND_FILES][32];
static int pipe_fd;
static char pipe_path[32];

const char *ground_file(int which, const void *bytes, size_t count)
{
    int *fd = &fds[which];

    if (*fd == 0) {
        *fd = memfd_create("fuzz", MFD_CLOEXEC);
        DEMAND(*fd > 0, "no memory for a file");
        snprintf(paths[which], sizeof paths[which], "/proc/self/fd/%d", *fd);
    }
    DEMAND(ftruncate(*fd, 0) == 0 && pwrite(*fd, bytes, count, 0) == (ssize_t)count, "no room");
    return paths[which];
}

const char *ground_path(int which)
{
    return paths[which];
}

const char *ground_pipe(const void *bytes, size_t count)
{
    int ends[2];

    DEMAND(count <= GROUND_PIPE_BYTES && pipe2(ends, O_CLOEXEC) == 0, "no pipe");
    DEMAND(write(ends[1], bytes, count) == (ssize_t)count, "the pipe is too small");
    close(ends[1]);
    pipe_fd = ends[0];
    snprintf(pipe_path, sizeof pipe_path, "/proc/self/fd/%d", pipe_fd);
    return pipe_path;
}

void ground_pipe_close(void)
{
    close(pipe_fd);
}

void ground_demand_told(enum status status, const struct error *error)
{
    if (status == STATUS_OK)
        return;
    DEMAND(error->text[0], "a failure without a message");
    for (const char *c = error->text; *c; c++)
        DEMAND(*c >= ' ' && *c <= '~', "the byte %02x in a message", (unsigned char)*c);
}
