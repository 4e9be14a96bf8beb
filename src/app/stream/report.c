/* SPDX-License-Identifier: MIT */
#include "src/app/stream/report.h"

#include "src/lib/base/clock.h"

void report_note_image(struct report *report, const struct image_reader *reader,
                       const struct image *header)
{
    const struct image file = image_file(header);

    if (report->images++ == 0) {
        report->shape = image_shape(&file);
        report->input_format = header->format;
        report->has_alpha = image_has_alpha(&file) || image_has_associated_alpha(&file);
        report->linear = header->light != NULL;
        report->gamma = header->light ? header->light->gamma : LIGHT_SRGB;
        report->has_profile = reader->curve.has_profile;
    }
    report->pixels += header->view.width * header->view.height;
}

void add_time_since(double *mark, double *stage)
{
    const double now = clock_seconds();

    *stage += now - *mark;
    *mark = now;
}

void op_times_add(struct op_times *sum, const struct op_times *op, double scale)
{
    sum->gpu.upload += scale * op->gpu.upload;
    sum->gpu.kernel += scale * op->gpu.kernel;
    sum->gpu.download += scale * op->gpu.download;
    sum->compute += scale * op->compute;
    if (op->variant) {
        sum->variant = op->variant;
        sum->engine = op->engine;
        sum->on_gpu = op->on_gpu;
    }
}
