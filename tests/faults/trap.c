/* SPDX-License-Identifier: MIT */
/* Traps the system calls in the table trapped[] if libc makes them, also in functions such as
 * fread, fclose and fts_read. In place of each call the kernel sends SIGSYS, and the handler makes
 * the call, or lets it fail. Calls of other code are not trapped: this library, the loader, and a
 * sanitizer's runtime, which must not fail while it looks for leaks. */
#include "tests/faults/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

static const struct {
    unsigned number;
    enum kind kind;
} trapped[] = {
    {SYS_mmap, KIND_MAP},
    {SYS_mremap, KIND_MAP},
    {SYS_open, KIND_OPEN},
    {SYS_openat, KIND_OPEN},
    {SYS_read, KIND_READ},
    {SYS_pread64, KIND_READ},
    {SYS_readv, KIND_READ},
    {SYS_preadv, KIND_READ},
    {SYS_preadv2, KIND_READ},
    {SYS_write, KIND_WRITE},
    {SYS_pwrite64, KIND_WRITE},
    {SYS_writev, KIND_WRITE},
    {SYS_pwritev, KIND_WRITE},
    {SYS_pwritev2, KIND_WRITE},
    {SYS_fsync, KIND_SYNC},
    {SYS_fdatasync, KIND_SYNC},
    {SYS_sync_file_range, KIND_SYNC},
    {SYS_rename, KIND_NAME},
    {SYS_renameat, KIND_NAME},
    {SYS_renameat2, KIND_NAME},
    {SYS_link, KIND_NAME},
    {SYS_linkat, KIND_NAME},
    {SYS_unlink, KIND_UNLINK},
    {SYS_unlinkat, KIND_UNLINK},
    {SYS_rmdir, KIND_UNLINK},
    {SYS_close, KIND_CLOSE},
    {SYS_stat, KIND_STAT},
    {SYS_lstat, KIND_STAT},
    {SYS_fstat, KIND_STAT},
    {SYS_newfstatat, KIND_STAT},
    {SYS_statx, KIND_STAT},
    {SYS_statfs, KIND_STAT},
    {SYS_fstatfs, KIND_STAT},
    {SYS_access, KIND_STAT},
    {SYS_faccessat, KIND_STAT},
    {SYS_faccessat2, KIND_STAT},
    {SYS_readlink, KIND_STAT},
    {SYS_getcwd, KIND_STAT},
    {SYS_lseek, KIND_SEEK},
    {SYS_dup, KIND_COPY},
    {SYS_fcntl, KIND_COPY}, /* only its commands that copy a descriptor */
    {SYS_mkdir, KIND_FOLDER},
    {SYS_mkdirat, KIND_FOLDER},
    {SYS_getdents64, KIND_LIST},
    {SYS_chmod, KIND_MODE},
    {SYS_fchmod, KIND_MODE},
    {SYS_fchown, KIND_MODE},
    {SYS_getxattr, KIND_ATTRIBUTE},
    {SYS_listxattr, KIND_ATTRIBUTE},
    {SYS_fsetxattr, KIND_ATTRIBUTE},
    {SYS_fremovexattr, KIND_ATTRIBUTE},
    {SYS_ftruncate, KIND_SIZE},
    {SYS_fallocate, KIND_SIZE},
    {SYS_copy_file_range, KIND_SIZE},
    {SYS_sendfile, KIND_SIZE},
    {SYS_sched_getaffinity, KIND_CPUS},
};
#define TRAPPED (sizeof trapped / sizeof *trapped)

long plain_call(long number, const long arguments[6])
{
    register long fourth __asm__("r10") = arguments[3];
    register long fifth __asm__("r8") = arguments[4];
    register long sixth __asm__("r9") = arguments[5];
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]),
                       "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

static bool is_vector_call(long number)
{
    return number == SYS_readv || number == SYS_preadv || number == SYS_preadv2 ||
           number == SYS_writev || number == SYS_pwritev || number == SYS_pwritev2;
}

/* Makes a read or write of half of its bytes, rounded up. A call with several buffers transfers
 * half of the first one. */
static long shortened_call(long number, const long arguments[6])
{
    long changed[6];
    struct iovec piece;

    memcpy(changed, arguments, sizeof changed);
    if (is_vector_call(number) && arguments[2] > 0) {
        piece = *(const struct iovec *)arguments[1];
        piece.iov_len = (piece.iov_len + 1) / 2;
        changed[1] = (long)&piece;
        changed[2] = 1;
    } else if (arguments[2] > 0) {
        changed[2] = (arguments[2] + 1) / 2;
    }
    return plain_call(number, changed);
}

