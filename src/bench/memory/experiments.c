/* SPDX-License-Identifier: MIT */
#include "src/bench/memory/experiments.h"

#include "src/bench/core/cells.h"
#include "src/bench/core/results.h"
#include "src/lib/gpu/gpu.h"
#include "src/text/string_list.h"

#include <string.h>

#define DEFAULT_HALO 4
/* Without --size the matrices of a group have DEFAULT_SIDE rows and columns, enough to keep the
 * memory of a GPU busy. The CPU computes the right results, with which the experiments' results are
 * compared. MAX_FLOPS operations take the CPU a few seconds; if an experiment of the group does
 * more, the matrices are smaller (but those of PEAK_GROUP only on the emulated GPU). The names with
 * _CPU apply without a GPU, those with _EMULATED on the emulated GPU. */
#define DEFAULT_SIDE 4096
#define DEFAULT_SIDE_CPU 1024
#define DEFAULT_SIDE_EMULATED 96
#define MAX_FLOPS 2e10
#define MAX_FLOPS_CPU 3e9
#define MAX_FLOPS_EMULATED 2e6

/* Returns true if `name`, which is GROUP or GROUP/ROW, includes the row `row` of `group`. */
static bool names_row(const char *name, const char *group, const char *row)
{
    const size_t length = strlen(group);

    return strncmp(name, group, length) == 0 &&
           (name[length] == '\0' || (name[length] == '/' && strcmp(name + length + 1, row) == 0));
}

bool experiment_is_wanted(const struct bench_options *options, const struct experiment *experiment)
{
    if (!place_is_wanted(options, experiment->place))
        return false;
    for (int i = 0; i < options->experiment_count; i++)
        if (names_row(options->experiments[i], experiment->group, experiment->row))
            return true;
    return options->experiment_count == 0;
}

static const char *const variant_groups[] = {"image-smooth", "image-transpose", "image-reverse"};
#define VARIANT_GROUPS (int)(sizeof variant_groups / sizeof *variant_groups)

/* Returns the names of the groups in this build. If `counted` is true, also returns variant_groups
 * and the groups whose experiments on a GPU this build lacks, since smoothimg-tracer can count the
 * memory accesses of all of them. */
static struct string_list groups_of(bool counted)
{
    struct string_list groups = {0};
    const struct experiment *experiment;
    const char *absent;

    for (int i = 0; i < VARIANT_GROUPS && counted; i++)
        string_list_add(&groups, variant_groups[i]);
    for (int i = 0; (experiment = experiment_at(i)) != NULL; i++)
        string_list_add(&groups, experiment->group);
    for (int i = 0; (absent = experiment_absent(i)) != NULL && counted; i++)
        string_list_add(&groups, absent);
    return groups;
}

/* Returns true if the group in `name`, GROUP or GROUP/ROW, is one of `groups`. */
static bool has_group(const struct string_list *groups, const char *name)
{
    const size_t length = strcspn(name, "/");
    bool has = false;

    for (int i = 0; i < groups->count; i++)
        has = has ||
              (strlen(groups->words[i]) == length && strncmp(groups->words[i], name, length) == 0);
    return has;
}

static enum status refuse(const char *name, const struct string_list *groups, const char *where,
                          struct error *error)
{
    char group[64];

    snprintf(group, sizeof group, "%.*s", (int)strcspn(name, "/"), name);
    return fail(error, STATUS_USAGE, "--experiment %s: unknown group or GROUP/ROW; %s%s%s", name,
                where, string_list_join(groups, "and").text,
                string_list_nearest(groups, group).text);
}

static enum status check_name(const char *name, struct error *error)
{
    const struct bench_options one = {.experiments = {name}, .experiment_count = 1};
    const struct string_list groups = groups_of(false), counted = groups_of(true);

