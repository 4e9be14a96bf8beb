/* SPDX-License-Identifier: MIT */
/* Where `auto` goes, on machines that are made up. */
#include "choice.h"
#include "unit.h"

#include <math.h>
#include <string.h>

static const int smooth[] = {OP_SMOOTH};
static const int chain[] = {OP_TRANSPOSE, OP_SMOOTH, OP_REVERSE};

/* A square image of 8 bits, one channel. */
static struct work work_of(int64_t side, int64_t images, int64_t halo)
{
    return (struct work){smooth, 1, halo, images, {side, side, 1, 255}, false};
}

/* Few threads beside a fast GPU that is quickly reached; its start takes 0.3 s. */
static struct machine workstation(void)
{
    struct machine machine = machine_of_figures(2, "avx2");

    machine.gpu_wait = 0.3;
    machine.upload = machine.download = 25e9;
    return machine;
}

static bool takes_gpu(const struct work *work, const struct machine *machine)
{
    return choose(work, machine).any_on_gpu;
}

/* The fewest images of this side with which the GPU is taken, or -1. */
static int64_t break_even(int64_t side, int64_t halo, const struct machine *machine)
{
    for (int64_t images = 1; images <= 1 << 20; images = images * 5 / 4 + 1) {
        const struct work work = work_of(side, images, halo);

        if (takes_gpu(&work, machine))
            return images;
    }
    return -1;
}

static void check_plain_cases(void)
{
    const struct machine machine = workstation();
    const struct work small = work_of(512, 1, 4), single = work_of(4096, 1, 4);
    const struct work folder = work_of(8192, 100, 4), huge = work_of(32768, 1, 8);

    CHECK(!takes_gpu(&small, &machine), "a small image");
    CHECK(!takes_gpu(&single, &machine), "one ordinary image");
    CHECK(takes_gpu(&folder, &machine), "a folder of large images");
    CHECK(takes_gpu(&huge, &machine), "one huge image");
}

/* Which way each figure of the machine pulls. */
static void check_break_even(void)
{
    const struct machine two = workstation();
    struct machine other = two;
    const struct work work = work_of(2048, 1, 8);
    const int64_t plain = break_even(2048, 8, &two);

    CHECK(plain > 1, "%lld", (long long)plain);
    CHECK(break_even(2048, 32, &two) < plain, "a large halo: sooner");
    CHECK(break_even(4096, 8, &two) < plain, "large images: sooner");
    other.threads = 4;
    CHECK(break_even(2048, 8, &other) > plain, "more threads: later");
    CHECK(choose(&work, &other).ops[0].cpu_seconds < 0.51 * choose(&work, &two).ops[0].cpu_seconds,
          "twice the threads: twice as fast");
    other = two;
    other.level = "vnni";
    CHECK(break_even(2048, 8, &other) > plain, "a better processor: later");
    other = two;
    other.gpu_wait = 1;
    CHECK(break_even(2048, 8, &other) > plain, "a slow start: later");
    other.gpu_wait = 0;
    CHECK(break_even(2048, 8, &other) == 1, "a GPU that is there: at once");
    other = two;
    other.upload = other.download = 7e9;
    CHECK(break_even(2048, 8, &other) > plain, "slow copies: later");
    other = two;
    other.gpu_speed = 0.0005;
    CHECK(break_even(2048, 8, &other) == -1, "a slow GPU: never");
}

static void check_no_gpu(void)
{
    struct machine machine = workstation();
    const struct work folder = work_of(32768, 1000, 64);
    char text[100];

    CHECK(takes_gpu(&folder, &machine), "with a GPU");
    machine.no_gpu = "no GPU here";
    CHECK(!takes_gpu(&folder, &machine), "without one");
    const struct choice choice = choose(&folder, &machine);
    CHECK(!choice.ops[0].on_gpu, "without one");
    choice_sentence(&choice, 0, "smooth", "cpu", text, sizeof text);
    CHECK(strstr(text, "; no GPU here"), "%s", text);
}

/* However much a GPU seems to save, however many images there are: beyond halo 64 nobody has
 * measured it. What is smoothed does not decide for the operations beside it. */
static void check_large_halos(void)
{
    struct machine machine = workstation();
    struct work work = {chain, 3, 65, 1000, {8192, 8192, 1, 255}, false};
    struct choice choice;
    char text[100];

    machine.gpu_wait = machine.gpu_call = 0;
    machine.upload = machine.download = machine.gpu_speed = INFINITY;
    for (int64_t halo = 64; halo <= MAX_HALO; halo += halo < 66 ? 1 : 100) {
        work.halo = halo;
        choice = choose(&work, &machine);
        CHECK(choice.ops[1].on_gpu == (halo == 64), "halo %lld", (long long)halo);
        CHECK(choice.ops[0].on_gpu && choice.ops[2].on_gpu, "transpose and reverse have no halo");
        choice_sentence(&choice, 1, "smooth", "cpu", text, sizeof text);
        CHECK(!strstr(text, "; no GPU beyond halo 64") == (halo == 64), "%s", text);
    }
    work.op_count = 1;
    work.ops = smooth;
    CHECK(!takes_gpu(&work, &machine), "there is nothing else to be done");
    machine.no_gpu = "no GPU here";
    choice = choose(&work, &machine);
    choice_sentence(&choice, 0, "smooth", "cpu", text, sizeof text);
    CHECK(strstr(text, "; no GPU here"), "what holds for any halo comes first: %s", text);
}

