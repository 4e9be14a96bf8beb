/* SPDX-License-Identifier: MIT */
/* Describes the machine on which the program measures. */
#ifndef SMOOTHIMG_MACHINE_H
#define SMOOTHIMG_MACHINE_H

#include "kernels/common/isa.h"
#include "src/lib/gpu/gpu.h"

#include <stdbool.h>
#include <stdint.h>

struct machine {
    char cpu[128]; /* the processor's name; if it is unknown, its architecture */
    char system[128];
    const char *isa; /* name of the instruction set that CPU variants use; not owned */
    int processors;  /* processors that this process may use */
    int64_t memory_bytes;
    bool has_gpu, emulated;
    struct gpu_device gpu;
    char no_gpu[512]; /* unless has_gpu: why there is no GPU, as a sentence */
};

/* Fills *machine; `device` is the GPU's number. */
void machine_describe(struct machine *machine, const struct isa *isa, int device);

#endif
