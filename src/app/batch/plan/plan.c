/* SPDX-License-Identifier: MIT */
#include "src/app/batch/plan/parts.h"

#include "kernels/common/numbers.h"
#include "src/files/codec/codec.h"
#include "src/files/output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum status plan_no_memory(struct error *error)
{
    return fail(error, STATUS_INPUT, "no memory for the names of files");
}

void tasks_free(struct tasks *plan)
{
    for (size_t i = 0; i < plan->count + plan->foreign; i++) {
        free(plan->tasks[i].input);
        free(plan->tasks[i].output);
        free(plan->tasks[i].problem);
    }
    free(plan->tasks);
    memset(plan, 0, sizeof *plan);
}

enum status task_fail(struct task *task, const struct error *why, struct error *error)
{
    if (!task->problem) {
        task->problem = strdup(why->text);
        task->problem_status = why->status;
    }
    return task->problem ? STATUS_OK : plan_no_memory(error);
}

size_t name_kept(const char *path, bool listed)
{
    const char *kept = listed && strncmp(path, "./", 2) == 0 ? path + 2 : NULL;
    const char *slash = strrchr(path, '/');

    for (const char *mark = strstr(path, "/./"); mark; mark = strstr(mark + 1, "/./"))
        kept = mark + 3;
    if (!kept)
        return slash ? (size_t)(slash + 1 - path) : 0;
    while (*kept == '/')
        kept++;
    return (size_t)(kept - path);
}

enum status tasks_add_file(struct tasks *plan, const char *path, size_t name_at,
                           const struct stat *info, const struct error *why, struct error *error)
{
    /* plan->tasks has room for `count` tasks, rounded up to a power of two. */
    const size_t count = plan->count;
    struct task *grown = plan->tasks, *task;
    char *input = strdup(path);

    if (input && (count & (count - 1)) == 0)
        grown = reallocarray(grown, count > 0 ? 2 * count : 1, sizeof *grown);
    if (!input || !grown) {
        free(input);
        return plan_no_memory(error);
    }
    plan->tasks = grown;
    task = &grown[plan->count++];
    *task = (struct task){.input = input, .name = input + name_at, .bytes = -1};
    task->name += strspn(task->name, "/");
    if (info) {
        task->bytes = S_ISREG(info->st_mode) ? info->st_size : -1;
        task->device = info->st_dev;
        task->inode = info->st_ino;
    }
    return why ? task_fail(task, why, error) : STATUS_OK;
}

enum status tasks_add_unreachable(struct tasks *plan, const char *path, size_t name_at, int reason,
                                  struct error *error)
{
    struct error why;

    fail(&why, STATUS_INPUT, "%s: cannot be opened: %s", path, strerror(reason));
    return tasks_add_file(plan, path, name_at, NULL, &why, error);
}

