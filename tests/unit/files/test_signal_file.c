/* SPDX-License-Identifier: MIT */
/* Files that a signal handler writes, and what it knows of the outputs that have their names. */
#include "src/files/output/signal_file.h"
#include "tests/unit/child.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* In place of the system's, which takes most of the time. */
int fsync(int fd)
{
    (void)fd;
    return 0;
}

static mode_t mode_of(const char *path)
{
    struct stat info;

    NEED(stat(path, &info) == 0);
    return info.st_mode & 07777;
}

static void prepare(struct signal_file *file, const char *path)
{
    struct output output;
    struct error error;

    memset(file, 0, sizeof *file);
    NEED(output_open(&output, path, false, &error) == STATUS_OK);
    CHECK(signal_file_prepare(file, &output, &error) == STATUS_OK, "%s", error.text);
    output_abandon(&output);
}

static bool put(struct signal_file *file, const char *text)
{
    if (!signal_file_open(file))
        return false;
    signal_file_put(file, text, strlen(text));
    return signal_file_commit(file);
}

/* New and over an old one, through a link; over what a killed handler has left. */
static void test_files(void)
{
    const char *path = scratch_path("list"), *link_path = scratch_path("link");
    const char *left = scratch_path(".list.0.smoothimg");
    const int entries = scratch_entries();
    struct signal_file file = {0};

    CHECK(!put(&file, "nothing is prepared"), "it is written");
    umask(027);
    prepare(&file, path);
    CHECK(access(path, F_OK) != 0 && scratch_entries() == entries, "preparing has made a file");
    CHECK(put(&file, "one"), "%s", strerror(errno));
    scratch_check(path, "one");
    CHECK(mode_of(path) == 0640, "mode %o", mode_of(path));
    CHECK(put(&file, "again"), "%s", strerror(errno));
    scratch_check(path, "again");
    signal_file_free(&file);
    NEED(chmod(path, 0604) == 0 && symlink("list", link_path) == 0);
    scratch_write(left, "left", 4);
    prepare(&file, link_path);
    NEED(signal_file_open(&file));
    signal_file_put(&file, "two", 3);
    scratch_check(path, "again");
    CHECK(signal_file_commit(&file), "%s", strerror(errno));
    scratch_check(path, "two");
    CHECK(mode_of(path) == 0604 && access(link_path, F_OK) == 0, "mode %o", mode_of(path));
    signal_file_free(&file);
    unlink(link_path);
    unlink(path);
    CHECK(scratch_entries() == entries, "%d entries", scratch_entries());
}

