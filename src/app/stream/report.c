/* SPDX-License-Identifier: MIT */
#include "src/app/stream/report.h"

#include "src/lib/base/clock.h"
#include "src/files/codec/rows/encoding.h"

void report_note_image(struct report *report, const struct image_reader *reader,
                       const struct image *header)
{
    const struct image file = image_file_header(header);

    if (report->images++ == 0) {
        report->shape = image_shape(&file);
        report->input_format = header->format;
        report->has_alpha = image_has_alpha(&file) || image_has_associated_alpha(&file);
        report->linear = header->light != NULL;
        report->gamma = header->light ? header->light->gamma : LIGHT_SRGB;
        report->has_profile = reader->curve.has_profile;
    }
    report->pixels += header->view.width * header->view.height;
    report->bytes += (int64_t)image_bytes(header);
}

void add_time_since(double *mark, double *stage)
{
    const double now = clock_seconds();

    *stage += now - *mark;
    *mark = now;
}

static void add_op(struct op_times *sum, const struct op_times *op, double scale)
{
    struct gpu_times gpu = op->gpu;

    gpu.upload *= scale;
    gpu.kernel *= scale;
    gpu.download *= scale;
    gpu_times_add(&sum->gpu, gpu);
    sum->compute += scale * op->compute;
    if (op->engine) {
        sum->variant = op->variant;
        sum->engine = op->engine;
    }
}

void bands_times_add(struct bands_times *sum, const struct bands_times *times, double scale)
{
    for (int i = 0; i < MAX_OPS; i++)
        add_op(&sum->ops[i], &times->ops[i], scale);
    sum->read += scale * times->read;
    sum->halo += scale * times->halo;
    sum->write += scale * times->write;
}

void bands_times_add_piece(struct bands_times *sum, const struct piece *piece, double seconds)
{
    const struct op_times op = {seconds, piece->done.times, piece->variant, piece->done.engine};

    add_op(&sum->ops[piece->index], &op, 1);
}

void report_add(struct report *sum, const struct report *file)
{
    sum->images += file->images;
    sum->pixels += file->pixels;
    sum->bytes += file->bytes;
    bands_times_add(&sum->times, &file->times, 1);
    sum->seconds += file->seconds;
    sum->input_bytes += file->input_bytes > 0 ? file->input_bytes : 0;
    sum->output_bytes += file->output_bytes > 0 ? file->output_bytes : 0;
}