static bool is_let_be(long number, const long arguments[6])
{
    const bool copies = arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC;
    const bool writes = number == SYS_write || number == SYS_writev;

    return (number == SYS_fcntl && !copies) || (writes && arguments[0] == STDERR_FILENO);
}

static long answer(long number, const long arguments[6])
{
    size_t i = 0;
    int fault;

    while (trapped[i].number != (unsigned)number)
        i++;
    fault = is_let_be(number, arguments) ? 0 : inject(trapped[i].kind);
    if (fault == FAULT_SHORT)
        return shortened_call(number, arguments);
    /* A close() that fails closes the descriptor, too, so the call is made in any case. */
    if (fault == 0 || number == SYS_close) {
        const long result = plain_call(number, arguments);

        return fault == 0 ? result : -fault;
    }
    return -fault;
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const long arguments[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                               registers[REG_R10], registers[REG_R8],  registers[REG_R9]};

    (void)signal_number;
    registers[REG_RAX] = answer(info->si_syscall, arguments);
}

/* Addresses of the code of libc: from <= address < to. */
struct range {
    uintptr_t from, to;
};

static int find_libc(struct dl_phdr_info *info, size_t bytes, void *context)
{
    struct range *range = context;
    const char *slash = strrchr(info->dlpi_name, '/');

    (void)bytes;
    if (!slash || strncmp(slash, "/libc.so", 8) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            range->from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            range->to = range->from + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

#define LOAD(field) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(field))
#define ANSWER(what) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (what))
#define IF(test, value, skipped, otherwise_skipped)                                                \
    (struct sock_filter)                                                                           \
        BPF_JUMP(BPF_JMP | (test) | BPF_K, (unsigned)(value), (skipped), (otherwise_skipped))

/* A program in BPF, by which the kernel decides which system calls it traps. BPF compares 32 bits
 * at a time, and jumps only forward. */
struct filter {
    struct sock_filter lines[8 * TRAPPED];
    unsigned short count;
};

static void add(struct filter *filter, struct sock_filter line)
{
    filter->lines[filter->count++] = line;
}

/* Adds lines that trap a system call if its number is in the table trapped[] and its instruction is
 * in the range. All addresses of the range must have the same upper 32 bits. */
static void add_range(struct filter *filter, const struct range *range)
{
    const size_t address = offsetof(struct seccomp_data, instruction_pointer);
    /* number of lines that load and compare the call's number */
    const unsigned char table = 2 * TRAPPED + 1;

    add(filter, LOAD(address + 4));
    add(filter, IF(BPF_JEQ, range->from >> 32, 0, table + 3));
    add(filter, LOAD(address));
    add(filter, IF(BPF_JGE, range->from & UINT32_MAX, 0, table + 1));
    add(filter, IF(BPF_JGT, (range->to - 1) & UINT32_MAX, table, 0));
    add(filter, LOAD(offsetof(struct seccomp_data, nr)));
    for (size_t i = 0; i < TRAPPED; i++) {
        add(filter, IF(BPF_JEQ, trapped[i].number, 0, 1));
        add(filter, ANSWER(SECCOMP_RET_TRAP));
    }
}

static bool trap_calls(const struct range *range)
{
    /* the only multiple of 2^32 that can lie in libc's code: the upper 32 bits change there */
    const uintptr_t middle = (range->to - 1) >> 32 << 32;
    struct filter filter = {.count = 0};
    struct sock_fprog program = {.filter = filter.lines};

    add(&filter, LOAD(offsetof(struct seccomp_data, arch)));
    add(&filter, IF(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0));
    add(&filter, ANSWER(SECCOMP_RET_ALLOW));
    if (range->from < middle) {
        add_range(&filter, &(struct range){range->from, middle});
        add_range(&filter, &(struct range){middle, range->to});
    } else {
        add_range(&filter, range);
    }
    add(&filter, ANSWER(SECCOMP_RET_ALLOW));
    program.len = filter.count;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool trap_open(void)
{
    struct sigaction action;
    struct range range = {0};

    dl_iterate_phdr(find_libc, &range);
    if (range.to == 0)
        return false;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | (int)SA_NODEFER | SA_RESTART;
    return sigaction(SIGSYS, &action, NULL) == 0 && trap_calls(&range);
}
