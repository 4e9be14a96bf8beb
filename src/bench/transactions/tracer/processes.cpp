// SPDX-License-Identifier: MIT
// Counts the accesses of each kernel in a process of its own. If a kernel makes its process die,
// the other kernels are still counted.
#include "src/bench/transactions/tracer/tracer.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "src/text/exit_status.h"
}

namespace tracer
{

// The exit status of a process that has printed the failure of its kernel.
static constexpr int ROW_FAILED = 7;

static row last;         // the row that was printed last
static bool any, failed; // whether a row has been printed, and whether a row has failed

static void flush()
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return;
    fprintf(stderr, "smoothimg-bench: standard output: cannot be written: %s\n", strerror(errno));
    exit(exit_statuses[STATUS_OUTPUT]);
}

void run_apart(const request &request, const row &row, const std::function<bool()> &work)
{
    int ending = 0;

    print_before(request, any ? &last : nullptr, row);
    flush();
    const pid_t process = fork();

    if (process < 0)
        give_up("no process can be started");
    if (process == 0) {
        const bool good = work();

        flush();
        _exit(good ? 0 : ROW_FAILED);
    }
    while (waitpid(process, &ending, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(ending))
        print_row(request, row, {}, "failed", strsignal(WTERMSIG(ending)));
    else if (WEXITSTATUS(ending) == exit_statuses[STATUS_OUTPUT])
        exit(exit_statuses[STATUS_OUTPUT]);
    else if (WEXITSTATUS(ending) != 0 && WEXITSTATUS(ending) != ROW_FAILED)
        print_row(request, row, {}, "failed", "the emulated device gave up");
    failed |= ending != 0;
    last = row;
    any = true;
}

bool all_good(const request &request)
{
    if (any && request.json)
        fputs("\n  ]\n}\n", stdout); // ends the document that print_before began
    flush();
    return !failed;
}

} // namespace tracer
