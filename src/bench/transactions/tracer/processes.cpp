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
}

namespace tracer
{

// Each may need a gigabyte, for strides and large sizes.
static constexpr int MOST_WORKERS = 16;

struct worker {
    pid_t process;
    int output; // a file in memory, with what it printed
    row about;
};

static std::deque<worker> workers; // the oldest first: its row is to be printed first

static void copy_output(int file)
{
    char bytes[4096];
    ssize_t count;

    lseek(file, 0, SEEK_SET);
    while ((count = read(file, bytes, sizeof bytes)) > 0)
        fwrite(bytes, 1, (size_t)count, stdout);
    close(file);
    if (fflush(stdout) != 0)
        exit(1); // the reader is gone
}

static void finish_oldest()
{
    const worker worker = workers.front();
    int ending = 0;

    workers.pop_front();
    while (waitpid(worker.process, &ending, 0) < 0 && errno == EINTR)
        continue;
    copy_output(worker.output);
    if (WIFSIGNALED(ending))
        print_row(worker.about, {}, strsignal(WTERMSIG(ending)));
    else if (WEXITSTATUS(ending) != 0)
        print_row(worker.about, {}, "the emulated device gave up");
}

void start(const row &row, const std::function<void()> &work)
{
    static const auto most = (size_t)std::min(parallel_processors(), MOST_WORKERS);

    if (workers.size() == most)
        finish_oldest();
    const int output = memfd_create("counts", MFD_CLOEXEC);
    const pid_t process = output < 0 ? -1 : fork();

    if (process < 0)
        give_up("no process can be started");
    if (process == 0) {
        dup2(output, STDOUT_FILENO);
        work();
        fflush(stdout);
        _exit(0);
    }
    workers.push_back({process, output, row});
}

void finish_all()
{
    while (!workers.empty())
        finish_oldest();
}

} // namespace tracer
