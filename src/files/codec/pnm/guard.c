/* SPDX-License-Identifier: MIT */
#include "codec_pnm_fence.h"

#include <netpbm/pm.h>

#include <ctype.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/* libnetpbm keeps its error jump and its message functions in process-wide variables: whoever calls
 * it holds this. */
static pthread_mutex_t fence_mutex = PTHREAD_MUTEX_INITIALIZER;
static char fence_text[512]; /* libnetpbm's last error */

/* libnetpbm quotes the file, whose bytes may be anything, and a terminal would obey some. */
static void keep_text(const char *text)
{
    size_t length;

    snprintf(fence_text, sizeof fence_text, "%s", text);
    for (length = strlen(fence_text); length > 0; length--)
        if (!isspace((unsigned char)fence_text[length - 1]))
            break;
    fence_text[length] = '\0';
    for (char *c = fence_text; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

static void drop_text(const char *text)
{
    (void)text;
}

enum status pnm_fenced(const struct source *source, void (*body)(void *), void *context,
                       struct error *error)
{
    static bool initialised;
    jmp_buf escape;
    jmp_buf *outer;
    volatile enum status status = STATUS_OK;

    pthread_mutex_lock(&fence_mutex);
    if (!initialised)
        pm_init("smoothimg", 0);
    initialised = true;
    pm_setusererrormsgfn(keep_text);
    pm_setusermessagefn(drop_text);
    pm_setjmpbufsave(&escape, &outer);
    if (setjmp(escape) == 0)
        body(context);
    else
        status =
            fail(error, STATUS_INPUT,
                 "%s: the header is wrong: %s; PBM, PGM, PPM and PAM are supported, with sides "
                 "from 1, fewer than 2^28 samples in a row and a maxval of 1 to 65535",
                 source->name, fence_text);
    pm_setjmpbuf(outer);
    pm_setusermessagefn(NULL);
    pm_setusererrormsgfn(NULL);
    pthread_mutex_unlock(&fence_mutex);
    return status;
}
