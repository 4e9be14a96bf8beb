/* SPDX-License-Identifier: MIT */
/* What is known, when a signal ends the program, of the outputs that have their names. */
#include "src/files/output/output.h"
#include "tests/unit/child.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In place of the system's, which takes most of the time. */
int fsync(int fd)
{
    (void)fd;
    return 0;
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

/* Before the death: which file is in work, and does it have its name? */
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
    signals_catch(tell);
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

/* A child that is ended while it writes: what it says is so. */
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
        CHECK(said.named == is_new(i, said.number), "%d us: file %d: the child says %d",
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
    NEED(chdir(scratch_path("")) == 0);
    for (int i = 0; i < 300; i++)
        test_named(13 * i);
    CHECK(scratch_entries() == 0, "%d entries", scratch_entries());
    return unit_result();
}
