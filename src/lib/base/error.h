/* SPDX-License-Identifier: MIT */
/* How a failure travels: a status that is the program's exit status, and one sentence for the
 * person. A function that can fail returns the status and fills the struct; main alone prints it.
 */
#ifndef SMOOTHIMG_ERROR_H
#define SMOOTHIMG_ERROR_H

/* The exit statuses that the man page promises. */
enum status {
    STATUS_OK = 0,
    STATUS_PARTIAL = 1,     /* a batch went on, and some file failed */
    STATUS_USAGE = 2,       /* wrong command line */
    STATUS_INPUT = 3,       /* input unreadable, corrupt or over a limit */
    STATUS_UNSUPPORTED = 4, /* valid input of a kind that is not supported */
    STATUS_OUTPUT = 5,      /* output cannot be written */
    STATUS_DEVICE = 6,      /* no usable device, or it failed */
    STATUS_DIFFERENT = 7    /* --verify found a difference */
};

struct error {
    enum status status;
    char text[1024]; /* names the file, what was found, what is supported, what to do */
};

/* Fills *error with the status and the formatted sentence (cut at the end of text, never past it;
 * as visible_copy shows it, for it may name files) and returns the status, so that a caller can
 * write `return fail(...)`. status is not STATUS_OK. */
enum status fail(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