bool names_stream(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

enum path_kind path_kind(const char *path)
{
    struct stat info;

    if (names_stream(path))
        return PATH_STREAM;
    if (stat(path, &info) != 0)
        return PATH_MISSING;
    return S_ISDIR(info.st_mode) ? PATH_FOLDER : S_ISREG(info.st_mode) ? PATH_FILE : PATH_DEVICE;
}

/* Checks the existing OUTPUT of `smoothimg INPUT OUTPUT`. The user may have meant OUTPUT as a
 * second input, as when *.jpg matches two files. So OUTPUT is replaced only if it may be an earlier
 * result: an image that is neither a JPEG nor a camera raw file. */
static enum status check_second(const struct task *task, struct error *error)
{
    const struct codec *codec;

    if (image_reader_recognise(task->output, &codec, error) != STATUS_OK)
        return error->status = STATUS_OUTPUT;
    if (codec && codec != &codec_jpeg && !format_is_camera_raw(task->output))
        return STATUS_OK;
    return fail(error, STATUS_OUTPUT,
                "%s: exists already, and %s; to replace it say -o %s, or -O and a folder if it is "
                "an input too",
                task->output, codec ? "may be a photograph" : "is not a supported image",
                task->output);
}

/* Gets what stat() says of a file, or of the process's descriptor `stream` if the name is "-".
 * Returns false with errno on failure. */
static bool examine(const char *name, int stream, struct stat *info)
{
    return (names_stream(name) ? fstat(stream, info) : stat(name, info)) == 0;
}

/* Sets task->exists for the only task of a run. Fails if input and output are one file, which would
 * be read while it is replaced. */
static enum status examine_output(struct task *task, const struct plan_options *options,
                                  struct error *error)
{
    struct stat info;

    if (!examine(task->output, STDOUT_FILENO, &info))
        return errno == ENOENT ? STATUS_OK
                               : fail(error, STATUS_OUTPUT, "%s: cannot be written: %s",
                                      task->output, strerror(errno));
    if (S_ISREG(info.st_mode) && info.st_dev == task->device && info.st_ino == task->inode)
        return fail(error, STATUS_USAGE,
                    "%s and %s are the same file; name another output, or say --in-place",
                    image_reader_name(task->input), output_name(task->output));
    task->exists = S_ISREG(info.st_mode) && info.st_size > 0 && !names_stream(task->output);
    return task->exists && task->second_operand && !options->skip_existing
               ? check_second(task, error)
               : STATUS_OK;
}

/* Adds the task of `smoothimg INPUT OUTPUT`, or of `smoothimg --suffix TEXT INPUT`. If OUTPUT is a
 * folder, the output goes into it under the name of the input, as with cp. */
static enum status add_pair(struct tasks *plan, const struct plan_options *options,
                            struct error *error)
{
    const char *input = options->inputs[0], *output = options->output;
    struct stat info;
    const bool known = examine(input, STDIN_FILENO, &info);
    const bool named = output && path_kind(output) != PATH_FOLDER;
    struct task *task;

    if (tasks_add_file(plan, input, named ? 0 : name_kept(input, false), known ? &info : NULL, NULL,
                       error) != STATUS_OK)
        return error->status;
    task = plan->tasks;
    if (!named) {
        if (name_output(task, options, error) != STATUS_OK)
            return error->status;
    } else {
        task->output = strdup(output);
        task->second_operand = !options->output_file;
        if (!task->output)
            return plan_no_memory(error);
    }
    return examine_output(task, options, error);
}

/* Moves the tasks of other shards to the end. The hash of a task's name decides its shard. A task
 * with a problem stays in every shard: if only one machine cannot read a folder, its run must say
 * so. */
static void keep_shard(const struct shard *shard, struct tasks *plan)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->count; i++) {
        const struct task task = plan->tasks[i];

        if (task.problem || shard->count == 0 ||
            XXH3_64bits(task.name, strlen(task.name)) % (unsigned)shard->count ==
                (unsigned)shard->index - 1) {
            plan->tasks[i] = plan->tasks[kept];
            plan->tasks[kept++] = task;
        }
    }
    plan->foreign = plan->count - kept;
    plan->count = kept;
}

static enum status add_batch(struct tasks *plan, const struct plan_options *options,
                             struct error *error)
{
    enum status status = tasks_add_inputs(plan, options, error);

    for (size_t i = 0; i < plan->count && status == STATUS_OK; i++)
        if (!plan->tasks[i].problem)
            status = name_output(&plan->tasks[i], options, error);
    if (status == STATUS_OK)
        status = tasks_check(options, plan, error);
    if (status == STATUS_OK)
        keep_shard(&options->shard, plan);
    return status;
}

enum status tasks_make(const struct plan_options *options, struct tasks *plan, struct error *error)
{
    enum status status;

    memset(plan, 0, sizeof *plan);
    plan->folders = options->output_dir || options->files_from || options->input_count > 1 ||
                    path_kind(options->inputs[0]) == PATH_FOLDER;
    status = plan->folders || options->in_place ? add_batch(plan, options, error)
                                                : add_pair(plan, options, error);
    for (size_t i = 0; i < plan->count; i++)
        plan->bytes += max(plan->tasks[i].bytes, 0);
    /* A file's share of the progress bar: its bytes plus, if there are several files, the mean of
     * all files' bytes. Its bytes alone would be too low a share for a compressed file, and the
     * mean alone too low a share for a large file. */
    for (size_t i = 0; i < plan->count; i++) {
        struct task *task = &plan->tasks[i];

        task->work =
            max(task->bytes, 0) + (plan->count > 1 ? plan->bytes / (int64_t)plan->count : 0);
        task->prospect = task->problem                            ? OUTCOME_FAILED
                         : task->exists && options->skip_existing ? OUTCOME_SKIPPED
                                                                  : OUTCOME_PLANNED;
    }
    return status;
}
