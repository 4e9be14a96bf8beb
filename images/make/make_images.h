/* SPDX-License-Identifier: MIT */
/* Declarations that the generator's files share: rasters, two writers, and the painters. */
#ifndef MAKE_IMAGES_H
#define MAKE_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <png.h>

/* An image in memory, by rows, with interleaved channels. */
struct raster {
    int width, height, channels;
    int maxval;
    uint16_t *samples; /* width * height * channels; the caller frees it */
};

/* How a PNG file stores a raster. The palette is for PNG_COLOR_TYPE_PALETTE only. */
struct png_kind {
    int colour_type, bits, interlace;
    const png_color *palette;
    int palette_size;
};

/* Returns a raster of zeros; samples is NULL if there is no memory. */
struct raster new_raster(int width, int height, int channels, int maxval);

/* All functions below return false if there is no memory or libpng fails. Write errors show in
 * ferror(). */
bool write_pgm(FILE *file, const struct raster *image);
bool write_png(FILE *file, const struct raster *image, const struct png_kind *kind);

/* In sky.c. */
bool paint_starfield(FILE *file);
bool paint_starfield16(FILE *file);

/* In charts.c. */
bool paint_gradient12(FILE *file);
bool paint_zoneplate(FILE *file);
bool paint_chart(FILE *file);
bool paint_colours(FILE *file);
bool paint_palette(FILE *file);
bool paint_alpha16(FILE *file);
bool paint_badge(FILE *file);

/* In tiny.c. */
bool paint_dot(FILE *file);
bool paint_column(FILE *file);
bool paint_row(FILE *file);
bool paint_impulse(FILE *file);
bool paint_letters(FILE *file);
bool paint_flat(FILE *file);
bool paint_rgb(FILE *file);
bool paint_two(FILE *file);
bool paint_alpha(FILE *file);

/* In broken.c. Each file has one fault, which its name says. */
bool break_truncated_pgm(FILE *file);
bool break_truncated_plain(FILE *file);
bool break_wrong_magic(FILE *file);
bool break_maxval0(FILE *file);
bool break_maxval70000(FILE *file);
bool break_sample_above_maxval(FILE *file);
bool break_huge_pgm(FILE *file);
bool break_huge_png(FILE *file);
bool break_bad_crc(FILE *file);
bool break_truncated_png(FILE *file);
bool break_wrong_separator(FILE *file);
bool break_empty(FILE *file);
bool break_text(FILE *file);
bool break_foreign(FILE *file);
bool break_zero_width(FILE *file);
bool break_negative_width(FILE *file);
bool break_trailing_junk(FILE *file);
bool break_critical_after(FILE *file);
bool break_text_between(FILE *file);
bool break_before_header(FILE *file);
bool break_missing_row(FILE *file);
bool break_incomplete_codes(FILE *file);
/* In broken_jpeg.c. */
bool break_truncated_jpeg(FILE *file);
bool break_huge_jpeg(FILE *file);
bool break_zero_height(FILE *file);
bool break_cmyk_jpeg(FILE *file);
bool break_two_components(FILE *file);
bool break_arithmetic(FILE *file);
bool break_lossless(FILE *file);
/* In broken_npy.c. */
bool break_truncated_npy(FILE *file);
bool break_huge_npy(FILE *file);
bool break_fortran(FILE *file);
bool break_two_shapes(FILE *file);
/* In broken_tiff.c. */
bool break_huge_tiff(FILE *file);
bool break_cut_off(FILE *file);
bool break_no_stream(FILE *file);
bool break_bad_adler(FILE *file);
bool break_more_samples(FILE *file);
bool break_colourless(FILE *file);
bool break_cmyk(FILE *file);
bool break_sparse_tile(FILE *file);
bool break_one_strip_of_two(FILE *file);
bool break_no_directory(FILE *file);

#endif
