/* SPDX-License-Identifier: MIT */
#include "chooser.h"

#include "chooser_state.h"
#include "clock.h"
#include "levels.h"
#include "parallel.h"
#include "registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The GPU of the figures stands for one that has not been opened. */
static struct machine machine_at_hand(const struct options *options)
{
    const int processors = parallel_processors();
    struct machine machine = machine_of_figures(
        options->threads < processors ? (int)options->threads : processors, level_in_use()->name);

    /* Files that are worked on at the same time share the GPU and the bus. */
    machine.gpu_speed /= (double)options->side_by_side;
    machine.upload = fmin(machine.upload, figures.bus / (double)options->side_by_side);
    machine.download = fmin(machine.download, figures.bus / (double)options->side_by_side);
    machine.no_gpu = gpu_absent();
    if (gpu_is_free()) {
        machine.gpu_wait = machine.gpu_call = 0;
        machine.gpu_speed = machine.upload = machine.download = INFINITY;
    }
    return machine;
}

static struct work work_of(const struct options *options, int64_t images, const struct shape *shape,
                           bool alpha)
{
    return (struct work){.ops = options->ops,
                         .op_count = options->op_count,
                         .halo = options->filter.halo,
                         .images = images,
                         .shape = *shape,
                         .weighted = alpha && options->filter.alpha == ALPHA_WEIGHTED};
}

/* Would the GPU pay, as far as the work to come is known, if it starts while a first file is read?
 * With one processor there is nothing beside the reading. */
static bool could_pay(const struct chooser *chooser, const struct glance *expected)
{
    struct machine machine = chooser->machine;
    struct work work;
    double hidden;

    if (machine.no_gpu || !expected)
        return false;
    work = work_of(chooser->options, expected->images, &expected->shape, false);
    hidden =
        parallel_processors() > 1 ? choice_reading_seconds(&expected->shape, expected->png) : 0;
    machine.gpu_wait -= fmin(hidden, fmax(machine.gpu_wait - figures.gpu_end, 0));
    return choose(&work, &machine).any_on_gpu;
}

/* What does not depend on the variants. */
static enum status make(const struct options *options, int first, struct chooser **chooser,
                        struct error *error)
{
    struct chooser *made = calloc(1, sizeof *made);

    *chooser = made;
    if (made)
        made->lanes = calloc((size_t)options->threads, sizeof *made->lanes);
    if (!made || !made->lanes) {
        free(made);
        *chooser = NULL;
        return fail(error, STATUS_INPUT, "no memory to choose variants in");
    }
    made->options = options;
    made->automatic = strcmp(options->variant, "auto") == 0;
    made->any = options->device == DEVICE_ALL;
    made->first = made->any                             ? first
                  : options->device == DEVICE_NOT_GIVEN ? 0
                                                        : (int)options->device;
    chooser_make_lanes(made);
    pthread_mutex_init(&made->mutex, NULL);
    return STATUS_OK;
}

enum status chooser_open(const struct options *options, const struct glance *expected, int first,
                         struct chooser **chooser, struct error *error)
{
    enum status status = make(options, first, chooser, error);
    struct chooser *made = *chooser;
    bool on_gpu = false;

    for (int i = 0; i < options->op_count && status == STATUS_OK; i++) {
        status =
            registry_choose((enum op)options->ops[i], options->variant, &made->variants[i], error);
        on_gpu = on_gpu || (status == STATUS_OK && made->variants[i]->place == ON_GPU);
    }
    if (status != STATUS_OK)
        return status;
    if (made->automatic) {
        made->machine = machine_at_hand(options);
        on_gpu = could_pay(made, expected);
    }
    if (on_gpu)
        gpu_opening_begin(&made->lanes[0], made->first, made->any);
    return STATUS_OK;
}

void chooser_close(struct chooser *chooser)
{
    if (!chooser)
        return;
    for (int64_t i = 0; i < chooser->options->threads; i++)
        gpu_opening_end(&chooser->lanes[i]);
    pthread_mutex_destroy(&chooser->mutex);
    free(chooser->lanes);
    free(chooser);
}

/* What is known of the GPU by now: how long it will still take, or how fast it is. */
static void look_at_gpu(struct chooser *chooser)
{
    struct gpu_opening *opening = &chooser->lanes[0];
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
        chooser_give_up(chooser, &failure);
        return;
    }
    machine->gpu_speed =
        machine_gpu_speed(opening->about.multiprocessors, opening->about.clock_mhz) /
        (double)chooser->options->side_by_side;
    machine->tensor = opening->about.major == 9 && opening->about.minor == 0;
}

void chooser_choose(struct chooser *chooser, const struct image *about)
{
    const struct options *options = chooser->options;
    const struct shape shape = image_shape(about);
    const struct work work = work_of(options, 1, &shape, image_has_alpha(about));

    if (!chooser->automatic)
        return;
    look_at_gpu(chooser);
    chooser->choice = choose(&work, &chooser->machine);
    for (int i = 0; i < options->op_count; i++)
        chooser->variants[i] = registry_best((enum op)options->ops[i],
                                             chooser->choice.ops[i].on_gpu ? ON_GPU : ON_CPU, NULL);
    if (chooser->choice.any_on_gpu && !chooser->lanes[0].begun)
        gpu_opening_begin(&chooser->lanes[0], chooser->first, chooser->any);
}

const struct variant *const *chooser_variants(const struct chooser *chooser)
{
    return chooser->variants;
}

int chooser_device(const struct chooser *chooser)
{
    return chooser->lanes[0].device;
}

bool chooser_wants_gpu(const struct chooser *chooser)
{
    return chooser->lanes[0].begun;
}

bool chooser_is_lost(const struct chooser *chooser)
{
    return chooser->lost;
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

/* Of several lanes on a device, the first. */
static bool is_first_on_device(const struct chooser *chooser, int64_t lane)
{
    for (int64_t i = 0; i < lane; i++)
        if (chooser->lanes[i].gpu && chooser->lanes[i].device == chooser->lanes[lane].device)
            return false;
    return true;
}

/* The next GPU, from lane *lane on, that was opened; NULL: there is none. */
static const struct gpu_opening *next_gpu(const struct chooser *chooser, int64_t *lane)
{
    while (*lane < chooser->options->threads) {
        const int64_t i = (*lane)++;

        if (chooser->lanes[i].joined && chooser->lanes[i].gpu && is_first_on_device(chooser, i))
            return &chooser->lanes[i];
    }
    return NULL;
}

bool chooser_print_opening(FILE *stream, const struct chooser *chooser)
{
    const struct gpu_opening *opening;
    int64_t lane = 0;

    while ((opening = next_gpu(chooser, &lane)))
        fprintf(stream, "GPU: %s, opened in %.0f ms, %.0f ms of it waited for\n",
                opening->about.name, 1e3 * opening->seconds, 1e3 * opening->waited);
    lane = 0;
    return next_gpu(chooser, &lane) != NULL;
}

void chooser_name_gpu(const struct chooser *chooser, char *text, size_t bytes)
{
    const struct gpu_opening *opening;
    size_t length = 0;
    int64_t lane = 0;

    text[0] = '\0';
    while (length < bytes && (opening = next_gpu(chooser, &lane)))
        length += (size_t)snprintf(text + length, bytes - length, "%s%d: %s", length ? ", " : "",
                                   opening->device, opening->about.name);
}