/* More than the buffer holds; and more than the disk does: then the old file stays. */
static void test_large(void)
{
    static char text[3 * SIGNAL_FILE_BYTES + 100];
    const char *path = scratch_path("large");
    struct rlimit before, limit;
    struct signal_file file;
    int entries;

    memset(text, 'x', sizeof text - 1);
    prepare(&file, path);
    CHECK(put(&file, text), "%s", strerror(errno));
    scratch_check(path, text);
    entries = scratch_entries();
    NEED(getrlimit(RLIMIT_FSIZE, &before) == 0);
    limit = before;
    limit.rlim_cur = SIGNAL_FILE_BYTES + 10;
    NEED(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    text[0] = 'y';
    CHECK(!put(&file, text), "a part counts as the whole");
    NEED(setrlimit(RLIMIT_FSIZE, &before) == 0);
    text[0] = 'x';
    scratch_check(path, text);
    CHECK(scratch_entries() == entries, "%d entries", scratch_entries());
    unlink(path);
    signal_file_free(&file);
}

/* What was written may fail when it is closed. The buffer is empty by then. */
static void test_closing_fails(void)
{
    static char text[SIGNAL_FILE_BYTES];
    const char *path = scratch_path("closed");
    const int entries = scratch_entries();
    struct signal_file file;

    prepare(&file, path);
    NEED(signal_file_open(&file));
    signal_file_put(&file, text, sizeof text);
    NEED(close(file.fd) == 0);
    CHECK(!signal_file_commit(&file), "it counts as written");
    CHECK(access(path, F_OK) != 0 && scratch_entries() == entries, "a file is left");
    signal_file_free(&file);
}

/* Pipes and devices are written directly. */
static void test_direct(void)
{
    char path[64], text[8] = "";
    struct signal_file file;
    int ends[2];

    NEED(pipe(ends) == 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    prepare(&file, path);
    CHECK(put(&file, "through"), "%s", strerror(errno));
    CHECK(read(ends[0], text, sizeof text) == 7 && memcmp(text, "through", 7) == 0, "%s", text);
    signal_file_free(&file);
    close(ends[0]);
    close(ends[1]);
    prepare(&file, "/dev/full");
    CHECK(!put(&file, "x"), "/dev/full is not full");
    signal_file_free(&file);
}

#define WRITERS 3
#define MOST 20000 /* files that one of them can write */

static atomic_bool named[WRITERS][MOST];
static atomic_int current[WRITERS];
static int report; /* a pipe */

struct said {
    int number;
    bool named;
};

/* In a signal handler: which file is in work, and does it have its name? */
static void tell(void)
{
    for (int i = 0; i < WRITERS; i++) {
        struct said said = {.number = current[i]};

        said.named = named[i][said.number];
        if (write(report, &said, sizeof said) != (ssize_t)sizeof said)
            _exit(99);
    }
}

static void path_of(int writer, int number, bool old, char path[64])
{
    snprintf(path, 64, "%d.%d%s", writer, number, old ? ".old" : "");
}

/* With its backup. */
static void remove_file(int writer, int number)
{
    char path[64];

    for (int old = 0; old < 2; old++) {
        path_of(writer, number, old, path);
        unlink(path);
    }
}

/* In a child. Each second file replaces another, which has a name of its own then. */
static void *write_files(void *context)
{
    const int writer = *(int *)context;

    for (int i = 0; i < MOST; i++) {
        struct output output;
        struct error error;
        char path[64];

        path_of(writer, i, false, path);
        current[writer] = i;
        if (i % 2)
            scratch_write(path, "old", 3);
        if (output_open(&output, path, false, &error) != STATUS_OK)
            break;
        output.backup = ".old";
        output.named = &named[writer][i];
        fputs("new", output.file);
        if (output_commit(&output, &error) != STATUS_OK)
            break;
        remove_file(writer, i - 1);
    }
    return NULL;
}

static void run_child(int end)
{
    static int numbers[WRITERS] = {0, 1, 2};
    pthread_t threads[WRITERS];

    report = end;
    output_guard_signals(tell);
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&threads[i], NULL, write_files, &numbers[i]);
    NEED(write(end, "!", 1) == 1); /* it has begun */
    for (;;)
        pause();
}

/* Has the file its new content? */
static bool is_new(int writer, int number)
{
    char path[64], text[4] = "";
    FILE *file;

    path_of(writer, number, false, path);
    file = fopen(path, "rb");
    if (file && fread(text, 1, 3, file) != 3)
        *text = '\0';
    if (file)
        fclose(file);
    return strcmp(text, "new") == 0;
}

/* The handler of a child that is ended while it writes: what it says is so. */
static void test_named(int microseconds)
{
    int ends[2], status;
    char begun;
    pid_t child;

    NEED(pipe(ends) == 0);
    child = child_fork(SIGTERM);
    NEED(child >= 0);
    if (child == 0)
        run_child(ends[1]);
    close(ends[1]);
    NEED(read(ends[0], &begun, 1) == 1);
    usleep((useconds_t)microseconds);
    kill(child, SIGTERM);
    NEED(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "status %x", (unsigned)status);
    for (int i = 0; i < WRITERS; i++) {
        struct said said;

        NEED(read(ends[0], &said, sizeof said) == (ssize_t)sizeof said);
        CHECK(said.named == is_new(i, said.number), "%d us: file %d: the handler says %d",
              microseconds, said.number, said.named);
        for (int number = said.number - 1; number <= said.number + 1; number++)
            remove_file(i, number);
    }
    close(ends[0]);
}

int main(void)
{
    scratch_make();
    child_ignore_signals();
    signal(SIGXFSZ, SIG_IGN);
    test_files();
    test_large();
    test_closing_fails();
    test_direct();
    NEED(chdir(scratch_path("")) == 0);
    for (int i = 0; i < 300; i++)
        test_named(13 * i);
    CHECK(scratch_entries() == 0, "%d entries", scratch_entries());
    return unit_result();
}
