/* SPDX-License-Identifier: MIT */
#include "lab_choice.h"

#include "cells.h"
#include "results.h"
#include "words.h"

#include <string.h>

bool lab_choice_wants(const struct bench_options *options, const struct experiment *experiment)
{
    const size_t length = strlen(experiment->group);

    if (options->where != ANYWHERE && (options->where == GPU_ONLY) != (experiment->place == ON_GPU))
        return false;
    for (int i = 0; i < options->experiment_count; i++) {
        const char *name = options->experiments[i];

        if (strncmp(name, experiment->group, length) == 0 &&
            (name[length] == '\0' ||
             (name[length] == '/' && strcmp(name + length + 1, experiment->row) == 0)))
            return true;
    }
    return options->experiment_count == 0;
}

/* Is name that of a group, or GROUP/ROW, that other builds have? */
static bool is_absent(const char *name)
{
    const size_t length = strcspn(name, "/");
    const char *group;

    for (int i = 0; (group = lab_absent(i)) != NULL; i++)
        if (strlen(group) == length && strncmp(group, name, length) == 0)
            return true;
    return false;
}

static enum status check_name(const char *name, struct error *error)
{
    const struct bench_options one = {.experiments = {name}, .experiment_count = 1};
    const struct experiment *experiment;
    struct word_list groups = {0};

    for (int i = 0; (experiment = lab_row(i)) != NULL; i++) {
        if (lab_choice_wants(&one, experiment))
            return STATUS_OK;
        words_add(&groups, experiment->group);
    }
    if (is_absent(name))
        return fail(error, STATUS_DEVICE,
                    "--experiment %s: its rows run on a GPU, and this program was built without "
                    "CUDA; build it with -Dcuda=enabled where nvcc is installed, or with "
                    "-Dcuda=emulated; --transactions counts them in any build",
                    name);
    return fail(error, STATUS_USAGE,
                "--experiment %s: there is no such group or GROUP/ROW%s; groups of this build are "
                "%s: see --suite memory --list",
                name, words_nearest(&groups, name).text, words_joined(&groups, "and").text);
}

/* Are there rows among those that were asked for that compute both profiles? */
static enum status check_profiles(const struct bench_options *options, struct error *error)
{
    bool found[LAB_COLUMN_SUMS + 1] = {false};

    for (int i = 0; options->profiles && lab_row(i); i++)
        if (lab_choice_wants(options, lab_row(i)))
            found[lab_row(i)->profile] = true;
    if (!options->profiles || (found[LAB_ROW_SUMS] && found[LAB_COLUMN_SUMS]))
        return STATUS_OK;
    return fail(
        error, STATUS_USAGE,
        "--profiles %s: no row that was asked for computes both; they come from --experiment "
        "sums",
        options->profiles);
}

enum status lab_choice_check(const struct bench_options *options, const struct machine *machine,
                             struct error *error)
{
    enum status status = check_profiles(options, error);

    if (status != STATUS_OK)
        return status;
    if (options->where == GPU_ONLY && !machine->has_gpu)
        return fail(error, STATUS_DEVICE, "--place gpu: %s", machine->no_gpu);
    for (int i = 0; i < options->experiment_count; i++) {
        status = check_name(options->experiments[i], error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

void lab_choice_print(FILE *stream)
{
    const struct experiment *experiment;

    fprintf(stream, "%-20s  %-30s  %s\n", "group", "row", "place");
    for (int i = 0; (experiment = lab_row(i)) != NULL; i++) {
        fprintf(stream, "%-20s  %-30s  %s\n", experiment->group, experiment->row,
                place_word(experiment->place));
        print_wrapped(stream, experiment->shows, fprintf(stream, "    "));
    }
}
