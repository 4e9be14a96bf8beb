/* SPDX-License-Identifier: MIT */
/* smoothimg: smooths, transposes and reverses images, exactly. */
#include "src/app/cli/cli.h"
#include "src/app/cli/ui/ui.h"
#include "kernels/common/clock.h"
#include "src/text/exit_status.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static enum status run_all(const struct options *options)
{
    struct ui ui = {.options = options, .start = clock_seconds()};
    struct tasks plan = {0};
    struct computer computer;
    struct error error;
    enum status status = computer_open(&computer, &options->batch.stream.work, &error);

    notes_print_before(options);
    if (status == STATUS_OK && !computer.on_gpu &&
        option_is_given(&option_table, options, "device"))
        status = fail(&error, STATUS_USAGE,
                      "--device: has no effect, since the processor computes; say --variant gpu, "
                      "or leave it out");
    if (status == STATUS_OK)
        status = tasks_make(&options->batch.plan, &plan, &error);
    if (status != STATUS_OK) {
        ui_print_error(&error);
    } else {
        ui_begin(&ui, &plan);
        status = batch_run(&options->batch, &computer, &plan, ui_listen, &ui, &error);
        status = ui_close(&ui, status, &error);
    }
    tasks_free(&plan);
    computer_close(&computer);
    return status;
}

static enum status list_devices(void)
{
    struct gpu_device device;
    struct error error;
    int count;
    enum status status = gpu_count(&count, &error);

    for (int i = 0; i < count && status == STATUS_OK; i++) {
        status = gpu_describe(i, &device, &error);
        if (status == STATUS_OK)
            printf("%d  %s, %.1f GB, compute capability %d.%d, %d multiprocessors\n", i,
                   device.name, (double)device.memory_bytes / 1e9, device.major, device.minor,
                   device.multiprocessors);
    }
    if (status == STATUS_OK)
        return ui_close_stdout();
    /* ui_print_error would advise --variant cpu, which does not help to list devices. */
    message_print("%s%s", error.text,
                  gpu_offers_emulated() ? "; --device emulated is one on the processor" : "");
    return status;
}

/* Makes the emulated device the GPU of this run. Fails if this build has no emulated device. */
static enum status take_emulated(struct error *error)
{
    if (gpu_take_emulated())
        return STATUS_OK;
    return fail(error, STATUS_DEVICE,
                "--device emulated: this smoothimg has no emulated device; -Dcuda=disabled builds "
                "it with one where a C++ compiler is, -Dcuda=emulated with that of all variants");
}

int main(int argc, char **argv)
{
    static void (*const prints[])(FILE * stream) = {
        [ACTION_HELP] = cli_print_help,
        [ACTION_VERSION] = cli_print_version,
        [ACTION_LIST_VARIANTS] = cli_print_variants,
    };
    struct options options;
    struct error error;
    enum status status;

    /* Opens /dev/null for each standard stream that is closed. Otherwise the next file to be opened
     * would become that stream. Standard input is opened for writing, and the others for reading,
     * so that a use of the stream fails. */
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            break;
    status = cli_parse(argc, argv, &options, &error);
    options.batch.stream.work.instructions = getenv("SMOOTHIMG_CPU");
    if (status == STATUS_OK && options.batch.stream.work.device == DEVICE_EMULATED)
        status = take_emulated(&error);
    if (status != STATUS_OK) {
        ui_print_error(&error);
    } else if (options.action == ACTION_RUN) {
        status = run_all(&options);
    } else if (options.action == ACTION_LIST_DEVICES) {
        status = list_devices();
    } else {
        prints[options.action](stdout);
        status = ui_close_stdout();
    }
    return exit_statuses[status];
}
