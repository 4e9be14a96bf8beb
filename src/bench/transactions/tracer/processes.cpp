// SPDX-License-Identifier: MIT
// Rows side by side. The emulated device works for one thread at a time, so each row has a process
// of its own; and one that dies takes no other with it.
#include "src/bench/transactions/tracer/tracer.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "kernels/common/parallel.h"
#include "src/text/exit_status.h"
}

namespace tracer
{

// Each may need a gigabyte, for strides and large sizes.
static constexpr int MOST_WORKERS = 16;
static constexpr int ROW_FAILED = 7; // exit status of a process that has printed so

struct worker {
    pid_t process;
    int output; // a file in memory, with what it printed
    row about;
};

static std::deque<worker> workers; // the oldest first: its row is to be printed first
static row last;                   // whose row was printed
static bool any, failed;           // has a row been printed, and has one failed?

static void flush()
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return;
    fprintf(stderr, "smoothimg-bench: standard output: cannot be written: %s\n", strerror(errno));
    exit(exit_status(STATUS_OUTPUT));
}

static void copy_output(int file)
{
    char bytes[4096];
    ssize_t count;

    lseek(file, 0, SEEK_SET);
    while ((count = read(file, bytes, sizeof bytes)) > 0)
        fwrite(bytes, 1, (size_t)count, stdout);
    close(file);
    flush();
}

static void finish_oldest(const request &request)
{
    const worker worker = workers.front();
    int ending = 0;

    workers.pop_front();
    while (waitpid(worker.process, &ending, 0) < 0 && errno == EINTR)
        continue;
    print_before(request, any ? &last : nullptr, worker.about);
    copy_output(worker.output);
    if (WIFSIGNALED(ending))
        print_row(request, worker.about, {}, "failed", strsignal(WTERMSIG(ending)));
    else if (WEXITSTATUS(ending) != 0 && WEXITSTATUS(ending) != ROW_FAILED)
        print_row(request, worker.about, {}, "failed", "the emulated device gave up");
    failed |= ending != 0;
    last = worker.about;
    any = true;
}

void start(const request &request, const row &row, const std::function<bool()> &work)
{
    static const auto most = (size_t)std::min(parallel_processors(), MOST_WORKERS);

    if (workers.size() == most)
        finish_oldest(request);
    const int output = memfd_create("counts", MFD_CLOEXEC);
    const pid_t process = output < 0 ? -1 : fork();

    if (process < 0)
        give_up("no process can be started");
    if (process == 0) {
        dup2(output, STDOUT_FILENO);
        _exit(work() ? 0 : ROW_FAILED);
    }
    workers.push_back({process, output, row});
}

bool finish_all(const request &request)
{
    while (!workers.empty())
        finish_oldest(request);
    if (any)
        print_after(request);
    flush();
    return !failed;
}

} // namespace tracer
