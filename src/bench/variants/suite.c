/* SPDX-License-Identifier: MIT */
#include "src/bench/variants/suite.h"

#include "src/bench/variants/entries.h"
#include "src/bench/variants/stage.h"
#include "src/lib/filter/registry.h"
#include "kernels/common/parallel.h"

/* The conditions, besides the picture, under which a group of rows (lines of the table) is
 * measured. */
struct setting {
    enum op op;
    int64_t halo;
    int threads;
    bool gpu_rows;
};

/* Called if the right result of a group cannot be computed, so that no variant can be checked. The
 * group then gets only one row, which has the reason. */
static void note_failure(struct group *group, const struct error *error)
{
    struct row *row = &group->rows[group->row_count++];

    *row = (struct row){.name = "cpu", .place = ON_CPU};
    row_reject(row, error->status == STATUS_DIFFERENT ? ROW_DIFFERENT : ROW_FAILED, error->status,
               error->text);
    snprintf(group->checked, sizeof group->checked, "nothing");
}

/* Sets group->about to the conditions of the measurement, in words. */
static void describe(struct group *group)
{
    const struct shape *shape = &group->shape;
    char halo[64] = "", samples[32] = "floats";

    if (group->op == OP_SMOOTH)
        snprintf(halo, sizeof halo, ", halo %lld%s", (long long)group->halo,
                 group->weighted ? ", weighted by alpha" : "");
    if (shape->maxval != FLOAT_SAMPLES)
        snprintf(samples, sizeof samples, "maxval %u", (unsigned)shape->maxval);
    snprintf(group->about, sizeof group->about,
             "%.100s, %lld x %lld, %s, %d channel%s%s, %d thread%s", group->image,
             (long long)shape->width, (long long)shape->height, samples, (int)shape->channels,
             shape->channels == 1 ? "" : "s", halo, group->threads, group->threads == 1 ? "" : "s");
}

static enum status measure_stage(const struct bench_options *options, struct stage *stage,
                                 const struct setting *setting, struct group *group,
                                 struct error *error)
{
    *group = (struct group){.name = op_words[setting->op],
                            .op = setting->op,
                            .image = options->image,
                            .shape = image_shape(stage->picture),
                            .halo = stage->request.halo,
                            .weighted = stage->request.weighted,
                            .threads = setting->threads};
    describe(group);
    if (stage_compute_wanted(stage, group->checked, sizeof group->checked, error) == STATUS_OK)
        return variants_measure_group(options, stage, setting->gpu_rows, group, error);
    note_failure(group, error);
    return STATUS_OK;
}

static enum status measure_group(const struct bench_options *options, struct gpu *gpu,
                                 const struct image *picture, const struct setting *setting,
                                 struct results *results, struct error *error)
{
    struct group *group = results_add_group(results, error);
    struct stage stage;
    enum status status;

    if (!group)
        return error->status;
    status = stage_make(&stage, setting->op, picture, setting->halo, options->weighted,
                        setting->threads, (int)options->block, gpu, error);
    if (status == STATUS_OK) {
        stage.request.isa = options->isa;
        status = measure_stage(options, &stage, setting, group, error);
    }
    stage_free(&stage);
    if (status == STATUS_OK)
        results_end_group(results);
    return status;
}

/* Measures all operations, halos and numbers of threads on one picture. Only the operation smooth
 * has halos. Variants on the GPU do not depend on threads, so they are measured with the first
 * number only. */
static enum status measure_picture(const struct bench_options *options, struct gpu *gpu,
                                   const struct image *picture, struct results *results,
                                   struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = 0; i < options->op_count; i++) {
        const enum op op = (enum op)options->ops[i];

        for (int h = 0; h < (op == OP_SMOOTH ? options->halo_count : 1); h++)
            for (int t = 0; t < options->thread_count && status == STATUS_OK; t++) {
                const struct setting setting = {op, options->halos[h], (int)options->threads[t],
                                                t == 0};

                status = measure_group(options, gpu, picture, &setting, results, error);
            }
    }
    return status;
}

enum status variants_picture(const struct bench_options *options, int number, struct image *picture,
                             struct error *error)
{
    static const uint32_t maxvals[] = {255, 65535, FLOAT_SAMPLES};
    const struct shape shape = {.width = options->sizes[number].width,
                                .height = options->sizes[number].height,
                                .channels = (int32_t)options->channels,
                                .maxval = maxvals[options->depth]};

    return picture_make(options->image, &shape, parallel_processors(), picture, error);
}

static enum status measure_all(const struct bench_options *options, struct gpu *gpu,
                               struct results *results, struct error *error)
{
    /* Without a size the only picture is a file, which has its own size. */
    const int pictures = options->size_count > 0 ? options->size_count : 1;
    enum status status = STATUS_OK;

    results->against = options->against;
    for (int i = 0; i < pictures && status == STATUS_OK; i++) {
        struct image picture = {0};

        status = variants_picture(options, i, &picture, error);
        if (status == STATUS_OK)
            status = measure_picture(options, gpu, &picture, results, error);
        image_free(&picture);
    }
    return status;
}

const struct bench_suite variants_suite = {
    .word = "variants",
    .counted = "image-",
    .print_list = entries_print,
    .check = entries_check,
    .measure = measure_all,
};
