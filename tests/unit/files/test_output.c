/* SPDX-License-Identifier: MIT */
/* Tests that an output appears whole or not at all, and leaves no temporary file. Built twice: with
 * unnamed temporary files (O_TMPFILE) and, with -DNAMED, without. */
#include "src/files/output/output.h"
#include "src/files/output/temporary.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifdef NAMED
enum { NAMED_FILES = 1 };
#else
enum { NAMED_FILES = 0 };
#endif

/* Replaces the system's fsync, and counts the calls. (tests/faults makes calls fail.) */
static atomic_int fsyncs;

int fsync(int fd)
{
    (void)fd;
    fsyncs++;
    return 0;
}

/* Replaces the system's fchmod: saves the permissions and the size of the ACL (-1: none) that the
 * file has before the call. Fails if `refuses` is set. */
static mode_t first_mode;
static ssize_t first_acl;
static bool refuses;

#define ACL "system.posix_acl_access"

int fchmod(int fd, mode_t mode)
{
    struct stat info;

    NEED(fstat(fd, &info) == 0);
    first_mode = info.st_mode & 07777;
    first_acl = fgetxattr(fd, ACL, NULL, 0);
    if (refuses) {
        errno = EPERM;
        return -1;
    }
    return (int)syscall(SYS_fchmod, fd, mode);
}

static enum status put(const char *path, const char *text, bool no_clobber, struct error *error)
{
    struct output output;
    enum status status = output_open(&output, path, no_clobber, error);

    if (status != STATUS_OK)
        return status;
    fputs(text, output.file);
    return output_commit(&output, error);
}

static mode_t mode_of(const char *path)
{
    struct stat info;

    NEED(stat(path, &info) == 0);
    return info.st_mode & 07777;
}

static void test_new_and_old(const char *path)
{
    struct output output;
    struct error error;

    umask(027);
    CHECK(put(path, "one", false, &error) == STATUS_OK, "%s", error.text);
    CHECK(scratch_holds(path, "one"), "other bytes");
    CHECK(mode_of(path) == 0640, "mode %o", mode_of(path));
    NEED(chmod(path, 04604) == 0);
    NEED(output_open(&output, path, false, &error) == STATUS_OK);
    fputs("half", output.file);
    CHECK(scratch_entries() == 1 + NAMED_FILES, "%d entries", scratch_entries());
    fflush(output.file);
    CHECK(scratch_holds(path, "one"), "other bytes");
    output_abandon(&output);
    CHECK(scratch_holds(path, "one"), "other bytes");
    CHECK(put(path, "two", false, &error) == STATUS_OK, "%s", error.text);
    output_abandon(&output);
    CHECK(scratch_holds(path, "two"), "other bytes");
    CHECK(mode_of(path) == 04604, "mode %o", mode_of(path));
    CHECK(first_mode == 0600, "%o: a stranger may open it", first_mode);
    CHECK(put(path, "three", true, &error) == STATUS_OUTPUT && strstr(error.text, "no-clobber"),
          "%s", error.text);
    CHECK(scratch_holds(path, "two"), "other bytes");
}

/* The ACL must be set before the permission bits. If the bits were set first, the file's group
 * would have, for a moment, the rights that the ACL's mask allows to a named user. */
static void test_acl_before_bits(const char *path)
{
    static const struct entry {
        uint16_t tag, rights;
        uint32_t id;
    } entries[] = {{1, 6, -1U}, {2, 6, 1}, {4, 0, -1U}, {16, 6, -1U}, {32, 0, -1U}};
    unsigned char acl[4 + sizeof entries] = {2}; /* version 2, on a little-endian machine */
    struct error error;

    memcpy(acl + 4, entries, sizeof entries);
    CHECK(put(path, "one", false, &error) == STATUS_OK, "%s", error.text);
    if (setxattr(path, ACL, acl, sizeof acl, 0) == 0) {
        CHECK(put(path, "two", false, &error) == STATUS_OK, "%s", error.text);
        CHECK(first_acl == (ssize_t)sizeof acl && mode_of(path) == 0660,
              "%zd bytes of an ACL before the bits, which become %o", first_acl, mode_of(path));
    }
}