/* More images never move the choice back, for any work. */
static void check_monotonic(void)
{
    const struct machine machine = workstation();
    long changes = 0;

    for (int64_t side = 64; side <= 16384; side *= 4)
        for (int64_t halo = 0; halo <= 128; halo = 2 * halo + 1)
            for (uint32_t maxval = 255; maxval <= 65535; maxval += 65280) {
                bool before = false;

                for (int64_t images = 1; images < 1000000; images *= 3) {
                    struct work work = work_of(side, images, halo);

                    work.shape.maxval = maxval;
                    CHECK(takes_gpu(&work, &machine) >= before, "side %lld, halo %lld, %lld images",
                          (long long)side, (long long)halo, (long long)images);
                    changes += takes_gpu(&work, &machine) != before;
                    before = takes_gpu(&work, &machine);
                }
            }
    CHECK(changes > 20, "%ld changes: this checks nothing", changes);
}

/* In a chain each operation goes where it is faster; the start is paid once for all. */
static void check_chain(void)
{
    struct machine machine = workstation();
    struct work work = {chain, 3, 64, 1, {4096, 4096, 1, 255}, false};
    struct choice choice;

    machine.gpu_wait = 0;
    machine.level = "vnni";
    machine.upload = machine.download = 8e9;
    choice = choose(&work, &machine);
    CHECK(!choice.ops[0].on_gpu && choice.ops[1].on_gpu && !choice.ops[2].on_gpu,
          "transpose and reverse only copy: not worth the way to the GPU; %g < %g",
          choice.ops[0].cpu_seconds, choice.ops[0].gpu_seconds);
    machine = workstation();
    work = work_of(4096, 1, 32);
    choice = choose(&work, &machine);
    const double saved = choice.ops[0].cpu_seconds - choice.ops[0].gpu_seconds;
    machine.gpu_wait = 1.5 * saved;
    CHECK(saved > 0 && !takes_gpu(&work, &machine), "one smooth does not pay");
    CHECK(!choose(&work, &machine).ops[0].on_gpu, "so it stays on the CPU");
    const int twice[] = {OP_SMOOTH, OP_SMOOTH};
    work.ops = twice;
    work.op_count = 2;
    CHECK(takes_gpu(&work, &machine), "two do");
}

/* The figures at their points and between them: each sample takes longer with every tap. */
static void check_figures(void)
{
    const struct figures_job four = {OP_SMOOTH, 4, 1, 1, false};
    struct figures_job job = four;

    CHECK(fabs(figures_cpu_rate(&four, "vnni") / 2.1e9 - 1) < 1e-9, "%g",
          figures_cpu_rate(&four, "vnni"));
    CHECK(figures_cpu_rate(&four, "?") == figures_cpu_rate(&four, "base"), "an unknown level");
    for (int32_t bytes = 1; bytes <= 2; bytes++)
        for (int64_t halo = 1; halo < MAX_HALO; halo++) {
            struct figures_job next;

            job = (struct figures_job){OP_SMOOTH, halo, 1, bytes, false};
            next = job;
            next.halo++;
            CHECK(figures_cpu_rate(&next, "vnni") < figures_cpu_rate(&job, "vnni"),
                  "halo %lld, %d bytes", (long long)halo, bytes);
            CHECK(figures_gpu_rate(&next, true) <= figures_gpu_rate(&job, true) * 1.05,
                  "halo %lld, %d bytes", (long long)halo, bytes);
            CHECK(figures_gpu_rate(&next, false) > 0, "halo %lld", (long long)halo);
        }
    job = four;
    job.weighted = true;
    CHECK(figures_cpu_rate(&job, "vnni") < figures_cpu_rate(&four, "vnni"), "alpha, CPU");
    CHECK(figures_gpu_rate(&job, true) < figures_gpu_rate(&four, false), "alpha, GPU");
    job = (struct figures_job){OP_TRANSPOSE, 0, 100, 2, false};
    CHECK(figures_cpu_rate(&job, "vnni") > 0, "a pixel wider than the table");
    CHECK(machine_gpu_speed(132, 1980) == 1 && machine_gpu_speed(0, 5) == 1, "the GPU's speed");
    CHECK(machine_gpu_speed(66, 990) == 0.25, "%g", machine_gpu_speed(66, 990));
}

/* Threads help to copy, until the bus is full, or there are no more lanes. */
static void check_copies(void)
{
    const struct machine one = machine_of_figures(1, "vnni"), two = machine_of_figures(2, "vnni");
    const struct machine lanes = machine_of_figures(figures.lanes, "vnni");
    const struct machine many = machine_of_figures(1000, "vnni");

    CHECK(two.upload == 2 * one.upload && two.download == 2 * one.download, "two threads");
    CHECK(one.download < one.upload, "new memory costs");
    CHECK(many.upload == figures.bus && many.download <= figures.bus, "the bus is full");
    CHECK(many.download == lanes.download, "there are no more lanes");
}

/* A line of -v has 80 columns; "  chosen: " is before the sentence. */
static void check_sentences(void)
{
    struct machine machine = workstation();
    char text[200];
    bool started = false;

    for (int64_t side = 1; side < 100000; side *= 7)
        for (int wait = 0; wait < 2; wait++) {
            const struct work work = {chain, 3, 64, 1, {side, side, 3, 65535}, false};
            struct choice choice;

            machine.gpu_wait = wait * 0.25;
            choice = choose(&work, &machine);
            choice_sentence(&choice, 0, "transpose", choice.ops[0].on_gpu ? "vector" : "cpu", text,
                            sizeof text);
            CHECK(strlen(text) <= 70, "%zu: %s", strlen(text), text);
            started = started || strstr(text, "to start");
        }
    CHECK(started, "%s", text);
}

int main(void)
{
    check_plain_cases();
    check_break_even();
    check_no_gpu();
    check_large_halos();
    check_monotonic();
    check_chain();
    check_figures();
    check_copies();
    check_sentences();
    return unit_result();
}
