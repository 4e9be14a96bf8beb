/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/message.h"

#include "src/app/cli/ui/progress.h"
#include "src/lib/base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS 80       /* of a terminal that does not tell its width */
#define INDENTATION "  " /* of the second line and the following */
#define INDENT ((int)sizeof INDENTATION - 1)

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

/* Adds what fits before the newline at the end. */
static void add(char wrapped[MESSAGE_BYTES], size_t *used, const char *bytes, size_t count)
{
    const size_t room = MESSAGE_BYTES - 1 - *used;
    const size_t fits = count < room ? count : room;

    memcpy(wrapped + *used, bytes, fits);
    *used += fits;
}

size_t message_wrap(const char *text, int columns, char wrapped[MESSAGE_BYTES])
{
    size_t used = 0;
    int at = 0;

    while (*text) {
        const size_t blanks = strspn(text, " "), word = strcspn(text + blanks, " ");
        const int width = width_of(text, blanks + word);
        const bool wraps = columns > 0 && at > INDENT && at + width > columns;
        const char *from = wraps ? text + blanks : text;

        at = wraps ? INDENT + width - (int)blanks : at + width;
        text += blanks + word;
        add(wrapped, &used, "\n" INDENTATION, wraps ? INDENT + 1 : 0);
        add(wrapped, &used, from, (size_t)(text - from));
    }
    wrapped[used++] = '\n';
    return used;
}

void message_print(const char *format, ...)
{
    struct error message; /* for its escaping */
    char text[sizeof message.text], wrapped[MESSAGE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail(&message, STATUS_OK, "smoothimg: %s", text);
    progress_clear();
    fwrite(wrapped, 1, message_wrap(message.text, message_columns(stderr), wrapped), stderr);
    progress_redraw();
}
