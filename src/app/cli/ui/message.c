/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/message.h"

#include "src/app/cli/ui/progress.h"
#include "src/lib/base/error.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS 80 /* of a terminal that does not tell its width */
#define INDENT 2   /* of the second line and the following */

int message_columns(FILE *stream)
{
    struct winsize size;

    if (!isatty(fileno(stream)))
        return 0;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS;
}

/* Columns that the first `bytes` of text take: each byte that does not continue a UTF-8 character
 * counts. */
static int width_of(const char *text, size_t bytes)
{
    int width = 0;

    for (size_t i = 0; i < bytes; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

void message_wrap(FILE *stream, int columns, const char *text)
{
    int at = 0;

    while (*text) {
        const size_t blanks = strspn(text, " "), bytes = strcspn(text + blanks, " ");
        const int width = width_of(text, blanks + bytes);

        if (columns > 0 && at > INDENT && at + width > columns) {
            at = INDENT + width - (int)blanks;
            fprintf(stream, "\n%*s%.*s", INDENT, "", (int)bytes, text + blanks);
        } else {
            at += width;
            fprintf(stream, "%.*s", (int)(blanks + bytes), text);
        }
        text += blanks + bytes;
    }
    fputc('\n', stream);
}

void message_print(const char *format, ...)
{
    struct error message; /* for its escaping */
    char text[sizeof message.text];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail(&message, STATUS_OK, "smoothimg: %s", text);
    progress_clear();
    message_wrap(stderr, message_columns(stderr), message.text);
    progress_redraw();
}
