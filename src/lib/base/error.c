/* SPDX-License-Identifier: MIT */
#include "src/lib/base/error.h"

#include "src/lib/base/escape.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status fail(struct error *error, enum status status, const char *format, ...)
{
    char text[sizeof error->text];
    va_list arguments;

    error->status = status;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    escape_copy(error->text, sizeof error->text, text);
    return status;
}

enum status fail_with_remedy(struct error *error, const char *remedy)
{
    const size_t length = strlen(error->text);

    snprintf(error->text + length, sizeof error->text - length, "%s", remedy);
    return error->status;
}

const char *error_reason(int reason)
{
    return reason == EBADF ? "it is closed" : strerror(reason);
}
