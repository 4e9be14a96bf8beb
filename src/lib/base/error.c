/* SPDX-License-Identifier: MIT */
#include "error.h"

#include "visible.h"

#include <stdarg.h>
#include <stdio.h>

enum status fail(struct error *error, enum status status, const char *format, ...)
{
    char text[sizeof error->text];
    va_list arguments;

    error->status = status;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    visible_copy(error->text, sizeof error->text, text);
    return status;
}