/* A file is not replaced by one that cannot get its permissions, unless that one has them. */
static void test_refused_bits(const char *path)
{
    struct error error = {STATUS_OK, ""};

    CHECK(put(path, "one", false, &error) == STATUS_OK, "%s", error.text);
    refuses = true;
    NEED(chmod(path, 0644) == 0);
    CHECK(put(path, "two", false, &error) == STATUS_OUTPUT && strstr(error.text, "permissions"),
          "%s", error.text);
    CHECK(scratch_holds(path, "one") && mode_of(path) == 0644, "mode %o", mode_of(path));
    NEED(chmod(path, 0600) == 0);
    CHECK(put(path, "two", false, &error) == STATUS_OK, "%s", error.text);
    CHECK(scratch_holds(path, "two") && mode_of(path) == 0600, "mode %o", mode_of(path));
    refuses = false;
}

/* An output is flushed to the disk only if it replaces a file. */
static void test_durable(const char *path)
{
    struct error error;

    fsyncs = 0;
    CHECK(put(path, "one", false, &error) == STATUS_OK && fsyncs == 0, "%d: a new name", fsyncs);
    CHECK(put(path, "two", false, &error) == STATUS_OK && fsyncs == 1, "%d: an old one", fsyncs);
}

static void test_no_clobber_race(const char *path)
{
    struct output output;
    struct error error;

    NEED(output_open(&output, path, true, &error) == STATUS_OK);
    fputs("late", output.file);
    scratch_write(path, "early", 5);
    CHECK(output_commit(&output, &error) == STATUS_OUTPUT, "a file came in the meantime");
    CHECK(strstr(error.text, path) && strstr(error.text, "exists"), "%s", error.text);
    CHECK(scratch_holds(path, "early"), "other bytes");
    unlink(path);
    CHECK(put(path, "new", true, &error) == STATUS_OK, "%s", error.text);
    CHECK(scratch_holds(path, "new"), "other bytes");
}

static void test_names(void)
{
    const char *const temporary[] = {".a.1.smoothimg", "/x/.a.pgm.0123456789abcdef.smoothimg",
                                     "./..7.0.smoothimg"};
    const char *const others[] = {"",
                                  ".smoothimg",
                                  "a.1.smoothimg",
                                  ".a.1",
                                  "a.smoothimg",
                                  ".a.1.smoothimg/b",
                                  ".a.1.smoothimg ",
                                  "/1.smoothimg"};

    for (size_t i = 0; i < sizeof temporary / sizeof *temporary; i++)
        CHECK(temporary_is_name(temporary[i]), "%s", temporary[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!temporary_is_name(others[i]), "%s", others[i]);
}

/* Several outputs have the same target at the same time. The output that is committed last
 * stays. */
static void test_same_target(const char *path)
{
    struct output outputs[5];
    struct error error;

    for (int i = 0; i < 5; i++) {
        NEED(output_open(&outputs[i], path, false, &error) == STATUS_OK);
        fprintf(outputs[i].file, "%d", i);
    }
    for (int i = 4; i >= 0; i--)
        CHECK(output_commit(&outputs[i], &error) == STATUS_OK, "%s", error.text);
    CHECK(scratch_holds(path, "0"), "other bytes");
}

/* A process without standard input gets 0 as the descriptor of the output. */
static void test_closed_input(const char *path)
{
    struct error error = {STATUS_OK, ""};

    NEED(close(STDIN_FILENO) == 0);
    CHECK(put(path, "whole", false, &error) == STATUS_OK, "%s", error.text);
    CHECK(scratch_holds(path, "whole"), "other bytes");
}

int main(void)
{
    static void (*const tests[])(const char *path) = {
        test_new_and_old,     test_acl_before_bits, test_refused_bits, test_durable,
        test_no_clobber_race, test_same_target,     test_closed_input};

    scratch_make();
    signals_catch(NULL);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        const char *path = scratch_path("out");

        tests[i](path);
        unlink(path);
        CHECK(scratch_entries() == 0, "%d entries after test %zu", scratch_entries(), i);
    }
    test_names();
    return unit_result();
}
