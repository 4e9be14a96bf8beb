/* SPDX-License-Identifier: MIT */
#include "choice.h"

#include <stdio.h>

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* The pages of a new result cost a thread the same here as on the CPU. */
struct machine machine_of_figures(int threads, const char *level)
{
    const double lanes = least(threads, figures.lanes);

    return (struct machine){
        .threads = threads,
        .level = level,
        .tensor = true,
        .gpu_speed = 1,
        .gpu_wait = figures.gpu_start + figures.gpu_end,
        .gpu_call = figures.gpu_call,
        .upload = least(figures.bus, lanes * figures.lane),
        .download = least(figures.bus, lanes / (1 / figures.lane + 1 / figures.fresh)),
    };
}

double machine_gpu_speed(int multiprocessors, int clock_mhz)
{
    if (multiprocessors <= 0 || clock_mhz <= 0)
        return 1;
    return (double)multiprocessors / figures.multiprocessors * clock_mhz / figures.clock_mhz;
}

/* Bytes of the samples, with a border. In doubles: a header can promise more than 64 bits hold. */
static double bytes_of(const struct shape *shape, int64_t border)
{
    return (double)(shape->width + 2 * border) * (double)(shape->height + 2 * border) *
           shape->channels * sample_bytes_of(shape->maxval);
}

double choice_reading_seconds(const struct shape *shape, bool png)
{
    return bytes_of(shape, 0) / (png ? figures.read_png : figures.read_raw);
}

/* Bands of rows are shared among the threads, which also fill the pages of a new result. */
static double cpu_seconds(const struct figures_job *job, const struct shape *shape,
                          const struct machine *machine)
{
    const double threads = least(machine->threads, (double)shape->height);
    const double bytes = bytes_of(shape, 0);
    const double rate = least(threads * figures_cpu_rate(job, machine->level),
                              figures.memory / (2 * job->sample_bytes));

    return figures.cpu_call + bytes / job->sample_bytes / rate + bytes / (threads * figures.fresh);
}

/* Up with its border, the kernel, and down: one after the other. */
static double gpu_seconds(const struct figures_job *job, const struct shape *shape,
                          const struct machine *machine)
{
    const double bytes = bytes_of(shape, 0);
    const double rate = machine->gpu_speed * figures_gpu_rate(job, machine->tensor);

    return machine->gpu_call + bytes_of(shape, job->halo) / machine->upload +
           bytes / job->sample_bytes / rate + bytes / machine->download;
}

static const char *why_no_gpu(const struct figures_job *job, const struct machine *machine)
{
    if (machine->no_gpu)
        return machine->no_gpu;
    return job->halo > FIGURES_GPU_HALO ? FIGURES_GPU_HALO_TEXT : NULL;
}

struct choice choose(const struct work *work, const struct machine *machine)
{
    struct choice choice = {.gpu_wait = machine->gpu_wait};
    double saved = 0;

    for (int i = 0; i < work->op_count; i++) {
        const enum op op = (enum op)work->ops[i];
        const struct figures_job job = {
            .op = op,
            .halo = op == OP_SMOOTH ? work->halo : 0,
            .channels = work->shape.channels,
            .sample_bytes = sample_bytes_of(work->shape.maxval),
            .weighted = op == OP_SMOOTH && work->weighted,
        };
        const double cpu = cpu_seconds(&job, &work->shape, machine);
        const double gpu = gpu_seconds(&job, &work->shape, machine);

        choice.ops[i].cpu_seconds = cpu;
        choice.ops[i].gpu_seconds = gpu;
        choice.ops[i].no_gpu = why_no_gpu(&job, machine);
        choice.ops[i].on_gpu = !choice.ops[i].no_gpu && gpu < cpu;
        saved += choice.ops[i].on_gpu ? (cpu - gpu) * (double)work->images : 0;
    }
    choice.any_on_gpu = saved > machine->gpu_wait;
    for (int i = 0; i < work->op_count; i++)
        choice.ops[i].on_gpu = choice.ops[i].on_gpu && choice.any_on_gpu;
    return choice;
}

/* Two digits are all that a guess is worth. */
struct milliseconds {
    char text[32];
};

static struct milliseconds milliseconds(double seconds)
{
    struct milliseconds result;

    snprintf(result.text, sizeof result.text, seconds < 0.0995 ? "%.2g ms" : "%.0f ms",
             1e3 * seconds);
    return result;
}

void choice_sentence(const struct choice *choice, int i, const char *op, const char *name,
                     char *text, size_t bytes)
{
    const double cpu = choice->ops[i].cpu_seconds, gpu = choice->ops[i].gpu_seconds;

    if (choice->ops[i].on_gpu)
        snprintf(text, bytes, "%s %s, about %s; CPU %s", op, name, milliseconds(gpu).text,
                 milliseconds(cpu).text);
    else if (choice->ops[i].no_gpu)
        snprintf(text, bytes, "%s %s, about %s; %s", op, name, milliseconds(cpu).text,
                 choice->ops[i].no_gpu);
    else if (choice->gpu_wait > 0)
        snprintf(text, bytes, "%s %s, about %s; GPU %s, of it %s to start", op, name,
                 milliseconds(cpu).text, milliseconds(gpu + choice->gpu_wait).text,
                 milliseconds(choice->gpu_wait).text);
    else
        snprintf(text, bytes, "%s %s, about %s; GPU %s", op, name, milliseconds(cpu).text,
                 milliseconds(gpu).text);
}
