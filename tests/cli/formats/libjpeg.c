/* SPDX-License-Identifier: MIT */
/* Converts JPEG to PGM or PPM (libjpeg decode), or PGM or PPM to JPEG (libjpeg encode QUALITY
 * ROWS), with libjpeg and no code of smoothimg. Reads standard input and writes standard output.
 * Decoding exits with 2 after a warning of libjpeg. Encodes without subsampling, with a restart
 * marker after every ROWS rows of blocks of 8 x 8 samples, or none if ROWS is 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

static int decode(void)
{
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct jpeg = {.err = jpeg_std_error(&errors)};
    JSAMPROW row;

    jpeg_create_decompress(&jpeg);
    jpeg_stdio_src(&jpeg, stdin);
    jpeg_read_header(&jpeg, TRUE);
    jpeg_start_decompress(&jpeg);
    printf("P%d\n%u %u\n255\n", jpeg.output_components == 1 ? 5 : 6, jpeg.output_width,
           jpeg.output_height);
    row = malloc((size_t)jpeg.output_width * (size_t)jpeg.output_components);
    while (row && jpeg.output_scanline < jpeg.output_height) {
        jpeg_read_scanlines(&jpeg, &row, 1);
        fwrite(row, (size_t)jpeg.output_components, jpeg.output_width, stdout);
    }
    free(row);
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    return errors.num_warnings > 0 ? 2 : 0;
}

static void encode_rows(j_compress_ptr jpeg)
{
    const size_t bytes = (size_t)jpeg->image_width * (size_t)jpeg->input_components;
    JSAMPROW row = malloc(bytes);

    while (row && jpeg->next_scanline < jpeg->image_height && fread(row, 1, bytes, stdin) == bytes)
        jpeg_write_scanlines(jpeg, &row, 1);
    free(row);
}

static int encode(int quality, int rows)
{
    struct jpeg_error_mgr errors;
    struct jpeg_compress_struct jpeg = {.err = jpeg_std_error(&errors)};
    char kind;

    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, stdout);
    if (scanf("P%c %u %u 255", &kind, &jpeg.image_width, &jpeg.image_height) != 3 ||
        getchar() == EOF)
        return 1;
    jpeg.input_components = kind == '5' ? 1 : 3;
    jpeg.in_color_space = kind == '5' ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
    jpeg.restart_in_rows = rows;
    jpeg_start_compress(&jpeg, TRUE);
    encode_rows(&jpeg);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return 0;
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "decode") == 0)
        return decode();
    if (count == 4 && strcmp(words[1], "encode") == 0)
        return encode(atoi(words[2]), atoi(words[3]));
    return 1;
}
