/* SPDX-License-Identifier: MIT */
/* Errors: a status for the program, and one sentence for the user. A function that can fail returns
 * the status, and on failure fills *error; only the programs print the sentence. */
#ifndef SMOOTHIMG_ERROR_H
#define SMOOTHIMG_ERROR_H

/* The kinds of failures. src/text/exit_status.h maps them to a program's exit status. */
enum status {
    STATUS_OK,
    /* From the library, src/lib: */
    STATUS_INVALID,     /* an argument is out of range */
    STATUS_NO_MEMORY,   /* memory of the host or of a GPU has run out */
    STATUS_UNSUPPORTED, /* valid, but not supported */
    STATUS_DEVICE,      /* no usable GPU, or a variant failed to run */
    /* From the programs: */
    STATUS_USAGE,    /* wrong command line */
    STATUS_INPUT,    /* input unreadable, corrupt or over a limit */
    STATUS_OUTPUT,   /* output cannot be written */
    STATUS_PARTIAL,  /* a batch went on after a file failed */
    STATUS_DIFFERENT /* a result is not the reference's */
};

struct error {
    enum status status;
    char text[1024]; /* names the file, what is wrong, the supported values, the remedy */
};

/* Fills *error and returns `status`, which is not STATUS_OK: callers write `return fail(...)`.
 * Escapes control characters, which file names may contain (escape.h). Truncates a long text. */
enum status fail(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends `remedy`, which says what the user can do, to error->text, and truncates the text to fit.
 * Returns error->status. */
enum status fail_with_remedy(struct error *error, const char *remedy);

/* Returns strerror() of an errno. For EBADF, the error of a closed standard stream, returns "it is
 * closed". */
const char *error_reason(int reason);

#endif
