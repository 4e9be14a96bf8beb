/* SPDX-License-Identifier: MIT */
/* Prints --help, --version and --list-variants from the tables of options and variants. */
#include "src/app/cli/cli.h"

#include "src/lib/api/study.h"

#include <string.h>

static const char usage[] =
    "usage: smoothimg [options] INPUT OUTPUT    an image; - is standard in- or output\n"
    "       smoothimg [options] INPUT... DIR    files and folders, into DIR, a folder\n"
    "       smoothimg [options] -o OUTPUT INPUT\n"
    "       smoothimg [options] -O DIR INPUT... the same; makes DIR\n"
    "       smoothimg [options] --in-place INPUT...\n"
    "\n"
    "Smooths images with a Gaussian filter, exactly; sharpens, finds edges,\n"
    "transposes and reverses too.\n"
    "Reads and writes PGM, PBM, PPM, PAM, PNG, JPEG, TIFF and NPY, 1 to 16 bits a\n"
    "sample, and floats in TIFF and NPY.\n"
    "\n"
    "  smoothimg in.pgm out.pgm                 the default: --halo 4\n"
    "  smoothimg --sigma 2.5 --edge reflect in.png out.png\n"
    "  smoothimg --op transpose --op reverse in.pgm - | next-program\n"
    "\n";

void cli_print_help(FILE *stream)
{
    fputs(usage, stream);
    option_table_print(&option_table, stream);
    fputs("\nExit status: 0 done; 1 some file of a folder failed, or no image was found;\n"
          "2 wrong usage; 3 bad input; 4 unsupported input; 5 output not written;\n"
          "6 no device; 7 --verify failed.\n"
          "The manual, man smoothimg, has the exact definition of the filter.\n",
          stream);
}

void cli_print_version(FILE *stream)
{
    const char *tiff = codec_tiff.version();

    fprintf(stream, "smoothimg %s\nwith libpng %s, ", SMOOTHIMG_VERSION, codec_png.version());
    fprintf(stream, "libtiff %.*s, libjpeg-turbo %s, libnetpbm\n", (int)strcspn(tiff, "\n"), tiff,
            codec_jpeg.version());
}

void cli_print_variants(FILE *stream)
{
    struct study_variant variant;

    fprintf(stream, "%-9s %-13s %-5s %s\n", "operation", "variant", "place", "how");
    for (int i = 0; study_variant(i, &variant); i++)
        fprintf(stream, "%-9s %-13s %-5s %s\n", operation_words[variant.op], variant.name,
                variant.on_gpu ? "GPU" : "CPU",
                variant.description ? variant.description : "(not in this build)");
}
