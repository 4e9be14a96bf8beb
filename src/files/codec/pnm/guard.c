/* SPDX-License-Identifier: MIT */
#include "src/files/codec/pnm/guard.h"

#include <netpbm/pm.h>

#include <ctype.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/* libnetpbm keeps its jump buffer and message functions in global variables. */
static pthread_mutex_t guard_mutex = PTHREAD_MUTEX_INITIALIZER;
static char guard_text[512]; /* libnetpbm's last error */

/* Keeps the first sentence of libnetpbm's message, in lower case and without its full stop.
 * Replaces unprintable bytes: the message quotes the file, which may contain control sequences. */
static void keep_text(const char *text)
{
    const char *stop = strstr(text, ".  ");
    size_t length = stop ? (size_t)(stop - text) : strlen(text);

    while (length > 0 && (isspace((unsigned char)text[length - 1]) || text[length - 1] == '.'))
        length--;
    snprintf(guard_text, sizeof guard_text, "%.*s", (int)length, text);
    if (islower((unsigned char)guard_text[1]))
        guard_text[0] = (char)tolower((unsigned char)guard_text[0]);
    for (char *c = guard_text; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

/* For libnetpbm's warnings. */
static void drop_text(const char *text)
{
    (void)text;
}

enum status pnm_guarded(const struct image_reader *reader, void (*body)(void *), void *context,
                        struct error *error)
{
    static bool initialised;
    jmp_buf escape;
    jmp_buf *outer;
    volatile enum status status = STATUS_OK; /* volatile: set after setjmp */

    pthread_mutex_lock(&guard_mutex);
    if (!initialised)
        pm_init("smoothimg", 0);
    initialised = true;
    pm_setusererrormsgfn(keep_text);
    pm_setusermessagefn(drop_text);
    pm_setjmpbufsave(&escape, &outer);
    if (setjmp(escape) == 0)
        body(context);
    else
        status = fail(error, STATUS_INPUT,
                      "%s: bad header: %s; supported: sides from 1, fewer than 2^28 samples in a "
                      "row, maxval 1 to 65535",
                      reader->name, guard_text);
    pm_setjmpbuf(outer);
    pm_setusermessagefn(NULL);
    pm_setusererrormsgfn(NULL);
    pthread_mutex_unlock(&guard_mutex);
    return status;
}
