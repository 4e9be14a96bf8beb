/* SPDX-License-Identifier: MIT */
/* What the program says about itself. All of it is made from the tables, and cannot go stale. */
#include "cli.h"

#include "registry.h"
#include "words.h"

#include <string.h>

#define HELP_COLUMN 27 /* where the explanations begin; lines stay within 80 columns */

static const char usage[] =
    "usage: smoothimg [options] INPUT OUTPUT    an image; - is standard in- or output\n"
    "       smoothimg [options] INDIR OUTDIR    every image of a folder, same names\n"
    "\n"
    "Smooths images with a Gaussian filter, exactly; transposes and reverses too.\n"
    "Reads and writes PGM, PBM, PPM, PAM and PNG, 1 to 16 bits a sample.\n"
    "\n"
    "  smoothimg in.pgm out.pgm --halo 4\n"
    "  smoothimg --sigma 2.5 --edge reflect in.png out.png\n"
    "  smoothimg --op transpose --op reverse in.pgm - | next-program\n"
    "\n";

/* Prints lines of text from the given column on; the pen stands at `at`. */
static void print_indented(FILE *stream, const char *text, int at)
{
    while (*text) {
        const int length = (int)strcspn(text, "\n");

        fprintf(stream, "%*s%.*s\n", HELP_COLUMN > at ? HELP_COLUMN - at : 0, "", length, text);
        text += length + (text[length] == '\n');
        at = 0;
    }
}

/* The first word is the default, if the option has one. */
static void print_words(FILE *stream, const struct option_row *row)
{
    struct word_list list = {0};
    char first[64];

    snprintf(first, sizeof first, "%s%s", row->words[0],
             row->kind == OPTION_CHOICE ? "" : " (default)");
    words_add(&list, first);
    for (int i = 1; row->words[i]; i++)
        words_add(&list, row->words[i]);
    fprintf(stream, "%*s%s\n", HELP_COLUMN, "", words_joined(&list, "and").text);
}

void cli_print_help(FILE *stream)
{
    fputs(usage, stream);
    for (const struct option_row *row = option_rows; row->name; row++) {
        char letter[8] = "    ";
        int at;

        if (row->letter)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        at = fprintf(stream, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
                     row->argument ? row->argument : "");
        if (at >= HELP_COLUMN) {
            fputc('\n', stream);
            at = 0;
        }
        print_indented(stream, row->help, at);
        if (row->words)
            print_words(stream, row);
    }
    fputs("\nExit status: 0 done; 1 some file of a folder failed; 2 wrong usage; 3 bad input;\n"
          "4 unsupported input; 5 output not written; 6 no device; 7 --verify failed.\n"
          "The manual, man smoothimg, has the exact definition of the filter.\n",
          stream);
}

void cli_print_version(FILE *stream)
{
    fprintf(stream, "smoothimg %s (libpng %s, MPFR %s)\n", SMOOTHIMG_VERSION, codec_png_version(),
            gauss_mpfr_version());
}

void cli_print_variants(FILE *stream)
{
    fprintf(stream, "%-10s %-10s %-5s %s\n", "operation", "variant", "place", "how");
    for (const struct registered *row = registry; row->stem; row++)
        fprintf(stream, "%-10s %-10s %-5s %s\n", op_word(registered_op(row)), registered_name(row),
                row->variant && row->variant->place == ON_CPU ? "CPU" : "GPU",
                row->variant ? row->variant->about : "(not in this build)");
}
