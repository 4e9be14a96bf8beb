/* SPDX-License-Identifier: MIT */
/* make_images DIR: writes every image of images/ into DIR, bit for bit the same on every
 * machine. Uses integers only: floating-point functions of libm round differently from one machine
 * to the next. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "images/make/make_images.h"

struct entry {
    const char *name;
    bool (*paint)(FILE *file);
};

static const struct entry entries[] = {
    {"starfield.pgm", paint_starfield},
    {"starfield16.pgm", paint_starfield16},
    {"gradient12.pgm", paint_gradient12},
    {"zoneplate.png", paint_zoneplate},
    {"chart.png", paint_chart},
    {"colours.png", paint_colours},
    {"palette.png", paint_palette},
    {"alpha16.png", paint_alpha16},
    {"badge.png", paint_badge},
    {"dot.pgm", paint_dot},
    {"column.pgm", paint_column},
    {"row.pgm", paint_row},
    {"impulse.pgm", paint_impulse},
    {"letters.pbm", paint_letters},
    {"flat.pgm", paint_flat},
    {"rgb.ppm", paint_rgb},
    {"two.pgm", paint_two},
    {"alpha.pam", paint_alpha},
    {"broken/truncated.pgm", break_truncated_pgm},
    {"broken/truncated_plain.pgm", break_truncated_plain},
    {"broken/wrong_magic.pgm", break_wrong_magic},
    {"broken/maxval0.pgm", break_maxval0},
    {"broken/maxval70000.pgm", break_maxval70000},
    {"broken/sample_above_maxval.pgm", break_sample_above_maxval},
    {"broken/huge.pgm", break_huge_pgm},
    {"broken/huge.png", break_huge_png},
    {"broken/bad_crc.png", break_bad_crc},
    {"broken/truncated.png", break_truncated_png},
    {"broken/empty.pgm", break_empty},
    {"broken/text.png", break_text},
    {"broken/foreign.gif", break_foreign},
    {"broken/truncated.jpg", break_truncated_jpeg},
    {"broken/huge.jpg", break_huge_jpeg},
    {"broken/zero_height.jpg", break_zero_height},
    {"broken/cmyk.jpg", break_cmyk_jpeg},
    {"broken/two_components.jpg", break_two_components},
    {"broken/arithmetic.jpg", break_arithmetic},
    {"broken/lossless.jpg", break_lossless},
    {"broken/zero_width.pgm", break_zero_width},
    {"broken/negative_width.pgm", break_negative_width},
    {"broken/trailing_junk.pgm", break_trailing_junk},
    {"broken/wrong_separator.pgm", break_wrong_separator},
    {"broken/critical_after.png", break_critical_after},
    {"broken/text_between.png", break_text_between},
    {"broken/before_header.png", break_before_header},
    {"broken/missing_row.png", break_missing_row},
    {"broken/incomplete_codes.png", break_incomplete_codes},
    {"broken/truncated.npy", break_truncated_npy},
    {"broken/huge.npy", break_huge_npy},
    {"broken/fortran.npy", break_fortran},
    {"broken/two_shapes.npy", break_two_shapes},
    {"broken/huge.tif", break_huge_tiff},
    {"broken/sparse_tile.tif", break_sparse_tile},
    {"broken/one_strip_of_two.tif", break_one_strip_of_two},
    {"broken/cut_off.tif", break_cut_off},
    {"broken/no_stream.tif", break_no_stream},
    {"broken/bad_adler.tif", break_bad_adler},
    {"broken/more_samples.tif", break_more_samples},
    {"broken/colourless.tif", break_colourless},
    {"broken/cmyk.tif", break_cmyk},
    {"broken/no_directory.tif", break_no_directory},
};

struct raster new_raster(int width, int height, int channels, int maxval)
{
    const size_t count = (size_t)width * (size_t)height * (size_t)channels;
    return (struct raster){width, height, channels, maxval, calloc(count, sizeof(uint16_t))};
}

bool write_pgm(FILE *file, const struct raster *image)
{
    if (!image->samples)
        return false;
    fprintf(file, "P5\n%d %d\n%d\n", image->width, image->height, image->maxval);
    const size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; i++) {
        if (image->maxval > 255)
            putc(image->samples[i] >> 8, file);
        putc(image->samples[i] & 255, file);
    }
    return true;
}

/* Packs a row for libpng: one byte for each sample, or two, big-endian. */
static void pack_row(const struct raster *image, int row, int bits, png_byte *bytes)
{
    const size_t count = (size_t)image->width * (size_t)image->channels;
    const uint16_t *samples = image->samples + (size_t)row * count;
    for (size_t i = 0; i < count; i++) {
        if (bits == 16)
            *bytes++ = (png_byte)(samples[i] >> 8);
        *bytes++ = (png_byte)(samples[i] & 255);
    }
}

bool write_png(FILE *file, const struct raster *image, const struct png_kind *kind)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    png_byte *volatile bytes = malloc((size_t)image->width * (size_t)image->channels * 2);
    volatile bool done = false;

    if (!info || !bytes || !image->samples || setjmp(png_jmpbuf(png)))
        goto cleanup;
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, kind->bits,
                 kind->colour_type, kind->interlace, PNG_COMPRESSION_TYPE_BASE,
                 PNG_FILTER_TYPE_BASE);
    if (kind->palette)
        png_set_PLTE(png, info, kind->palette, kind->palette_size);
    /* No row filters: another version of libpng may choose other filters, and the decompressed
     * bytes would differ. */
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_write_info(png, info);
    png_set_packing(png);
    for (int passes = png_set_interlace_handling(png); passes > 0; passes--) {
        for (int row = 0; row < image->height; row++) {
            pack_row(image, row, kind->bits, bytes);
            png_write_row(png, bytes);
        }
    }
    png_write_end(png, info);
    done = true;
cleanup:
    free(bytes);
    if (png)
        png_destroy_write_struct(&png, &info);
    return done;
}

/* Paints one image. Prints an error if that fails. */
static bool make(const char *folder, const struct entry *entry)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->name);
    if (length < 0 || length >= (int)sizeof path) {
        fprintf(stderr, "make_images: %s: the path is too long\n", folder);
        return false;
    }
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "make_images: %s: %s\n", path, strerror(errno));
        return false;
    }
    bool good = entry->paint(file);
    good = !ferror(file) && good;
    good = fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "make_images: %s: not written: no memory, or no room on the disk\n", path);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_images DIR\n");
        return 2;
    }
    char broken[PATH_MAX];
    const int length = snprintf(broken, sizeof broken, "%s/broken", argv[1]);
    if (length < 0 || length >= (int)sizeof broken ||
        (mkdir(broken, 0777) != 0 && errno != EEXIST)) {
        fprintf(stderr, "make_images: %s/broken: cannot create the folder\n", argv[1]);
        return 5;
    }
    bool good = true;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        good = make(argv[1], &entries[i]) && good;
    return good ? 0 : 5;
}
