/* SPDX-License-Identifier: MIT */
#include "src/files/codec/rows/samples.h"

#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"

#define ENCODED_BYTES (1 << 18)

/* The channels of a pixel: colours, then alpha, then the mask. */
struct layout {
    const struct light *light;
    int32_t colours; /* number of colours; if light is NULL, alpha counts as a colour */
    bool alpha;      /* light is not NULL, and a channel of alpha follows the colours */
    const struct mask *mask;
    uint32_t counts; /* the mask's sample of a pixel that is not missing */
    int64_t width;
};

static struct layout layout_of(const struct image *image, bool has_alpha)
{
    const bool alpha = image->light && has_alpha;

    return (struct layout){
        .light = image->light,
        .colours = image->view.channels - alpha - (image->mask != NULL),
        .alpha = alpha,
        .mask = image->mask,
        .counts = image->maxval,
        .width = image->view.width,
    };
}

/* Decodes the file's row at `from` to a row of the image at `to`; y is the row's number in the
 * mask. The file's row occupies the end of the decoded row's memory, so no sample is overwritten
 * before it is read. */
static inline void decode_row(const struct layout *row, const struct light *light, int file_bytes,
                              int bytes, int64_t y, const void *from, void *to)
{
    int64_t in = 0, out = 0;

    for (int64_t x = 0; x < row->width; x++) {
        for (int32_t c = 0; c < row->colours; c++) {
            const uint32_t sample = row_get(from, file_bytes, in++);

            row_set(to, bytes, out++, light ? light->decode[sample] : sample);
        }
        if (light && row->alpha)
            row_set(to, bytes, out++, row_get(from, file_bytes, in++) * light->alpha_factor);
        if (row->mask)
            row_set(to, bytes, out++, mask_counts(row->mask, y, x) ? row->counts : 0);
    }
}

void samples_decode(const struct image *image, bool has_alpha, int64_t first, int64_t count,
                    int64_t to)
{
    const struct image file = image_file(image);
    const struct layout row = layout_of(image, has_alpha);

    for (int64_t y = 0; y < count; y++) {
        const void *in = image_row(&file, to + y);
        void *out = image_row(image, to + y);

        if (row.light)
            decode_row(&row, row.light, file.view.sample_bytes, 2, first + y, in, out);
        else if (file.view.sample_bytes == 1)
            decode_row(&row, NULL, 1, 1, first + y, in, out);
        else
            decode_row(&row, NULL, 2, 2, first + y, in, out);
    }
}

/* Returns the file's alpha for `level`, the alpha in memory, which was multiplied by alpha_factor:
 * level / alpha_factor, rounded to nearest. The quotient is never halfway between two integers,
 * since the factor is odd. With the analytic norm (--norm analytic) the filter's weights may sum to
 * more than 1, and so level may be greater than maxval times the factor: the result is then clamped
 * to maxval. */
static uint32_t encode_alpha(const struct light *light, uint32_t level)
{
    return (uint32_t)min((level + light->alpha_factor / 2) / light->alpha_factor, light->maxval);
}

static inline void encode_row(const struct layout *row, const struct light *light, int bytes,
                              int file_bytes, const void *from, void *to)
{
    int64_t in = 0, out = 0;

    for (int64_t x = 0; x < row->width; x++, in += row->mask != NULL) {
        for (int32_t c = 0; c < row->colours; c++) {
            const uint32_t level = row_get(from, bytes, in++);

            row_set(to, file_bytes, out++, light ? light->encode[level] : level);
        }
        if (light && row->alpha)
            row_set(to, file_bytes, out++, encode_alpha(light, row_get(from, bytes, in++)));
    }
}

void samples_encode(const struct image *image, bool has_alpha, int64_t from, int64_t count,
                    const struct image *file)
{
    const struct layout row = layout_of(image, has_alpha);

    for (int64_t y = 0; y < count; y++) {
        const void *in = image_row(image, from + y);
        void *out = image_row(file, y);

        if (row.light)
            encode_row(&row, row.light, 2, file->view.sample_bytes, in, out);
        else if (file->view.sample_bytes == 1)
            encode_row(&row, NULL, 1, 1, in, out);
        else
            encode_row(&row, NULL, 2, 2, in, out);
    }
}

int64_t encoding_rows(const struct image *image, int64_t block_rows)
{
    return round_up(max(ENCODED_BYTES / (int64_t)image_row_bytes(image), 1), max(block_rows, 1));
}