    for (int i = 0; experiment_at(i); i++)
        if (experiment_is_wanted(&one, experiment_at(i)))
            return STATUS_OK;
    if (has_group(&groups, name) || !has_group(&counted, name))
        return refuse(name, &groups, "groups of this build: ", error);
    return fail(error, STATUS_DEVICE,
                "--experiment %s: its rows run on a GPU, and this program was built without CUDA; "
                "build it with -Dcuda=enabled where nvcc is installed, or with -Dcuda=emulated; "
                "--sectors counts them in any build",
                name);
}

enum status experiments_check_counted(const struct bench_options *options, struct error *error)
{
    const struct string_list groups = groups_of(true);

    for (int i = 0; i < options->experiment_count; i++)
        if (!has_group(&groups, options->experiments[i]))
            return refuse(options->experiments[i], &groups, "groups: ", error);
    return STATUS_OK;
}

enum status experiments_check(const struct bench_options *options, const struct machine *machine,
                              struct error *error)
{
    enum status status = STATUS_OK;

    if (options->where == GPU_ONLY && !machine->has_gpu)
        return fail(error, STATUS_DEVICE, "--place gpu: %s", machine->no_gpu);
    for (int i = 0; i < options->experiment_count && status == STATUS_OK; i++)
        status = check_name(options->experiments[i], error);
    return status;
}

void experiments_print(FILE *stream)
{
    const struct experiment *experiment;

    fprintf(stream, "%-20s  %-30s  %s\n", "group", "row", "place");
    for (int i = 0; (experiment = experiment_at(i)) != NULL; i++) {
        fprintf(stream, "%-20s  %-30s  %s\n", experiment->group, experiment->row,
                place_word(experiment->place));
        print_wrapped(stream, experiment->shows, fprintf(stream, "    "));
    }
    for (int i = 0; experiment_absent(i); i++)
        fprintf(stream, "%-20s  (GPU rows: --sectors counts them, this build times none)\n",
                experiment_absent(i));
    for (int i = 0; i < VARIANT_GROUPS; i++)
        fprintf(stream, "%-20s  (GPU variants of smoothimg: --sectors counts them)\n",
                variant_groups[i]);
}

int experiment_group_rows(int first)
{
    const char *name = experiment_at(first)->group;
    int count = 0;

    while (experiment_at(first + count) && strcmp(experiment_at(first + count)->group, name) == 0)
        count++;
    return count;
}

/* Returns the largest number of operations that an experiment of the group does. */
static double max_flops(int first, const struct problem_size *size)
{
    double most = 0;

    for (int i = first; i < first + experiment_group_rows(first); i++) {
        struct experiment_work work = {0};

        experiment_at(i)->work(experiment_at(i), size, &work);
        most = work.flops > most ? work.flops : most;
    }
    return most;
}

struct problem_size problem_size_wanted(const struct bench_options *options, const struct gpu *gpu,
                                        int number)
{
    const int64_t side = !gpu                ? DEFAULT_SIDE_CPU
                         : gpu_is_emulated() ? DEFAULT_SIDE_EMULATED
                                             : DEFAULT_SIDE;
    struct problem_size size = {side, side, DEFAULT_HALO, (int)options->block};

    if (options->halos[0] > 0)
        size.halo = options->halos[0];
    if (options->size_count > 0) {
        size.width = options->sizes[number].width;
        size.height = options->sizes[number].height;
    }
    return size;
}

struct problem_size problem_size_of_group(const struct bench_options *options,
                                          const struct gpu *gpu, int first, int number)
{
    const bool emulated = gpu && gpu_is_emulated();
    const double most = emulated ? MAX_FLOPS_EMULATED : gpu ? MAX_FLOPS : MAX_FLOPS_CPU;
    struct problem_size size = problem_size_wanted(options, gpu, number);

    if (options->size_count > 0)
        return size;
    /* The group of peaks keeps its size: the CPU computes its right results quickly, and a small
     * copy would measure a cache, not the memory. */
    if (!emulated && strcmp(experiment_at(first)->group, PEAK_GROUP) == 0)
        return size;
    while (size.width > 1 && max_flops(first, &size) > most) {
        size.width /= 2;
        size.height /= 2;
    }
    return size;
}
