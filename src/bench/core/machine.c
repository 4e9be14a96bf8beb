/* SPDX-License-Identifier: MIT */
#include "src/bench/core/machine.h"

#include "kernels/common/parallel.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Sets `name` to the text after the first "model name :" in /proc/cpuinfo, or to the architecture
 * if there is no such line. */
static void find_cpu(char *name, size_t size, const char *architecture)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];

    snprintf(name, size, "%s", architecture);
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file)
        fclose(file);
}

void machine_describe(struct machine *machine, const struct isa *isa, int device)
{
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    struct utsname system = {.machine = ""};
    struct error error;

    *machine = (struct machine){.processors = parallel_processors(),
                                .memory_bytes = pages * page_bytes,
                                .isa = isa->name,
                                .emulated = gpu_is_emulated()};
    uname(&system);
    snprintf(machine->system, sizeof machine->system, "%.20s %.60s %.40s", system.sysname,
             system.release, system.machine);
    find_cpu(machine->cpu, sizeof machine->cpu, system.machine);
    machine->has_gpu = gpu_describe(device, &machine->gpu, &error) == STATUS_OK;
    if (!machine->has_gpu)
        snprintf(machine->no_gpu, sizeof machine->no_gpu, "%.500s", error.text);
}
