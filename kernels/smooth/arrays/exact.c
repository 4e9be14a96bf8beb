/* SPDX-License-Identifier: MIT */
/* The functions of exact.h that run on the host only. `kinds` is a set of flags: whether a NaN,
 * +infinity or -infinity is among the samples. A term is a product of one filter for each axis. */
#include "kernels/smooth/arrays/exact.h"

/* Returns the value outside of the array. If the job has an outside_rest, the value is a 64-bit
 * integer. Its magnitude, |outside + outside_rest|, is computed modulo 2^64, since |outside| alone
 * may be 2^64. */
static struct exact_number outside_of(const struct array_job *job)
{
    const struct sample_format format = sample_format(SAMPLE_F64);
    const double sign = job->outside < 0 ? -1 : 1;
    struct exact_number number;
    uint64_t bits;

    memcpy(&bits, &job->outside, sizeof bits);
    number = exact_float(bits, &format);
    if (job->outside_rest != 0) {
        number.significand =
            2 * (uint64_t)(fabs(job->outside) / 2) + (uint64_t)(int64_t)(sign * job->outside_rest);
        number.exponent = 0;
    }
    return number;
}

/* Returns an exponent such that all samples and `outside` are integers times 2^exponent. */
static int unit_of(const struct exact_common *common)
{
    const int least = common->from.is_float ? common->from.least_exponent : 0;

    return common->outside.significand != 0 && common->outside.exponent < least ? -1074 : least;
}

/* Returns how many 64-bit words hold any sum exactly. Where samples are multiplied by alpha,
 * exponents have twice the range. */
static int words_of(const struct array_job *job, const struct exact_common *common)
{
    const bool squares = job->weighing == ARRAY_BY_ALPHA;
    const struct sample_format *format = &common->from;
    int64_t most = format->is_float ? format->least_exponent + (1 << format->exponent_bits) +
                                          format->significant_bits
                                    : format->significant_bits;

    if (common->outside.significand != 0 && common->outside.exponent + 64 > most)
        most = common->outside.exponent + 64;
    return (int)(((squares ? 2 : 1) * (most - common->unit) +
                  job->filtered * (ARRAY_WEIGHT_BITS + 12) + 8) /
                 64) +
           4;
}

struct exact_common exact_prepare(const struct array_job *job)
{
    struct exact_common common = {.from = sample_format(job->src.type),
                                  .to = sample_format(job->dst.type),
                                  .outside = outside_of(job)};

    common.unit = unit_of(&common);
    /* wide_add() requires that a number's exponent is not below the sum's unit. The exponent of an
     * `outside` of 0 may be below it. */
    if (common.outside.significand == 0)
        common.outside.exponent = common.unit;
    common.words = words_of(job, &common);
    if (job->weighing == ARRAY_BY_ALPHA)
        common.unit *= 2;
    return common;
}

/* Sums one part (samples, samples times weights, or weights) over a window into memory->term.
 * Returns the kinds of the samples: whether a NaN or an infinity is among them. */
static unsigned sum_part(const struct array_job *job, struct exact_common *common,
                         enum exact_part part, const int64_t *place, struct exact_memory *memory)
{
    common->part = part;
    wide_clear(memory->term, common->words);
    return exact_add_rows(job, common, 0, place, 0, 1, memory);
}

static uint64_t array_exact_mean(const struct array_job *job, struct exact_common *common,
                                 const int64_t *place, struct exact_memory *memory)
{
    unsigned of_weights;

    common->to_alpha = exact_to_alpha(job, place);
    of_weights = sum_part(job, common, EXACT_WEIGHTS, place, memory);
    for (int i = 0; i < common->words; i++)
        memory->total[i] = memory->term[i];
    return exact_round_parts(job, common, place, of_weights,
                             sum_part(job, common, EXACT_WEIGHED, place, memory), memory);
}

uint64_t array_exact(const struct array_job *job, int result, const int64_t *place)
{
    const int end = job->combination == ARRAY_APART ? result + 1 : job->terms;
    struct exact_common common = exact_prepare(job);
    uint64_t words[EXACT_ARRAYS * EXACT_MOST_WORDS];
    struct exact_memory memory = exact_memory_at(words, common.words);
    unsigned kinds = EXACT_FINITE;

    if (exact_is_mean(job, place))
        return array_exact_mean(job, &common, place, &memory);
    wide_clear(memory.total, common.words);
    wide_clear(memory.squares, 2 * common.words);
    for (int t = result; t < end; t++) {
        wide_clear(memory.term, common.words);
        kinds |= exact_kinds_of(job, exact_add_rows(job, &common, t, place, 0, 1, &memory));
        exact_add_term(job, &common, &memory);
    }
    return exact_round_result(job, &common, kinds, &memory);
}
