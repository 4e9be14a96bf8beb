/* SPDX-License-Identifier: MIT */
#include "chooser.h"

#include "choice.h"
#include "clock.h"
#include "glance.h"
#include "gpu_opening.h"
#include "levels.h"
#include "parallel.h"
#include "registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct chooser {
    const struct options *options;
    bool automatic;                          /* --variant auto */
    const struct variant *variants[MAX_OPS]; /* of the image at hand */
    struct choice choice;                    /* for it, under auto */
    struct machine machine;
    struct gpu_opening opening;
    bool failed; /* under auto: the GPU failed, for the reason that follows */
    struct error failure;
};

/* The GPU of the figures stands for one that has not been opened. */
static struct machine machine_at_hand(const struct options *options)
{
    const int processors = parallel_processors();
    struct machine machine = machine_of_figures(
        options->threads < processors ? (int)options->threads : processors, level_in_use()->name);

    machine.no_gpu = gpu_absent();
    if (gpu_is_free()) {
        machine.gpu_wait = machine.gpu_call = 0;
        machine.gpu_speed = machine.upload = machine.download = INFINITY;
    }
    return machine;
}

static struct work work_of(const struct options *options, int64_t images, const struct shape *shape)
{
    return (struct work){options->ops, options->op_count, options->filter.halo, images, *shape};
}

/* Would the GPU pay, as far as a glance at the input can tell, if it starts while a first file is
 * read? With one processor there is nothing beside the reading. */
static bool could_pay(const struct chooser *chooser)
{
    struct machine machine = chooser->machine;
    struct glance glance;
    struct work work;
    double hidden;

    if (machine.no_gpu || !glance_at(chooser->options->inputs[0], &glance))
        return false;
    work = work_of(chooser->options, glance.images, &glance.shape);
    hidden = parallel_processors() > 1 ? choice_reading_seconds(&glance.shape, glance.png) : 0;
    machine.gpu_wait -= fmin(hidden, fmax(machine.gpu_wait - figures.gpu_end, 0));
    return choose(&work, &machine).any_on_gpu;
}

enum status chooser_open(const struct options *options, struct chooser **chooser,
                         struct error *error)
{
    struct chooser *made = calloc(1, sizeof *made);
    enum status status = STATUS_OK;
    bool on_gpu = false;

    *chooser = made;
    if (!made)
        return fail(error, STATUS_INPUT, "no memory to choose variants in");
    made->options = options;
    made->automatic = strcmp(options->variant, "auto") == 0;
    for (int i = 0; i < options->op_count && status == STATUS_OK; i++) {
        status =
            registry_choose((enum op)options->ops[i], options->variant, &made->variants[i], error);
        on_gpu = on_gpu || (status == STATUS_OK && made->variants[i]->place == ON_GPU);
    }
    if (status != STATUS_OK)
        return status;
    if (made->automatic) {
        made->machine = machine_at_hand(options);
        on_gpu = could_pay(made);
    }
    if (on_gpu)
        gpu_opening_begin(&made->opening, (int)options->device);
    return STATUS_OK;
}

void chooser_close(struct chooser *chooser)
{
    if (!chooser)
        return;
    gpu_opening_end(&chooser->opening);
    free(chooser);
}

/* From here on auto has no GPU. */
static void give_up(struct chooser *chooser, const struct error *failure)
{
    chooser->failed = true;
    chooser->failure = *failure;
    chooser->machine.no_gpu = "the GPU failed";
}

/* What is known of the GPU by now: how long it will still take, or how fast it is. */
static void look_at_gpu(struct chooser *chooser)
{
    struct gpu_opening *opening = &chooser->opening;
    struct machine *machine = &chooser->machine;
    struct error failure;

    if (machine->no_gpu || !opening->begun || gpu_is_free())
        return;
    if (!gpu_opening_done(opening)) {
        /* A little, for one that takes longer than it should. */
        machine->gpu_wait =
            fmax(opening->start + figures.gpu_start - clock_seconds(), 0.1 * figures.gpu_start);
        return;
    }
    machine->gpu_wait = 0;
    if (gpu_opening_wait(opening, &failure) != STATUS_OK) {
        give_up(chooser, &failure);
        return;
    }
    machine->gpu_speed =
        machine_gpu_speed(opening->about.multiprocessors, opening->about.clock_mhz);
    machine->tensor = opening->about.major == 9 && opening->about.minor == 0;
}

