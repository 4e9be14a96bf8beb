/* SPDX-License-Identifier: MIT */
/* Results that lie in the middle between two samples, of weights of which doubles cannot tell. An
 * array repeats a tile of 3 by 3. Along an axis those of its weights at distances that 3 divides
 * sum to 1/2, those at others to 1/4 on either side: so a sum is a number of sixteenths. Estimates
 * come as near as their rounding. */
#ifndef TESTS_ARRAYS_TIES_H
#define TESTS_ARRAYS_TIES_H

#include "tests/arrays/trial.h"

/* weights[0..halo] in units of 2^-bits, halo at least 1, of both kinds: random but for the centre
 * and its neighbours. */
static void draw_tied_weights(int64_t halo, int bits, struct array_weight *weights)
{
    uint64_t left[2] = {(uint64_t)1 << (bits - 2), (uint64_t)1 << (bits - 2)};

    for (int64_t k = halo; k > 1; k--) {
        uint64_t *const rest = &left[k % 3 != 0];
        const uint64_t weight = 1 + draw() % (*rest / 8);

        weights[k] = (struct array_weight){u128_of(0, weight), false};
        *rest -= weight;
    }
    weights[1] = (struct array_weight){u128_of(0, left[1]), false};
    weights[0] = (struct array_weight){u128_of(0, 2 * left[0]), false};
}

static uint64_t tied_sample(enum sample_type type)
{
    const float value = (float)(draw() >> 40) * 0x1p-20f;
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return type == SAMPLE_F32 ? bits : draw() >> 8;
}

/* Sixteen times the result at the tile's first sample. */
static uint64_t sixteenths(const uint64_t *tile)
{
    uint64_t sum = 0;

    for (int i = 0; i < 9; i++)
        sum += tile[i] << (i < 3) << (i % 3 == 0);
    return sum;
}

static bool draw_ties(struct trial *trial, uint64_t number)
{
    static const enum sample_type types[] = {SAMPLE_I8,  SAMPLE_U8,  SAMPLE_I16, SAMPLE_U16,
                                             SAMPLE_I32, SAMPLE_U32, SAMPLE_F32};
    struct array_job *job = &trial->job;
    uint64_t tile[9];
    int bytes;

    state = number;
    *job = (struct array_job){.threads = BANDS,
                              .taps = trial->taps,
                              .axes = 2,
                              .filtered = 2,
                              .axis = {0, 1},
                              .terms = 1};
    job->src = (struct array){.origin = trial->src, .type = types[below(7)]};
    job->dst = (struct array){.type = below(2) ? job->src.type : SAMPLE_F32};
    job->bits = array_weight_bits(job->src.type, job->dst.type);
    bytes = sample_format(job->src.type).bytes;
    for (int i = 0; i < 2; i++) {
        job->shape[i] = job->extent[i] = 3 * (20 + below(20));
        job->halo[i] = 1 + below(18);
        draw_tied_weights(job->halo[i], job->bits, trial->weights[i]);
        trial->taps[i] = (struct array_taps){trial->weights[i], false, EDGE_WRAP};
    }
    trial->samples = job->shape[0] * job->shape[1];
    set_strides(trial, job->shape, &job->src);
    set_strides(trial, job->extent, &job->dst);
    for (int i = 0; i < 9; i++)
        tile[i] = tied_sample(job->src.type);
    while (job->src.type != SAMPLE_F32 && sixteenths(tile) % 16 != 8)
        tile[8] = tied_sample(job->src.type);
    for (int64_t i = 0; i < trial->samples; i++) {
        const uint64_t sample = tile[i / job->shape[1] % 3 * 3 + i % job->shape[1] % 3];
        const uint32_t four = (uint32_t)sample;
        const uint16_t two = (uint16_t)sample;
        const uint8_t one = (uint8_t)sample;

        memcpy(trial->src + i * bytes,
               bytes == 1   ? (const void *)&one
               : bytes == 2 ? (const void *)&two
                            : (const void *)&four,
               (size_t)bytes);
    }
    return true;
}

#endif
