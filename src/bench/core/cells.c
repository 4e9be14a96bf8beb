/* SPDX-License-Identifier: MIT */
#include "src/bench/core/cells.h"

#include <math.h>
#include <string.h>

#define WIDTH 80
#define NOTE_COLUMN 4 /* column where continued lines begin */

void print_wrapped(FILE *stream, const char *text, int at)
{
    while (*text) {
        const int length = (int)strcspn(text, " ");

        if (at + 1 + length > WIDTH && at > NOTE_COLUMN) {
            fprintf(stream, "\n%*s", NOTE_COLUMN, "");
            at = NOTE_COLUMN;
        } else if (at > NOTE_COLUMN) {
            fputc(' ', stream);
            at++;
        }
        at += fprintf(stream, "%.*s", length, text);
        text += length + (text[length] == ' ');
    }
    fputc('\n', stream);
}

struct cell seconds_cell(double seconds)
{
    struct cell cell;

    if (seconds < 1e-3)
        snprintf(cell.text, sizeof cell.text, "%.2f us", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(cell.text, sizeof cell.text, "%.3f ms", 1e3 * seconds);
    else
        snprintf(cell.text, sizeof cell.text, "%.3f s", seconds);
    return cell;
}

struct cell number_cell(double value)
{
    struct cell cell;
    int digits = 3;

    for (double limit = 10; limit <= value && digits > 0; limit *= 10)
        digits--;
    snprintf(cell.text, sizeof cell.text, "%.*f", digits, value);
    return cell;
}

struct cell share_cell(double share)
{
    struct cell cell;

    snprintf(cell.text, sizeof cell.text, "%.*f %%", share < 0.00095 ? 3 : 1, 100 * share);
    return cell;
}

struct cell gain_cell(double gain)
{
    struct cell cell;

    snprintf(cell.text, sizeof cell.text, "x %.*f", gain < 0.095 ? 3 : gain < 10 ? 2 : 1, gain);
    return cell;
}

struct cell ratio_cell(double ratio, int digits)
{
    struct cell cell;

    snprintf(cell.text, sizeof cell.text, "%.*f", ratio == floor(ratio) ? 0 : digits, ratio);
    return cell;
}