void chooser_choose(struct chooser *chooser, const struct shape *shape)
{
    const struct options *options = chooser->options;
    const struct work work = work_of(options, 1, shape);

    if (!chooser->automatic)
        return;
    look_at_gpu(chooser);
    chooser->choice = choose(&work, &chooser->machine);
    for (int i = 0; i < options->op_count; i++)
        chooser->variants[i] = registry_best((enum op)options->ops[i],
                                             chooser->choice.ops[i].on_gpu ? ON_GPU : ON_CPU, NULL);
    if (chooser->choice.any_on_gpu && !chooser->opening.begun)
        gpu_opening_begin(&chooser->opening, (int)options->device);
}

/* The variant as it stands, on a GPU that is waited for. */
static enum status run_on_gpu(struct chooser *chooser, const struct variant *variant,
                              const struct image *src, const struct run_options *options,
                              int64_t dst_halo, struct image *dst, struct error *error)
{
    struct run_options equipped = *options;
    const enum status status = gpu_opening_wait(&chooser->opening, error);

    if (status != STATUS_OK)
        return status;
    equipped.gpu = chooser->opening.gpu;
    return run_variant(variant, src, &equipped, dst_halo, dst, error);
}

/* The best of the GPU's variants that serves; else, and where the GPU fails, the CPU's best. */
static enum status run_automatic(struct chooser *chooser, int i, const struct image *src,
                                 const struct run_options *options, int64_t dst_halo,
                                 struct image *dst, struct error *error)
{
    const enum op op = (enum op)chooser->options->ops[i];
    enum status status = STATUS_UNSUPPORTED;
    const struct variant *variant;

    for (variant = chooser->variants[i]; variant && status == STATUS_UNSUPPORTED;
         variant = registry_best(op, ON_GPU, variant)) {
        status = run_on_gpu(chooser, variant, src, options, dst_halo, dst, error);
        chooser->variants[i] = variant;
    }
    if (status != STATUS_UNSUPPORTED && status != STATUS_DEVICE)
        return status;
    give_up(chooser, error);
    chooser->choice.no_gpu = chooser->machine.no_gpu;
    for (int j = i; j < chooser->options->op_count; j++) {
        chooser->choice.ops[j].on_gpu = false;
        chooser->variants[j] = registry_best((enum op)chooser->options->ops[j], ON_CPU, NULL);
    }
    return run_variant(chooser->variants[i], src, options, dst_halo, dst, error);
}

enum status chooser_run(struct chooser *chooser, int i, const struct image *src,
                        const struct run_options *options, int64_t dst_halo, struct image *dst,
                        struct error *error)
{
    if (chooser->variants[i]->place == ON_CPU)
        return run_variant(chooser->variants[i], src, options, dst_halo, dst, error);
    if (chooser->automatic)
        return run_automatic(chooser, i, src, options, dst_halo, dst, error);
    return run_on_gpu(chooser, chooser->variants[i], src, options, dst_halo, dst, error);
}

const struct variant *const *chooser_variants(const struct chooser *chooser)
{
    return chooser->variants;
}

struct gpu *chooser_gpu(const struct chooser *chooser)
{
    return chooser->opening.joined ? chooser->opening.gpu : NULL;
}

bool chooser_wants_gpu(const struct chooser *chooser)
{
    return chooser->opening.begun;
}

enum status chooser_check(struct chooser *chooser, struct error *error)
{
    return chooser->automatic || !chooser->opening.begun
               ? STATUS_OK
               : gpu_opening_wait(&chooser->opening, error);
}

bool chooser_is_lost(const struct chooser *chooser)
{
    return !chooser->automatic && chooser->opening.joined && !chooser->opening.gpu;
}

void chooser_print(FILE *stream, const struct chooser *chooser)
{
    char text[128];

    for (int i = 0; chooser->automatic && i < chooser->options->op_count; i++) {
        const struct variant *variant = chooser->variants[i];

        choice_sentence(&chooser->choice, i, op_word(variant->op), variant->name, text,
                        sizeof text);
        fprintf(stream, "  chosen: %s\n", text);
    }
    if (chooser->failed)
        fprintf(stream, "  without the GPU: %s\n", chooser->failure.text);
}

bool chooser_print_opening(FILE *stream, const struct chooser *chooser)
{
    const struct gpu_opening *opening = &chooser->opening;

    if (!opening->joined || !opening->gpu)
        return false;
    fprintf(stream, "GPU: %s, opened in %.0f ms, %.0f ms of it waited for\n", opening->about.name,
            1e3 * opening->seconds, 1e3 * opening->waited);
    return true;
}

void chooser_name_gpu(const struct chooser *chooser, char *text, size_t bytes)
{
    const struct gpu_opening *opening = &chooser->opening;

    text[0] = '\0';
    if (opening->joined && opening->gpu)
        snprintf(text, bytes, "%d: %s", opening->device, opening->about.name);
}
