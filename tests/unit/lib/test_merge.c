/* SPDX-License-Identifier: MIT */
/* Which steps become layers of one job: only such that are the same in all that matters. */
#include "src/lib/gpu/merge.h"
#include "tests/unit/unit.h"

static bool pay(const struct job *job)
{
    return job->layers > 1;
}

static const struct variant knowing = {.op = OP_SMOOTH, .layers_pay = pay};
static const struct variant other = {.op = OP_SMOOTH, .layers_pay = pay};
static const struct variant turning = {.op = OP_REVERSE};
static const struct variant ignorant = {.op = OP_SMOOTH};
static const uint64_t weights[2][1];

static struct step make_step(void)
{
    return (struct step){.variant = &knowing,
                         .job = {.halo_x = 1,
                                 .halo_y = 2,
                                 .weights_x = weights[0],
                                 .weights_y = weights[0],
                                 .weighted = true,
                                 .edge = EDGE_MIRROR}};
}

static int count_with(struct step third)
{
    const struct step steps[] = {make_step(), make_step(), third, make_step()};

    return merge_count(steps, 4);
}

static void check_counts(void)
{
    struct step one[8];

    for (int i = 0; i < 8; i++)
        one[i] = make_step();
    one[0].variant = &other;
    one[7].variant = &turning;
    one[1].job.halo_x = 2;
    one[2].job.halo_y = 1;
    one[3].job.weights_x = weights[1];
    one[4].job.weights_y = weights[1];
    one[5].job.weighted = false;
    one[6].job.edge = EDGE_CLAMP;
    CHECK(count_with(make_step()) == 4, "all are alike");
    for (int i = 0; i < 8; i++)
        CHECK(count_with(one[i]) == 2, "difference %d: %d", i, count_with(one[i]));
}

static void check_ignorant(void)
{
    struct step steps[] = {make_step(), make_step()};

    steps[0].variant = steps[1].variant = &ignorant;
    CHECK(merge_count(steps, 2) == 1, "a variant of one layer");
    CHECK(merge_alike(steps, 2) == 2, "which another may compute at once");
}

int main(void)
{
    check_counts();
    check_ignorant();
    return unit_result();
}
