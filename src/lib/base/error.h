/* SPDX-License-Identifier: MIT */
/* Errors: a status, and one sentence for people. A function that can fail returns the status and
 * fills the struct; only the programs print it. */
#ifndef SMOOTHIMG_ERROR_H
#define SMOOTHIMG_ERROR_H

/* What failed. Programs have exit statuses of their own: src/text/exit_status.h. */
enum status {
    STATUS_OK,
    /* Of the library. */
    STATUS_INVALID,     /* an argument is out of range */
    STATUS_NO_MEMORY,   /* of the host */
    STATUS_UNSUPPORTED, /* valid, but not supported */
    STATUS_DEVICE,      /* no usable device, or it failed */
    /* Of what is built on it. */
    STATUS_USAGE,    /* wrong command line */
    STATUS_INPUT,    /* input unreadable, corrupt or over a limit */
    STATUS_OUTPUT,   /* output cannot be written */
    STATUS_PARTIAL,  /* a batch went on after a file failed */
    STATUS_DIFFERENT /* a result is not the reference's */
};

struct error {
    enum status status;
    char text[1024]; /* names the file, what was found, what is supported, what to do */
};

/* Fills *error and returns the status, so that a caller can write `return fail(...)`. Control
 * characters of file names are escaped, see escape.h; a text too long is cut. status is not
 * STATUS_OK. */
enum status fail(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends what to do about it to the sentence of *error, as far as that has room, and returns its
 * status. */
enum status fail_with_remedy(struct error *error, const char *remedy);

#endif
